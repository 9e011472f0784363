extension UnsafeRawBufferPointer {
  /// Goes through the bytes eight at a time, little-endian; the last ones are filled up with zeros.
  @inline(__always)
  func forEachWord(_ body: (UInt64) -> Void) {
    var place = 0
    while place + 8 <= count {
      body(UInt64(littleEndian: loadUnaligned(fromByteOffset: place, as: UInt64.self)))
      place += 8
    }
    guard place < count else { return }
    var word: UInt64 = 0
    for index in place..<count { word |= UInt64(self[index]) << UInt64(8 * (index - place)) }
    body(word)
  }
}
