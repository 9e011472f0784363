/// Reads the oracle's output sequentially.
struct OracleReader {
  let bytes: [UInt8]
  private(set) var offset = 0

  init(_ bytes: [UInt8]) {
    self.bytes = bytes
  }

  mutating func integer<Value: FixedWidthInteger>(_ type: Value.Type) throws -> Int {
    let size = MemoryLayout<Value>.size
    guard bytes.count - offset >= size else { throw Oracle.Failure.malformed(offset: offset) }
    let value = bytes.withUnsafeBytes {
      $0.loadUnaligned(fromByteOffset: offset, as: Value.self)
    }
    offset += size
    return Int(Value(littleEndian: value))
  }

  /// Reads a length in one byte, and a text of so many bytes.
  mutating func text() throws -> String {
    let count = try integer(UInt8.self)
    guard bytes.count - offset >= count else { throw Oracle.Failure.malformed(offset: offset) }
    defer { offset += count }
    return String(decoding: bytes[offset..<(offset + count)], as: UTF8.self)
  }

  /// Reads a count, that many keys, and that many values.
  mutating func pairs<Key: FixedWidthInteger>(
    _ type: Key.Type
  ) throws -> [(key: Int, value: Int)] {
    let count = try integer(UInt32.self)
    var pairs: [(key: Int, value: Int)] = []
    for _ in 0..<count {
      pairs.append((try integer(Key.self), 0))
    }
    for index in pairs.indices {
      pairs[index].value = try integer(Int32.self)
    }
    return pairs
  }

  /// Reads a text that the output must contain here.
  mutating func expect(_ text: String) throws {
    for byte in text.utf8 {
      guard try integer(UInt8.self) == byte else {
        throw Oracle.Failure.malformed(offset: offset - 1)
      }
    }
  }

  var isAtEnd: Bool { offset == bytes.count }
}
