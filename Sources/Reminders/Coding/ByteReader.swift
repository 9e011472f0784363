/// Reads the output of `ByteWriter`. Invalid bytes throw a `CodingFailure` and never trap.
///
/// The reader borrows the bytes and must not outlive the closure that provides them.
package struct ByteReader {
  private let bytes: UnsafeRawBufferPointer
  /// The number of bytes read.
  package private(set) var offset = 0

  package init(_ bytes: UnsafeRawBufferPointer) {
    self.bytes = bytes
  }

  package var isAtEnd: Bool { offset == bytes.count }

  /// Throws unless all bytes have been read.
  package func finish() throws(CodingFailure) {
    guard isAtEnd else { throw CodingFailure.malformed(offset: offset) }
  }

  /// The error for an invalid value that ends at the current offset.
  package var malformed: CodingFailure { .malformed(offset: offset) }

  package mutating func byte() throws(CodingFailure) -> UInt8 {
    guard offset < bytes.count else { throw CodingFailure.truncated(offset: offset) }
    defer { offset += 1 }
    return bytes[offset]
  }

  /// Reads a number. The function is inlined, because a recipient's facts have thousands of
  /// numbers, most of them of one byte.
  @inline(__always)
  package mutating func unsigned() throws(CodingFailure) -> UInt64 {
    guard offset < bytes.count, bytes[offset] < 0x80 else { return try longNumber() }
    defer { offset += 1 }
    return UInt64(bytes[offset])
  }

  private mutating func longNumber() throws(CodingFailure) -> UInt64 {
    var value: UInt64 = 0
    var shift: UInt64 = 0
    // A local cursor stays in a register.
    var cursor = offset
    defer { offset = cursor }
    while shift < 64 {
      guard cursor < bytes.count else { throw CodingFailure.truncated(offset: cursor) }
      let next = bytes[cursor]
      cursor += 1
      value |= UInt64(next & 0x7f) << shift
      if next < 0x80 { return value }
      shift += 7
    }
    throw CodingFailure.malformed(offset: cursor)
  }

  package mutating func signed() throws(CodingFailure) -> Int64 {
    let raw = try unsigned()
    return Int64(bitPattern: raw >> 1) ^ -Int64(bitPattern: raw & 1)
  }

  /// Reads the number of elements that follow, each at least one byte long.
  package mutating func count() throws(CodingFailure) -> Int {
    let value = try unsigned()
    guard value <= UInt64(bytes.count - offset) else {
      throw CodingFailure.malformed(offset: offset)
    }
    return Int(value)
  }

  package mutating func symbol() throws(CodingFailure) -> Symbol {
    guard offset + 4 <= bytes.count else { throw CodingFailure.truncated(offset: offset) }
    defer { offset += 4 }
    let code = bytes.loadUnaligned(fromByteOffset: offset, as: UInt32.self)
    return Symbol(code: UInt32(littleEndian: code))
  }

  package mutating func text() throws(CodingFailure) -> String {
    let length = try count()
    defer { offset += length }
    return String(
      decoding: UnsafeRawBufferPointer(rebasing: bytes[offset..<offset + length]),
      as: UTF8.self)
  }
}

extension ByteReader {
  /// Skips a text.
  package mutating func skipText() throws(CodingFailure) {
    offset += try count()
  }

  /// Reads a length, and then as many bytes.
  package mutating func block() throws(CodingFailure) -> [UInt8] {
    let length = try count()
    defer { offset += length }
    return Array(bytes[offset..<offset + length])
  }
}
