import Postgres
import Store

/// A table of a PostgreSQL store that is filled with copied rows in batches.
struct CopyTarget {
  /// The number of rows of a batch.
  private static let batch = 8_192

  private let table: CopiedTable
  private let connection: PostgresConnection
  private var rows: PostgresRows
  private(set) var count = 0

  init(_ table: CopiedTable, _ connection: PostgresConnection) {
    (self.table, self.connection) = (table, connection)
    rows = PostgresRows(Self.types(of: table))
  }

  /// - Parameter shard: the shard of the row's recipient.
  mutating func add(_ row: CopiedRow, shard: Int64) throws {
    if table.hasShard { rows.add(shard) }
    if table == .lane { rows.add(0 as Int64?) }
    for value in row.values {
      switch value {
      case .null: rows.add(nil as Int64?)
      case .integer(let number): rows.add(number as Int64?)
      case .text(let text): rows.add(text as String?)
      case .bytes(let bytes): rows.add(bytes)
      }
    }
    if rows.count == Self.batch { try flush() }
  }

  mutating func flush() throws {
    guard !rows.isEmpty else { return }
    let own = (table.hasShard ? ["shard"] : []) + (table == .lane ? ["node"] : [])
    let columns = (own + table.columns).joined(separator: ", ")
    try connection.copy(rows, to: "\(table.rawValue) (\(columns))")
    count += rows.count
    rows = PostgresRows(Self.types(of: table))
  }

  private static func types(of table: CopiedTable) -> [PostgresType] {
    (table.hasShard ? [.int2] : []) + (table == .lane ? [.int8] : []) + table.types
  }
}

extension CopiedTable {
  /// Whether its rows have the shard of their recipient.
  var hasShard: Bool {
    switch self {
    case .recipient, .request, .schedule, .event, .notification, .inbox, .retry, .attempt: true
    case .message, .lane, .analytics, .usage, .tombstone, .token: false
    }
  }

  /// The types of its columns, in order.
  fileprivate var types: [PostgresType] {
    switch self {
    case .recipient: [.int8, .text, .int8, .bytea]
    case .request: [.int8, .int8, .bytea]
    case .schedule: Array(repeating: .int8, count: 8) + [.bytea]
    case .event:
      Array(repeating: .int8, count: 5) + [.bool, .int8, .text, .text, .text, .bytea]
    case .message: [.int8, .int8] + Array(repeating: .text, count: 7)
    case .notification:
      [.int8, .int8, .int8, .int8, .int2, .int8, .int8, .int8, .int2, .int2, .int4]
        + Array(repeating: .int8, count: 5) + [.int2, .int8]
    case .inbox: Array(repeating: .int8, count: 5)
    case .lane: [.text, .int8, .int2, .int8]
    case .retry: [.int8, .int2, .text, .int8, .int8, .text, .int8, .int8]
    case .attempt: [.int8, .int2, .int8, .text, .int8, .int2, .text, .text, .int8, .text]
    case .analytics: [.int8, .int8, .int8, .text, .bytea]
    case .usage: [.int8, .text, .int2, .int2, .text, .int2, .int8]
    case .tombstone: [.int8, .int8, .int8]
    case .token: [.text, .text, .text, .bytea, .int8, .int8, .int8, .int8]
    }
  }
}
