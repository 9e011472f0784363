import CivilTime
import Postgres
import Reminders
import Store

/// One unit of work, or one snapshot, on one connection.
///
/// Writes are sent without waiting for their results. The next query, or the end of the work, waits
/// for these results.
final class PostgresWork: StoreWriter {
  let connection: PostgresConnection
  /// The node as it was when this work began.
  let node: PostgresNode

  /// Whether to look up existing outcomes before writing new ones. If false, the server rejects a
  /// second outcome of an occurrence, at the commit at the latest.
  let looksForOutcomes: Bool

  /// The queries that were sent ahead to prefetch recipients, and whose results are not read yet.
  /// Each has the row numbers of its recipients.
  var prefetches: [(rows: [UInt32], question: PostgresConnection.Question)] = []
  /// Events that are added and not written yet.
  var arrivals = Arrivals()
  /// Analytics events that are appended and not written yet.
  var analyticsRows = PostgresWork.emptyAnalyticsRows
  /// For each identity hash that was looked up, the events on disk that have it.
  var knownEvents: [Int64: [KnownEvent]] = [:]
  /// The row numbers of the recipients that are admitted (given a row) and not saved yet.
  var admitted: Set<UInt32> = []
  /// The node's cache of message numbers, with the messages of this work.
  var messages: MessageCache
  /// The numbers that the node can still assign, after the assignments of this work.
  var numbers: NumberBlocks
  /// The number of the last notification recorded in this work; nil if there is none.
  var lastRecorded: Int64?
  /// The node's shards, with the changes of this work.
  var shards: OwnShards
  /// The shards of the recipients that were written.
  var writtenShards: Set<Int64> = []
  /// Whether this work has found an erasure in the store when it acquired shards.
  var hasTombstones = false
  /// The node's `erasureOpen` after the commit; nil if this work has erased no recipient.
  var uncommittedErasure: Instant?
  /// The number of erasures in this work.
  var erasures = 0
  /// Whether this work has changed anything.
  var hasWritten = false
  /// The error of a function that cannot throw; `finish` throws it.
  var failure: (any Error)?

  init(
    _ connection: PostgresConnection, _ node: PostgresNode,
    lookingForOutcomes looksForOutcomes: Bool = true
  ) {
    self.connection = connection
    self.node = node
    self.looksForOutcomes = looksForOutcomes
    (numbers, shards) = (node.numbers, node.shards)
    messages = node.messages
  }

  func query(
    _ statement: String, _ parameters: [PostgresParameter] = [],
    _ body: (PostgresRow) throws -> Void
  ) throws {
    try connection.query(statement, parameters, body)
  }

  /// Returns all rows of a result, converted by `body`.
  func rows<Value>(
    _ statement: String, _ parameters: [PostgresParameter] = [],
    _ body: (PostgresRow) throws -> Value
  ) throws -> [Value] {
    var values: [Value] = []
    try query(statement, parameters) { values.append(try body($0)) }
    return values
  }

  /// Sends a change. A failure is thrown later, by the next call that waits.
  func write(_ statement: String, _ parameters: [PostgresParameter] = []) throws {
    hasWritten = true
    try connection.send(statement, parameters)
  }

  /// The smallest number of rows for which COPY is faster than array parameters.
  private static let copiedCountMin = 512

  /// Adds whole rows to a table.
  func insert(_ rows: PostgresRows, into table: PostgresTable) throws {
    try insert(rows, to: table.target, by: table.insertion)
  }

  /// Adds rows to some columns of a table, by the faster of COPY and array parameters.
  ///
  /// - Parameters:
  ///   - target: the table with the columns of the rows.
  ///   - statement: a statement that inserts the rows from arrays.
  func insert(
    _ rows: PostgresRows, to target: String, by statement: @autoclosure () -> String
  ) throws {
    guard !rows.isEmpty else { return }
    hasWritten = true
    guard rows.count < Self.copiedCountMin else {
      return try connection.copy(rows, to: target)
    }
    try connection.send(statement(), rows.arrays)
  }

  /// Changes many rows, each with its own values.
  ///
  /// - Parameters:
  ///   - names: the names of the columns of `rows`, which the statement reads as the table `u`.
  ///   - statement: the statement up to the position of `u`; `rest` is the statement after it.
  func write(
    _ rows: PostgresRows, _ names: String, _ statement: String, _ rest: String
  ) throws {
    guard !rows.isEmpty else { return }
    try write("\(statement) \(rows.unnested) AS u(\(names)) \(rest)", rows.arrays)
  }

  // MARK: - Numbers

  /// Returns the next number of a block. Begins a new block if none is left.
  func next(_ block: WritableKeyPath<NumberBlocks, NumberBlock>) throws -> Int64 {
    try reserve(1, of: block)
    return numbers[keyPath: block].take()
  }

  /// Ensures that the block has this many consecutive numbers left.
  func reserve(_ count: Int, of block: WritableKeyPath<NumberBlocks, NumberBlock>) throws {
    guard !numbers[keyPath: block].has(count) else { return }
    try begin(block)
  }

  /// Begins a new block, whose numbers are higher than all that are already assigned.
  func begin(_ block: WritableKeyPath<NumberBlocks, NumberBlock>) throws {
    var number: Int64 = 0
    try query(numbers[keyPath: block].statement) { number = $0.integer(0) }
    numbers[keyPath: block].begin(number)
  }

  // MARK: - Finishing

  /// Writes all buffered rows, and checks that the node still owns the shards that it has written
  /// to.
  func finish() throws {
    if let failure { throw failure }
    try writeArrivals()
    // The statements below take locks for which other nodes wait, so they come last.
    try writeAnalytics()
    if let lastRecorded { try saveNote(latestNote, "\(lastRecorded)") }
    try guardShards()
  }

  /// The key of the note with the latest notification. Each node of a fleet has its own note, so
  /// that nodes do not wait for each other.
  private var latestNote: String {
    node.isFleet ? "\(Self.latestNote) \(node.incarnation)" : Self.latestNote
  }

  /// The key of the note of a single service. In a fleet, the note has the latest notification
  /// among those of removed nodes.
  static let latestNote = "latest notification"

  /// The public id of a notification.
  func identifier(of notification: Int64) -> String {
    NotificationID(node.instance, notification).description
  }
}
