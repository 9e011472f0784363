import CivilTime
import Postgres
import Reminders
import Store

/// One unit of work, or one snapshot, on one connection.
///
/// What is written is sent without waiting for the answer: the next question waits for it, or the
/// end of the work.
final class PostgresWork: StoreWriter {
  let connection: PostgresConnection
  let node: PostgresNode

  /// Whether it is looked for outcomes on record before others are written. Where it is not, the
  /// server refuses a second outcome of an occurrence, sooner or later.
  let looksForOutcomes: Bool

  /// The recipients that are going to be read.
  var expected: [(rows: [UInt32], question: PostgresConnection.Question)] = []
  /// The events that were taken in and are not written yet.
  var arrivals = Arrivals()
  /// The analytics events that were appended and are not written yet.
  var measured = PostgresWork.noneMeasured
  /// What is on disk of the identities that were asked for.
  var known: [Int64: [KnownEvent]] = [:]
  /// Those who were admitted and are not saved yet.
  var admitted: Set<UInt32> = []
  var messages: MessageCache
  var numbers: NumberBlocks
  /// The last notification that was recorded in this work.
  var latest: Int64?
  var shards: OwnShards
  /// The shards of the recipients that were written.
  var touched: Set<Int64> = []
  /// Whether it has been found that somebody was erased.
  var hasTombstones = false
  /// When somebody was erased in this work, and how many were.
  var erased: Instant?
  var erasures = 0
  var hasWritten = false
  /// What went wrong where nothing can be said of it; thrown at the end.
  var failure: (any Error)?

  init(
    _ connection: PostgresConnection, _ node: PostgresNode, lookingForOutcomes looks: Bool = true
  ) {
    self.connection = connection
    self.node = node
    looksForOutcomes = looks
    (numbers, shards) = (node.numbers, node.shards)
    messages = node.messages
  }

  func query(
    _ statement: String, _ parameters: [PostgresParameter] = [],
    _ body: (PostgresRow) throws -> Void
  ) throws {
    try connection.query(statement, parameters, body)
  }

  /// All rows of an answer, each as something.
  func rows<Value>(
    _ statement: String, _ parameters: [PostgresParameter] = [],
    _ body: (PostgresRow) throws -> Value
  ) throws -> [Value] {
    var values: [Value] = []
    try query(statement, parameters) { values.append(try body($0)) }
    return values
  }

  /// Changes something; the answer says only whether that was done.
  func write(_ statement: String, _ parameters: [PostgresParameter] = []) throws {
    hasWritten = true
    try connection.send(statement, parameters)
  }

  /// From so many rows on, a COPY takes less time than arrays do.
  private static let copiedCountMin = 512

  /// Adds rows to a table.
  ///
  /// - Parameter columns: in the order of the rows'.
  func insert(_ rows: PostgresRows, into table: String, _ columns: String) throws {
    guard !rows.isEmpty else { return }
    hasWritten = true
    guard rows.count < Self.copiedCountMin else {
      return try connection.copy(rows, to: "\(table) (\(columns))")
    }
    try connection.send(
      "INSERT INTO \(table) (\(columns)) SELECT * FROM \(rows.unnested)", rows.arrays)
  }

  /// Changes many rows by what is given for each.
  ///
  /// - Parameters:
  ///   - names: of the columns of `rows`, which is called `u`.
  ///   - statement: up to where `u` is taken from.
  func write(
    _ rows: PostgresRows, _ names: String, _ statement: String, _ rest: String
  ) throws {
    guard !rows.isEmpty else { return }
    try write("\(statement) \(rows.unnested) AS u(\(names)) \(rest)", rows.arrays)
  }

  // MARK: - Numbers

  /// A number of one of the blocks.
  func next(_ block: WritableKeyPath<NumberBlocks, NumberBlock>) throws -> Int64 {
    try reserve(1, of: block)
    return numbers[keyPath: block].take()
  }

  /// Sees to it that so many numbers follow one another without a break.
  func reserve(_ count: Int, of block: WritableKeyPath<NumberBlocks, NumberBlock>) throws {
    guard !numbers[keyPath: block].has(count) else { return }
    try begin(block)
  }

  /// Goes on in a fresh block, whose numbers are above all that were given out before.
  func begin(_ block: WritableKeyPath<NumberBlocks, NumberBlock>) throws {
    var number: Int64 = 0
    try query(numbers[keyPath: block].statement) { number = $0.integer(0) }
    numbers[keyPath: block].begin(number)
  }

  // MARK: - Its end

  /// Writes what has been gathered.
  func finish() throws {
    if let failure { throw failure }
    try writeArrivals()
    // Others wait for it from here on.
    try writeAnalytics()
    if let latest { try saveNote(latestNote, "\(latest)") }
    try guardShards()
  }

  /// The number of the latest notification. Nodes do not wait for one another to note theirs.
  private var latestNote: String {
    node.isFleet ? "\(Self.latestNote) \(node.incarnation)" : Self.latestNote
  }

  static let latestNote = "latest notification"

  /// What a notification of this store is called outside.
  func identifier(of notification: Int64) -> String {
    NotificationID(node.instance, notification).description
  }
}
