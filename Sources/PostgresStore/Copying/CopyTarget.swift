import Postgres
import Store

/// A table of a PostgreSQL store that is filled with copied rows in batches.
struct CopyTarget {
  /// The number of rows in a batch.
  private static let batchSize = 8_192

  private let table: PostgresTable
  private let isLane: Bool
  private let connection: PostgresConnection
  /// The rows of the next batch.
  private var rows: PostgresRows
  /// The number of rows that have been copied.
  private(set) var count = 0

  init(_ table: CopiedTable, _ connection: PostgresConnection) {
    (self.table, self.connection) = (table.target, connection)
    isLane = table == .lane
    rows = self.table.rows
  }

  /// Adds a row, and writes the batch if it is full.
  ///
  /// - Parameter shard: the shard of the row's recipient.
  mutating func add(_ row: CopiedRow, shard: Int64) throws {
    if table.isSharded { rows.add(shard) }
    // The number 0 stands for a single service, which owns all lanes and shards.
    if isLane { rows.add(0 as Int64?) }
    for value in row.values {
      switch value {
      case .null: rows.add(nil as Int64?)
      case .integer(let number): rows.add(number as Int64?)
      case .text(let text): rows.add(text as String?)
      case .bytes(let bytes): rows.add(bytes)
      }
    }
    if rows.count == Self.batchSize { try flush() }
  }

  /// Writes the rows that were added since the last batch.
  mutating func flush() throws {
    guard !rows.isEmpty else { return }
    try connection.copy(rows, to: table.target)
    count += rows.count
    rows = table.rows
  }
}

extension CopiedTable {
  fileprivate var target: PostgresTable {
    switch self {
    case .recipient: .recipient
    case .request: .request
    case .factBase: .factBase
    case .schedule: .schedule
    case .phone: .phone
    case .event: .event
    case .message: .message
    case .notification: .notification
    case .inbox: .inbox
    case .lane: .lane
    case .retry: .retry
    case .attempt: .attempt
    case .analytics: .analytics
    case .usage: .usage
    case .tombstone: .tombstone
    case .token: .token
    case .adoption: .adoption
    case .adoptedText: .adoptedText
    }
  }
}
