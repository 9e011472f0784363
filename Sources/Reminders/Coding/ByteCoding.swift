/// The error for stored bytes that are damaged or have an unknown version.
package enum CodingFailure: Error, Hashable, CustomStringConvertible {
  case truncated(offset: Int)
  case malformed(offset: Int)
  case version(UInt8)

  package var description: String {
    switch self {
    case .truncated(let offset): "the row ends too early, at byte \(offset)"
    case .malformed(let offset): "the row is malformed at byte \(offset)"
    case .version(let version): "the row has the unknown version \(version)"
    }
  }
}

/// Writes the values of a stored row in a compact form: integers as LEB128 of variable length (with
/// the zigzag encoding if they are signed), and texts after their lengths.
package struct ByteWriter: Sendable {
  package private(set) var bytes: [UInt8] = []

  package init(reserving count: Int = 96) {
    bytes.reserveCapacity(count)
  }

  package mutating func unsigned(_ value: UInt64) {
    var rest = value
    while rest >= 0x80 {
      bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
      rest >>= 7
    }
    bytes.append(UInt8(truncatingIfNeeded: rest))
  }

  package mutating func signed(_ value: Int64) {
    unsigned(UInt64(bitPattern: (value << 1) ^ (value >> 63)))
  }

  package mutating func count(_ value: Int) {
    unsigned(UInt64(value))
  }

  package mutating func symbol(_ symbol: Symbol) {
    var code = symbol.code.littleEndian
    withUnsafeBytes(of: &code) { bytes.append(contentsOf: $0) }
  }

  package mutating func append(_ bytes: ArraySlice<UInt8>) {
    self.bytes.append(contentsOf: bytes)
  }

  package mutating func text(_ text: String) {
    let utf8 = text.utf8
    count(utf8.count)
    bytes.append(contentsOf: utf8)
  }
}
