package import Access
package import CivilTime
import Postgres
package import Reminders
package import Store
import Synchronization

/// One node's access to a store in a PostgreSQL database. The node is the only one, or shares the
/// database with nodes that own other shards.
///
/// Only the engine's thread uses it. Everything is written in the name of this node. Other nodes
/// can fence it; its transactions then fail. One connection writes, one transaction at a time. If a
/// commit's result is unknown, the store ends, because only a newly opened store can read the
/// result.
package final class PostgresStore: Store {
  private let database: PostgresDatabase
  private let connection: PostgresConnection
  private let snapshots: PostgresSnapshots
  /// The key of links in notifications.
  private let key: LinkKey
  /// The node's state after the last unit of work.
  private var node: PostgresNode
  /// The cleaner, which has nothing to clean.
  private let noOpCleaner = NoOpCleaner()
  /// The error that ended the store; nil while it is open.
  private var endError: StoreError?
  /// How many times a unit of work was run again.
  package private(set) var unitRetryCount = 0

  package var instance: String { node.instance }
  package var lastNotification: Int64 { node.numbers.notification.last }
  /// The durations of commits that wrote something, in seconds.
  package private(set) var commitTimes = Histogram(bounds: [
    0.000_25, 0.000_5, 0.001, 0.002_5, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 5,
  ])
  package var loss: StoreLoss? { nil }
  package var acceptsSubmissions: Bool { true }
  package var ownership: Ownership { node.ownership }
  /// The number by which other nodes identify this one.
  package var incarnation: Int64 { node.incarnation }
  package var readers: any StoreSnapshots { snapshots }

  /// Opens an existing store.
  ///
  /// - Parameters:
  ///   - name: the node's name, for operators.
  ///   - membership: `alone` fences all nodes that used the store before.
  ///   - time: the current time.
  ///   - timeout: how long to wait for the session of a dead node to end.
  /// - Throws: the error; `unusable` while another process uses the store, unless both are nodes of
  ///   a fleet.
  package init(
    _ database: PostgresDatabase, node name: String, _ membership: PostgresMembership = .alone,
    at time: Instant, timeout: TimeSpan = .seconds(5)
  ) throws(StoreError) {
    self.database = database
    do {
      connection = try database.connect()
      let opening = NodeOpening(connection, database, name: name, membership)
      (node, key) = try opening.open(at: time, timeout: timeout)
      snapshots = PostgresSnapshots(database, node)
    } catch {
      throw StoreError(error, database: database.name)
    }
  }

  package func linkKey() -> LinkKey { key }

  // MARK: - Units of work

  package func commit<Value>(
    _ body: (any StoreWriter) throws -> Value
  ) throws(StoreError) -> Value {
    try runWork { try body($0) }
  }

  /// The maximum number of times that a unit of work is run, if the server rejects it because of
  /// concurrent transactions.
  private static let attemptsMax = 8

  /// Runs one unit of work, and runs it again after a conflict with another transaction.
  private func runWork<Value>(_ body: (PostgresWork) throws -> Value) throws(StoreError) -> Value {
    if let endError { throw endError }
    var attempts = 0
    // An outcome is rarely stored already, and looking for one takes time in a burst. So only the
    // next attempt after a duplicate key looks for stored outcomes.
    var looksForOutcomes = false
    while true {
      attempts += 1
      do {
        return try runOnce(body, lookingForOutcomes: looksForOutcomes)
      } catch {
        let isLast = attempts == Self.attemptsMax
        guard !isLast, let refusal = error as? PostgresError else { throw failure(error) }
        let isSecondOutcome = !looksForOutcomes && refusal.isDuplicateKey
        guard isSecondOutcome || refusal.isTransactionConflict else { throw failure(error) }
        looksForOutcomes = looksForOutcomes || isSecondOutcome
        // The transaction has changed neither the store nor the state in memory.
        do { try connection.rollBack() } catch { throw failure(error) }
        unitRetryCount += 1
      }
    }
  }

  private func runOnce<Value>(
    _ body: (PostgresWork) throws -> Value, lookingForOutcomes looksForOutcomes: Bool
  ) throws -> Value {
    let work = PostgresWork(connection, node, lookingForOutcomes: looksForOutcomes)
    try connection.send("BEGIN")
    try connection.send("SELECT fence($1)", [.integer(node.incarnation)])
    let value = try body(work)
    try work.finish()
    try commit(work)
    node.adopt(work)
    noOpCleaner.count(node.erasures)
    return value
  }

  private func commit(_ work: PostgresWork) throws(PostgresError) {
    // A transaction that has written nothing need not wait for the disk.
    guard work.hasWritten else { return try connection.rollBack() }
    let start = ContinuousClock.now
    try connection.commit()
    commitTimes.observe((ContinuousClock.now - start) / .seconds(1))
  }

  /// Converts the error of a unit of work, and ends the store if its state is unknown.
  private func failure(_ error: any Error) -> StoreError {
    let failure = StoreError(error, database: database.name)
    switch failure {
    case .commitUnknown, .notOwner: endError = failure
    default: if (try? connection.rollBack()) == nil { endError = failure }
    }
    return failure
  }

  package func shutDown() throws(StoreError) {
    snapshots.close()
    defer { endError = endError ?? .failed(reason: "the store is closed") }
    // In a fleet, the node resigns through its membership.
    guard endError == nil, !node.isFleet else { return }
    do {
      try connection.send(
        "UPDATE node SET fenced = true WHERE incarnation = $1", [.integer(node.incarnation)])
      try connection.wait()
    } catch {
      throw StoreError(error, database: database.name)
    }
  }

  // MARK: - Pruning and erasure

  package func prune(
    _ part: RetentionPart, by age: Age, after cursor: Int64, limit: Int,
    keeping keeps: (StoredRecipient, Symbol, Int64) -> Bool, folding fold: EventFolding
  ) throws(StoreError) -> Pruned {
    try runWork {
      try $0.prune(part, by: age, after: cursor, limit: limit, keeping: keeps, folding: fold)
    }
  }

  package var erasureOpen: Instant? { node.erasureOpen }

  package var cleaner: any StoreCleaner { noOpCleaner }

  package func finishErasure() throws(StoreError) -> Bool {
    try endErasures(node.erasures)
    return true
  }

  package func endErasures(_ erasures: Int) throws(StoreError) {
    guard erasures == node.erasures, node.erasureOpen != nil else { return }
    try runWork { try $0.saveNote(PostgresWork.erasureNote, "") }
    node.erasureOpen = nil
  }
}

/// A cleaner with nothing to clean, because rows are deleted at once. PostgreSQL's vacuum removes
/// their old versions, and PostgreSQL removes old parts of its write-ahead log. The cleaner only
/// reports the number of erasures, which another thread updates.
private final class NoOpCleaner: StoreCleaner {
  private let erasures = Atomic(0)

  func count(_ erasures: Int) { self.erasures.store(erasures, ordering: .releasing) }

  func step() -> CleaningStep { .done(erasures: erasures.load(ordering: .acquiring)) }

  func abandon() {}
}
