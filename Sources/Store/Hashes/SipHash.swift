/// SipHash-2-4 (Aumasson and Bernstein 2012). Without the key, the hash of a short text reveals
/// nothing about the text, and collisions cannot be constructed.
package struct SipHash {
  package struct Key: Hashable, Sendable {
    package let first: UInt64
    package let second: UInt64

    package init(first: UInt64, second: UInt64) {
      (self.first, self.second) = (first, second)
    }
  }

  private var v0: UInt64
  private var v1: UInt64
  private var v2: UInt64
  private var v3: UInt64
  /// The number of bytes absorbed so far.
  private var count = 0

  package init(key: Key) {
    v0 = key.first ^ 0x736f_6d65_7073_6575
    v1 = key.second ^ 0x646f_7261_6e64_6f6d
    v2 = key.first ^ 0x6c79_6765_6e65_7261
    v3 = key.second ^ 0x7465_6462_7974_6573
  }

  /// Adds the length of a text and then its bytes, padded to whole words. So different sequences of
  /// texts never give the same bytes.
  package mutating func add(_ text: String) {
    var text = text
    text.withUTF8 { bytes in
      absorb(UInt64(bytes.count))
      UnsafeRawBufferPointer(bytes).forEachWord { absorb($0) }
      count += 8 + (bytes.count + 7) & ~7
    }
  }

  package consuming func finished() -> UInt64 { finished(tail: 0) }

  /// - Parameter tail: the bytes after the last whole word.
  private consuming func finished(tail: UInt64) -> UInt64 {
    absorb(tail | UInt64(truncatingIfNeeded: count) << 56)
    v2 ^= 0xff
    for _ in 0..<4 { round() }
    return v0 ^ v1 ^ v2 ^ v3
  }

  private mutating func absorb(_ word: UInt64) {
    v3 ^= word
    round()
    round()
    v0 ^= word
  }

  private mutating func round() {
    v0 &+= v1
    v1 = rotated(v1, by: 13) ^ v0
    v0 = rotated(v0, by: 32)
    v2 &+= v3
    v3 = rotated(v3, by: 16) ^ v2
    v0 &+= v3
    v3 = rotated(v3, by: 21) ^ v0
    v2 &+= v1
    v1 = rotated(v1, by: 17) ^ v2
    v2 = rotated(v2, by: 32)
  }

  private func rotated(_ word: UInt64, by count: UInt64) -> UInt64 {
    word << count | word >> (64 - count)
  }
}

extension SipHash {
  /// Returns the hash of raw bytes.
  package static func hash(bytes: [UInt8], key: Key) -> UInt64 {
    var state = SipHash(key: key)
    var tail: UInt64 = 0
    bytes.withUnsafeBytes { bytes in
      let end = bytes.count & ~7
      UnsafeRawBufferPointer(rebasing: bytes[..<end]).forEachWord { state.absorb($0) }
      UnsafeRawBufferPointer(rebasing: bytes[end...]).forEachWord { tail = $0 }
    }
    state.count = bytes.count
    return state.finished(tail: tail)
  }
}

extension UnsafeRawBufferPointer {
  /// Calls the body with each group of eight bytes as a little-endian word. The last word is padded
  /// with zeros.
  @inlinable @inline(__always)
  package func forEachWord(_ body: (UInt64) -> Void) {
    var offset = 0
    while offset + 8 <= count {
      body(UInt64(littleEndian: loadUnaligned(fromByteOffset: offset, as: UInt64.self)))
      offset += 8
    }
    guard offset < count else { return }
    var word: UInt64 = 0
    for index in offset..<count { word |= UInt64(self[index]) << UInt64(8 * (index - offset)) }
    body(word)
  }
}
