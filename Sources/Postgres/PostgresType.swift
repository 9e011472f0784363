/// The types of columns that we use, by what PostgreSQL numbers them (pg_type.dat).
package enum PostgresType: UInt32, Sendable {
  case bool = 16
  case bytea = 17
  case int8 = 20
  case int2 = 21
  case int4 = 23
  case text = 25

  /// The number of the type of its arrays.
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

  /// How SQL calls it.
  package var name: String { "\(self)" }
}
