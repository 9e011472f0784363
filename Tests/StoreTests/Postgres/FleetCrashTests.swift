import Fleet
import Postgres
import PostgresServer
import PostgresStore
import Reminders
import Store
import Testing

/// Rule D9 in a fleet: when the end of a node's process counts as a crash for its deliveries in
/// flight.
@Suite(.enabled(if: PostgresServer.isAvailable, Comment(rawValue: PostgresServer.comment)))
struct FleetCrashTests {
  private let allShards = Set(0..<FleetStage.shardCount)

  /// Lets a node record and dispatch a delivery, which is its only one.
  ///
  /// - Returns: the number of its notification.
  private func dispatchOne(by name: String, _ stage: FleetStage) throws -> Int64 {
    try stage.acquire(allShards, by: name)
    let recipient = try stage.recipientName(in: 3)
    try stage.take("1", of: recipient, by: name)
    let number = try stage.record(1, of: recipient, by: name)
    try stage.saveProgress(lastDispatched: number, by: name)
    return number
  }

  private func dispatchRetries(by name: String, _ stage: FleetStage) throws {
    try stage[name].commit { transaction in
      var changes = DeliveryChanges()
      let due = try transaction.dueRetries(of: "one", now: Fixtures.noon, limit: 100) { _ in .max }
      for retry in due { changes.dispatch(retry.delivery) }
      try transaction.save(changes)
    }
  }

  /// The number of crashes of each suspect of a node.
  private func deaths(_ name: String, _ stage: FleetStage) throws -> [Int] {
    try stage[name].commit { try $0.suspects(deaths: 1).map(\.deaths) }
  }

  @Test func `D9: a crash that others counted is reverted when the process joins again`() throws {
    let stage = try FleetStage("a", "b", "c", "d")
    let number = try dispatchOne(by: "a", stage)
    let incarnations = try ["a", "b"].map { try stage[$0].incarnation }
    try stage.dropAndEvict("a")
    #expect(try stage.acquire(allShards, by: "b").crashed == allShards)
    #expect(try deaths("b", stage) == [1])
    try dispatchRetries(by: "b", stage)
    try stage.dropAndEvict("b")
    try stage.acquire(allShards, by: "c")
    #expect(try deaths("c", stage) == [2])
    // The process of the first node is running, and the process of the second has crashed.
    #expect(try !stage.evict(incarnations[0], .own))
    #expect(try deaths("c", stage) == [1])
    // A node reverts its own crash, and only once.
    #expect(try !stage.evict(incarnations[0], .own))
    #expect(try deaths("c", stage) == [1])
    try dispatchRetries(by: "c", stage)
    try stage.dropAndEvict("c")
    try stage.acquire(allShards, by: "d")
    #expect(try deaths("d", stage) == [2])
    #expect(try !stage.evict(incarnations[1], .own))
    #expect(try deaths("d", stage) == [1])
    #expect(try stage.dueRetries(for: "d") == [number])
  }

  @Test func `D9: nodes that are replaced and join again quarantine nothing`() throws {
    let stage = try FleetStage("0")
    let number = try dispatchOne(by: "0", stage)
    for round in 1...4 {
      let incarnation = try stage["\(round - 1)"].incarnation
      try stage.join("\(round)")
      try stage.dropAndEvict("\(round - 1)")
      try stage.acquire(allShards, by: "\(round)")
      #expect(try deaths("\(round)", stage) == [1])
      #expect(try !stage.evict(incarnation, .own))
      #expect(try deaths("\(round)", stage) == [])
      #expect(try stage.dueRetries(for: "\(round)") == [number])
      try dispatchRetries(by: "\(round)", stage)
    }
  }

  /// Drops and evicts a node that has a delivery in flight.
  ///
  /// A second node acquires the delivery. Its sink answers that the delivery must be retried, and
  /// the retry is in flight again.
  ///
  /// - Returns: the incarnation of the evicted node.
  private func dispatchAfterAnswer(_ first: String, _ second: String, _ stage: FleetStage) throws
    -> Int64
  {
    _ = try dispatchOne(by: first, stage)
    let incarnation = try stage[first].incarnation
    try stage.dropAndEvict(first)
    try stage.acquire(allShards, by: second)
    try stage[second].commit { transaction in
      let suspect = try #require(try transaction.suspects(deaths: 1).first)
      var changes = DeliveryChanges()
      let retry = Retry(sink: "one", delivery: suspect.delivery, attempts: suspect.attempts + 1)
      changes.wait(retry, due: Fixtures.noon, reason: "later")
      try transaction.save(changes)
    }
    try dispatchRetries(by: second, stage)
    return incarnation
  }

  @Test func `D9: an answered delivery keeps the crashes that are counted later`() throws {
    let stage = try FleetStage("a", "b", "c")
    let incarnation = try dispatchAfterAnswer("a", "b", stage)
    try stage.dropAndEvict("b")
    try stage.acquire(allShards, by: "c")
    #expect(try !stage.evict(incarnation, .own))
    #expect(try deaths("c", stage) == [1])
  }

  @Test func `D9: a node alone counts crashes as nodes of a fleet do`() throws {
    let stage = try FleetStage("a", "b")
    let incarnation = try dispatchAfterAnswer("a", "b", stage)
    try stage.drop("b")
    let alone = try PostgresStore.opening(stage.database)
    #expect(try alone.commit { try $0.suspects(deaths: 1).map(\.deaths) } == [1])
    #expect(try !stage.evict(incarnation, .own))
    #expect(try alone.commit { try $0.suspects(deaths: 1).map(\.deaths) } == [1])
  }

  @Test func `H4: an erased recipient leaves no record of a crash`() throws {
    let stage = try FleetStage("a", "b")
    _ = try dispatchOne(by: "a", stage)
    try stage.dropAndEvict("a")
    try stage.acquire(allShards, by: "b")
    let connection = try PostgresConnection(stage.database.location)
    func crashes() throws -> Int64? {
      var count: Int64?
      try connection.query("SELECT count(*) FROM chimed.crash") { count = $0.integer(0) }
      return count
    }
    #expect(try crashes() == 1)
    let name = try stage.recipientName(in: 3)
    try stage["b"].commit { transaction in
      let stored = try #require(try transaction.recipient(named: name))
      try transaction.erase(stored, at: Fixtures.noon)
    }
    #expect(try crashes() == 0)
  }
}
