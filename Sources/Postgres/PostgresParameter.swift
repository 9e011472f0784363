/// The value of a statement's parameter, in PostgreSQL's binary format.
package struct PostgresParameter: Sendable {
  /// The OID of the type.
  let type: UInt32
  /// The bytes of the value; nil for NULL.
  let bytes: [UInt8]?

  private init(type: UInt32, _ bytes: [UInt8]?) {
    (self.type, self.bytes) = (type, bytes)
  }

  package static func integer(_ number: Int64?) -> Self {
    Self(type: PostgresType.int8.rawValue, number.map(Self.bytes))
  }

  package static func integer(_ number: some BinaryInteger) -> Self {
    .integer(Int64(number) as Int64?)
  }

  package static func text(_ text: String?) -> Self {
    Self(
      type: PostgresType.text.rawValue, text.map { Array(PostgresText.storable($0).utf8) })
  }

  package static func integers(_ numbers: some Sequence<Int64>) -> Self {
    var cells = PostgresCells()
    for number in numbers { cells.add(number, as: .int8) }
    return Self(cells, of: .int8)
  }

  package static func texts(_ texts: some Sequence<String>) -> Self {
    var cells = PostgresCells()
    for text in texts { cells.add(text) }
    return Self(cells, of: .text)
  }

  /// Creates an array.
  ///
  /// - Parameter type: the type of the elements.
  init(_ cells: PostgresCells, of type: PostgresType) {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(cells.bytes.count + 20)
    // The number of dimensions; an empty array has none.
    bytes.add(Int32(cells.count == 0 ? 0 : 1))
    bytes.add(Int32(cells.hasNull ? 1 : 0))
    bytes.add(type.rawValue)
    if cells.count > 0 {
      bytes.add(Int32(truncatingIfNeeded: cells.count))
      // The lower bound of the indices.
      bytes.add(Int32(1))
      bytes += cells.bytes
    }
    self.init(type: type.array, bytes)
  }

  private static func bytes(_ number: Int64) -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.add(number)
    return bytes
  }
}

/// The column types in use, by their OIDs (pg_type.dat).
package enum PostgresType: UInt32, Sendable {
  case bool = 16
  case bytea = 17
  case int8 = 20
  case int2 = 21
  case int4 = 23
  case text = 25

  /// The OID of the array type.
  var array: UInt32 {
    switch self {
    case .bool: 1_000
    case .bytea: 1_001
    case .int2: 1_005
    case .int4: 1_007
    case .text: 1_009
    case .int8: 1_016
    }
  }

  /// The name of the type in SQL.
  package var name: String { "\(self)" }
}
