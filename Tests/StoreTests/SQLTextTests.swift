import GRDB
import Store
import TestSupport
import Testing

@testable import SQLiteStore

/// The SQL and the checksums of a SQLite store.
@Suite struct SQLTextTests {
  private let directory: TemporaryDirectory
  private let store: SQLiteStore

  init() throws {
    directory = try TemporaryDirectory.inMemory()
    try FilledStore().fill(directory)
    store = try SQLiteStore(directory: directory.path)
  }

  @Test func `the schema of SQLite is as expected`() throws {
    let objects = try store.withConnection {
      try String.fetchAll(
        $0,
        sql: "SELECT sql FROM sqlite_schema WHERE sql NOT NULL AND name NOT LIKE 'sqlite%'")
    }
    try ExpectedSQL("sqlite-schema").check(objects)
  }

  /// SQLite lists the statements that are prepared on a connection.
  @Test func `the statements of SQLite are as expected`() throws {
    let prepared = try store.withConnection {
      try String.fetchAll($0, sql: "SELECT DISTINCT sql FROM sqlite_stmt ORDER BY sql")
    }
    let statements = prepared.map(ExpectedSQL.line).filter {
      $0.starts(with: #/(?:SELECT|INSERT|REPLACE|UPDATE|DELETE|WITH) /#)
        && !$0.contains("sqlite_stmt")
    }
    try ExpectedSQL("sqlite-statements").check(statements.sorted())
  }

  /// The two values that a checksum covers for an optional integer: whether it is present, and the
  /// integer or 0.
  private static func optional(_ column: String) -> String {
    "\(column) IS NOT NULL, coalesce(\(column), 0)"
  }

  private static let checksums = [
    ("meta", "checksum", "key, value"),
    ("recipient", "checksum", "id, name, last_event"),
    ("recipient", "facts_checksum", "id, facts"),
    ("request", "checksum", "part, recipient, requests"),
    ("fact_base", "checksum", "recipient, \(optional("expiry")), base"),
    (
      "schedule", "checksum",
      "recipient, \(optional("due")), pending, head, recent, items, unread, cleared, progress"
    ),
    (
      "event", "checksum",
      "id, recipient, previous, time, is_time_given, received, source, identifier, type, data"
    ),
    (
      "message", "checksum",
      """
      id, reminder, category, title, body, details, members, discreet, discreet_channels,
        trace
      """
    ),
    (
      "notification", "checksum",
      """
      id, recipient, reminder, occurrence, channel_group, planned, at, expiry, outcome, channels,
        flags, trace, message, previous, leader, \(optional("dismissed")), fallback, round
      """
    ),
    ("inbox", "checksum", "recipient, item, message, at"),
    ("lane", "checksum", "sink, through, channels, last_dispatched"),
    (
      "retry", "checksum",
      "notification, channel, sink, attempts, due, reason, holder, deaths, withdrawn"
    ),
    (
      "attempt", "checksum",
      """
      notification, channel, number, sink, at, verdict, status IS NOT NULL, coalesce(status, ''),
        excerpt, \(optional("duration")), reason
      """
    ),
    ("adoption", "checksum", "at, catalogs, zones, settings"),
    ("adopted_text", "checksum", "catalogs, text"),
    (
      "token", "checksum",
      """
      id, name, scope, digest, created, \(optional("expiry")), \(optional("revoked")),
        \(optional("last_use"))
      """
    ),
  ]

  @Test(arguments: checksums)
  func `S7: a checksum covers the columns of its row in order`(
    table: String, checksum: String, values: String
  ) throws {
    let isIntact = try store.withConnection {
      try Bool.fetchAll($0, sql: "SELECT \(checksum) = row_sum(\(values)) FROM \(table)")
    }
    #expect(!isIntact.isEmpty && !isIntact.contains(false))
  }
}
