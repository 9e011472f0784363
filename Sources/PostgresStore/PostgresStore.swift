package import Access
package import CivilTime
import Postgres
package import Reminders
package import Store
import Synchronization

/// The state of the service in a PostgreSQL database, as one node works on it: the only one, or one
/// of several, each with shards of its own.
///
/// For the thread of the engine alone. Whatever is written is written as this node, which another
/// can fence; one connection writes, one transaction at a time. What is not known to be committed
/// ends the store: only reading it anew tells.
package final class PostgresStore: Store {
  private let database: PostgresDatabase
  private let connection: PostgresConnection
  private let snapshots: PostgresSnapshots
  private let key: UnsubscribeKey
  private var node: PostgresNode
  private let rowCleaner = NothingToClean()
  /// Why nothing is written any more.
  private var end: StoreError?
  /// How often a unit of work was begun anew.
  package private(set) var redone = 0

  package var instance: String { node.instance }
  package var lastNotification: Int64 { node.numbers.notification.last }
  /// How long commits took that had something to write, in seconds.
  package private(set) var commitTimes = Histogram(bounds: [
    0.000_25, 0.000_5, 0.001, 0.002_5, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 5,
  ])
  package var loss: StoreLoss? { nil }
  package var takesSubmissions: Bool { true }
  package var ownership: Ownership { node.ownership }
  /// The number of the node, under which others know it.
  package var incarnation: Int64 { node.incarnation }
  package var readers: any StoreSnapshots { snapshots }

  /// Opens a store that was made before.
  ///
  /// - Parameters:
  ///   - name: of the node, for people.
  ///   - membership: who is alone fences whoever had it.
  ///   - time: now.
  ///   - patience: how long to wait for a node that may have died to be gone.
  /// - Throws: what is wrong; `unusable` while somebody works on it who shares it with nobody.
  package init(
    _ database: PostgresDatabase, node name: String, _ membership: PostgresMembership = .alone,
    at time: Instant, patience: TimeSpan = .seconds(5)
  ) throws(StoreError) {
    self.database = database
    do {
      connection = try database.connect()
      let opening = NodeOpening(connection, database, name: name, membership)
      (node, key) = try opening.open(at: time, patience: patience)
      snapshots = PostgresSnapshots(database, node)
    } catch {
      throw StoreError(error, database: database.name)
    }
  }

  package func unsubscribeKey() -> UnsubscribeKey { key }

  // MARK: - Units of work

  package func commit<Value>(
    _ body: (any StoreWriter) throws -> Value
  ) throws(StoreError) -> Value {
    try work { try body($0) }
  }

  /// How often a unit of work is done in all that the server refuses because of what others do.
  private static let attemptsMax = 8

  private func work<Value>(_ body: (PostgresWork) throws -> Value) throws(StoreError) -> Value {
    if let end { throw end }
    var attempts = 0
    // Seldom there is an outcome already, and a look at each of a crowd takes its time.
    var looksForOutcomes = false
    while true {
      attempts += 1
      do {
        return try attempt(body, lookingForOutcomes: looksForOutcomes)
      } catch {
        let isLast = attempts == Self.attemptsMax
        guard !isLast, let refusal = error as? PostgresError else { throw failure(error) }
        let isSecondOutcome = !looksForOutcomes && refusal.isOfTwoRows
        guard isSecondOutcome || refusal.isOfOthers else { throw failure(error) }
        looksForOutcomes = looksForOutcomes || isSecondOutcome
        // Nothing of it was done, nor is there anything in memory of it.
        do { try connection.rollBack() } catch { throw failure(error) }
        redone += 1
      }
    }
  }

  private func attempt<Value>(
    _ body: (PostgresWork) throws -> Value, lookingForOutcomes looks: Bool
  ) throws -> Value {
    let work = PostgresWork(connection, node, lookingForOutcomes: looks)
    try connection.send("BEGIN")
    try connection.send("SELECT fence($1)", [.integer(node.incarnation)])
    let value = try body(work)
    try work.finish()
    try commit(work)
    node.adopt(work)
    rowCleaner.count(node.erasures)
    return value
  }

  private func commit(_ work: PostgresWork) throws(PostgresError) {
    // What only reads needs no sync of a disk.
    guard work.hasWritten else { return try connection.rollBack() }
    let start = ContinuousClock.now
    try connection.commit()
    commitTimes.observe((ContinuousClock.now - start) / .seconds(1))
  }

  private func failure(_ error: any Error) -> StoreError {
    let failure = StoreError(error, database: database.name)
    switch failure {
    case .commitUnknown, .notOwner: end = failure
    default: if (try? connection.rollBack()) == nil { end = failure }
    }
    return failure
  }

  package func shutDown() throws(StoreError) {
    snapshots.close()
    defer { end = end ?? .failed(reason: "the store is closed") }
    // The membership of a node resigns for it.
    guard end == nil, !node.isFleet else { return }
    do {
      try connection.send(
        "UPDATE node SET fenced = true WHERE incarnation = $1", [.integer(node.incarnation)])
      try connection.wait()
    } catch {
      throw StoreError(error, database: database.name)
    }
  }

  // MARK: - What is old, and who is erased

  package func prune(
    _ part: KeptPart, by age: Age, after place: Int64, limit: Int,
    keeping keeps: (StoredRecipient, Symbol, Int64) -> Bool
  ) throws(StoreError) -> Pruned {
    try work { try $0.prune(part, by: age, after: place, limit: limit, keeping: keeps) }
  }

  package var erasureOpen: Instant? { node.erasureOpen }

  package var cleaner: any StoreCleaner { rowCleaner }

  package func finishErasure() throws(StoreError) -> Bool {
    try endErasures(node.erasures)
    return true
  }

  package func endErasures(_ erasures: Int) throws(StoreError) {
    guard erasures == node.erasures, node.erasureOpen != nil else { return }
    try work { try $0.saveNote(PostgresWork.erasureNote, "") }
    node.erasureOpen = nil
  }
}

/// Rows go at once; their versions and the log go with PostgreSQL's own vacuum and retention. So it
/// only tells how many erasures there were, which another thread counts meanwhile.
private final class NothingToClean: StoreCleaner {
  private let erasures = Atomic(0)

  func count(_ erasures: Int) { self.erasures.store(erasures, ordering: .releasing) }

  func step() -> CleaningStep { .done(erasures: erasures.load(ordering: .acquiring)) }

  func abandon() {}
}
