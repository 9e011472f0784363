/// Values in sequence, each preceded by its length: the format that arrays and COPY rows share in
/// PostgreSQL's binary protocol. Numbers are big-endian.
struct PostgresCells: Sendable {
  /// All values, each preceded by its length; a length of -1 is a NULL.
  private(set) var bytes: [UInt8] = []
  /// The offset in `bytes` after each value.
  private(set) var ends: [Int] = []
  /// Whether at least one value is NULL.
  private(set) var hasNull = false

  var count: Int { ends.count }

  /// Returns the bytes of a value, preceded by its length.
  func cell(_ index: Int) -> ArraySlice<UInt8> {
    bytes[(index == 0 ? 0 : ends[index - 1])..<ends[index]]
  }

  mutating func addNull() {
    bytes.add(Int32(-1))
    ends.append(bytes.count)
    hasNull = true
  }

  /// - Precondition: the type is `bool` or an integer type that can hold the number.
  mutating func add(_ number: Int64, as type: PostgresType) {
    switch type {
    case .bool: add([number == 0 ? 0 : 1])
    case .int2: add(Int16(truncatingIfNeeded: number))
    case .int4: add(Int32(truncatingIfNeeded: number))
    default: add(number)
    }
  }

  private mutating func add(_ number: some FixedWidthInteger) {
    bytes.add(Int32(number.bitWidth / 8))
    bytes.add(number)
    ends.append(bytes.count)
  }

  mutating func add(_ value: [UInt8]) {
    bytes.add(Int32(truncatingIfNeeded: value.count))
    bytes += value
    ends.append(bytes.count)
  }

  mutating func add(_ text: String) {
    var text = PostgresText.storable(text)
    text.withUTF8 { utf8 in
      bytes.add(Int32(truncatingIfNeeded: utf8.count))
      bytes += utf8
    }
    ends.append(bytes.count)
  }
}

enum PostgresText {
  /// Returns the text with U+FFFD in place of U+0000, which PostgreSQL's texts cannot contain.
  static func storable(_ text: String) -> String {
    guard text.utf8.contains(0) else { return text }
    return String(
      String.UnicodeScalarView(text.unicodeScalars.map { $0 == "\0" ? "\u{fffd}" : $0 }))
  }
}

extension [UInt8] {
  /// Appends a number in the byte order of the network.
  mutating func add(_ number: some FixedWidthInteger) {
    Swift.withUnsafeBytes(of: number.bigEndian) { append(contentsOf: $0) }
  }
}
