import Store

/// Binds the values of a row to a statement that writes it, in the order of the columns.
struct RowBinder: RowWriter {
  private let statement: HotStatement
  /// The number of values bound so far.
  private var position: Int32 = 0
  /// The checksum of the values so far.
  private var sum = Checksum()

  init(_ statement: HotStatement) {
    self.statement = statement
  }

  mutating func put(integer: Int64) {
    sum.put(integer: integer)
    position += 1
    statement.bind(position, integer)
  }

  mutating func put(optionalInteger: Int64?) {
    sum.put(optionalInteger: optionalInteger)
    putWithoutChecksum(optionalInteger)
  }

  mutating func put(text: String) {
    sum.put(text: text)
    position += 1
    statement.bind(position, text)
  }

  mutating func put(optionalText: String?) {
    sum.put(optionalText: optionalText)
    position += 1
    if let optionalText {
      statement.bind(position, optionalText)
    } else {
      statement.bind(position, nil)
    }
  }

  mutating func put(bytes: [UInt8]) {
    sum.put(bytes: bytes)
    position += 1
    statement.bind(position, bytes)
  }

  /// Binds a value that the checksum does not cover.
  mutating func putWithoutChecksum(_ optionalInteger: Int64?) {
    position += 1
    statement.bind(position, optionalInteger)
  }

  /// Binds the checksum of the values so far.
  mutating func putChecksum() {
    position += 1
    statement.bind(position, sum.value)
  }

  /// Binds the checksum of the values so far and of the bytes, and then the bytes.
  mutating func putChecksum(covering bytes: [UInt8]) {
    sum.put(bytes: bytes)
    putChecksum()
    position += 1
    statement.bind(position, bytes)
  }
}

extension Checksum: RowWriter {
  mutating func put(integer: Int64) { add(integer) }
  mutating func put(optionalInteger: Int64?) { add(optionalInteger) }
  mutating func put(text: String) { add(text) }

  mutating func put(optionalText: String?) {
    add(optionalText == nil ? 0 : 1)
    add(optionalText ?? "")
  }

  mutating func put(bytes: [UInt8]) { add(bytes) }
}
