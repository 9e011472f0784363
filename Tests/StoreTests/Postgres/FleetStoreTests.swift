import CivilTime
import Fleet
import Foundation
import Postgres
import PostgresServer
import PostgresStore
import Reminders
import Store
import Testing

/// Several nodes on one store: ownership of shards, and their transfer.
@Suite(.enabled(if: PostgresServer.isAvailable, Comment(rawValue: PostgresServer.comment)))
struct FleetStoreTests {
  private let allShards = Set(0..<FleetStage.shardCount)

  @Test func `a node owns no shard until it acquires one`() throws {
    let stage = try FleetStage("a", "b")
    #expect(try stage["a"].ownership == .shards([]))
    #expect(try stage.acquire([0, 1, 2], by: "a").shards == [0, 1, 2])
    #expect(try stage.acquire(allShards, by: "b").shards == [3, 4, 5, 6, 7])
    #expect(try stage["a"].ownership == .shards([0, 1, 2]))
    #expect(try stage["b"].ownership == .shards([3, 4, 5, 6, 7]))
    #expect(try stage.view.shards.map(\.tenure.epoch) == Array(repeating: 0, count: 8))
  }

  @Test func `the guard refuses a write to another node's shard`() throws {
    let stage = try FleetStage("a", "b")
    try stage.acquire([0], by: "a")
    try stage.acquire([1], by: "b")
    let other = try stage.recipientName(in: 1)
    try stage.take("1", of: other, by: "b")
    let error = #expect(throws: StoreError.self) { try stage.take("2", of: other, by: "a") }
    guard case .notOwner? = error else { throw Unexpected() }
    // A node that was wrong about one shard may be wrong about others.
    #expect(throws: StoreError.self) { try stage["a"].commit { try $0.lanes() } }
    #expect(try stage["b"].commit { try $0.match(Fixtures.event("2"), at: nil) }.isNew)
  }

  /// The ownership in the store counts, not the node's own view.
  @Test func `the guard checks ownership in the store`() throws {
    let stage = try FleetStage("a")
    try stage.acquire(allShards, by: "a")
    let name = try stage.recipientName(in: 2)
    try stage.take("1", of: name, by: "a")
    let number = try stage.record(1, of: name, by: "a")
    try PostgresConnection(stage.database.location)
      .run(script: "UPDATE chimed.shard SET epoch = epoch + 1 WHERE shard = 2")
    let error = #expect(throws: StoreError.self) { try stage.record(2, of: name, by: "a") }
    guard case .notOwner? = error else { throw Unexpected() }
    try stage.join("b")
    #expect(try stage["b"].readers.read { try $0.notifications([number, number + 1]) }.count == 1)
  }

  @Test func `changes by a notification's number are guarded too`() throws {
    let stage = try FleetStage("a", "b")
    try stage.acquire([0], by: "a")
    try stage.acquire([1], by: "b")
    let name = try stage.recipientName(in: 1)
    try stage.take("1", of: name, by: "b")
    let number = try stage.record(1, of: name, by: "b")
    let error = #expect(throws: StoreError.self) {
      var changes = DeliveryChanges()
      changes.settle(number, outcome: .dropped, trace: GateTrace())
      try stage["a"].commit { try $0.save(changes) }
    }
    guard case .notOwner? = error else { throw Unexpected() }
  }

  @Test func `an evicted node writes nothing and is shown as gone`() throws {
    let stage = try FleetStage("a", "b")
    try stage.acquire(allShards, by: "a")
    let incarnation = try stage["a"].incarnation
    #expect(try stage.sendHeartbeat(incarnation))
    #expect(try stage.view.nodes.allSatisfy { $0.isConnected && !$0.isFenced })
    #expect(try stage.evict(incarnation))
    #expect(try !stage.sendHeartbeat(incarnation))
    let gone = try stage.view.nodes.first { $0.incarnation.number == incarnation }
    #expect(gone?.isConnected == false && gone?.isFenced == true)
    #expect(throws: StoreError.self) { try stage.take("1", of: "r1", by: "a") }
    #expect(try stage.acquire(allShards, by: "b").shards == allShards)
    #expect(try stage.view.shards.map(\.tenure.epoch) == Array(repeating: 1, count: 8))
  }

  /// Deliveries up to the lane's cursor are answered; later ones that were dispatched may have been
  /// sent.
  @Test func `a dead node's unanswered deliveries become retries`() throws {
    let stage = try FleetStage("a", "b")
    try stage.acquire(allShards, by: "a")
    let name = try stage.recipientName(in: 3)
    try stage.take("1", of: name, by: "a")
    let numbers = try (1...4).map { try stage.record($0, of: name, by: "a") }
    try stage.saveProgress(cursor: numbers[1], lastDispatched: numbers[2], by: "a")
    try stage.dropAndEvict("a")
    let acquired = try stage.acquire(allShards, by: "b")
    #expect(acquired.orphans == ["one": 2] && acquired.crashed == allShards)
    #expect(try stage.dueRetries(for: "b") == Array(numbers[2...]))
    #expect(try stage.laneNotifications(for: "b") == [])
    let suspects = try stage["b"].commit { try $0.suspects(deaths: 1) }
    #expect(suspects.map(\.delivery.notification) == [numbers[2]])
    // No retry is created twice.
    try stage.dropAndEvict("b")
    try stage.join("c")
    #expect(try stage.acquire(allShards, by: "c").orphans == [:])
    #expect(try stage.dueRetries(for: "c") == Array(numbers[2...]))
  }

  @Test func `a dead node's retries in flight are due again`() throws {
    let stage = try FleetStage("a", "b")
    try stage.acquire(allShards, by: "a")
    let name = try stage.recipientName(in: 3)
    try stage.take("1", of: name, by: "a")
    let number = try stage.record(1, of: name, by: "a")
    try stage.saveProgress(cursor: number, by: "a")
    let delivery = try stage["a"].commit {
      try $0.deliveries(after: 0, limit: 1, on: .all).deliveries[0]
    }
    var changes = DeliveryChanges()
    let retry = Retry(sink: "one", delivery: delivery, attempts: 1)
    changes.wait(retry, due: Fixtures.noon, reason: "")
    changes.dispatch(delivery)
    try stage["a"].commit { try $0.save(changes) }
    #expect(try stage.dueRetries(for: "a") == [])
    try stage.dropAndEvict("a")
    #expect(try stage.acquire(allShards, by: "b").orphans == ["one": 1])
    #expect(try stage.dueRetries(for: "b") == [number])
    #expect(try stage["b"].commit { try $0.suspects(deaths: 1) }.count == 1)
  }

  /// - Parameter isEvicted: whether another node evicts the earlier incarnation first.
  @Test(arguments: [false, true])
  func `D9: deliveries in flight of a process that joins again are no suspects`(isEvicted: Bool)
    throws
  {
    let stage = try FleetStage("a", "b")
    try stage.acquire(allShards, by: "a")
    let name = try stage.recipientName(in: 3)
    try stage.take("1", of: name, by: "a")
    let numbers = try (1...2).map { try stage.record($0, of: name, by: "a") }
    try stage.saveProgress(cursor: numbers[0], lastDispatched: numbers[1], by: "a")
    var changes = DeliveryChanges()
    let delivery = try stage["a"].commit {
      try $0.deliveries(after: 0, limit: 1, on: .all).deliveries[0]
    }
    let retry = Retry(sink: "one", delivery: delivery, attempts: 1)
    changes.wait(retry, due: Fixtures.noon, reason: "")
    changes.dispatch(delivery)
    try stage["a"].commit { try $0.save(changes) }
    let incarnation = try stage["a"].incarnation
    try stage.drop("a")
    if isEvicted { #expect(try stage.evict(incarnation, .gone)) }
    #expect(try stage.evict(incarnation, .own) == !isEvicted)
    let acquired = try stage.acquire(allShards, by: "b")
    #expect(acquired.orphans == ["one": 2] && acquired.crashed.isEmpty)
    #expect(try stage.dueRetries(for: "b") == numbers)
    #expect(try stage["b"].commit { try $0.suspects(deaths: 1) }.isEmpty)
  }

  @Test func `an orderly release of a shard leaves no orphans`() throws {
    let stage = try FleetStage("a", "b")
    try stage.acquire(allShards, by: "a")
    let (name, other) = (try stage.recipientName(in: 3), try stage.recipientName(in: 4))
    for person in [name, other] { try stage.take("1 \(person)", of: person, by: "a") }
    let numbers = try (1...3).map { try stage.record($0, of: name, by: "a") }
    let otherNumber = try stage.record(1, of: other, by: "a")
    // The sink has answered the first delivery and still has the second.
    try stage.saveProgress(cursor: numbers[0], lastDispatched: numbers[1], by: "a")
    try stage["a"].commit {
      try $0.retire([3], behind: ["one": numbers[1]], now: Fixtures.noon)
    }
    #expect(try stage.dueRetries(for: "a") == [])
    #expect(try stage.laneNotifications(for: "a") == [otherNumber])
    try stage.release([3], by: "a")
    #expect(try stage["a"].ownership == .shards(allShards.subtracting([3])))
    #expect(try stage.acquire([3], by: "b").orphans == [:])
    #expect(try stage.dueRetries(for: "b") == [numbers[2]])
    #expect(throws: StoreError.self) { try stage.record(9, of: name, by: "a") }
  }

  /// Prepares the release of a shard with three notifications: the first is answered, and the
  /// second is in flight.
  private func prepareRelease(
    of shard: Int, by node: String, on stage: FleetStage
  ) throws -> (name: String, numbers: [Int64]) {
    try stage.acquire(allShards, by: node)
    let name = try stage.recipientName(in: shard)
    try stage.take("1", of: name, by: node)
    let numbers = try (1...3).map { try stage.record($0, of: name, by: node) }
    try stage.saveProgress(cursor: numbers[0], lastDispatched: numbers[1], by: node)
    try stage[node].commit {
      try $0.retire([shard], behind: ["one": numbers[1]], now: Fixtures.noon)
    }
    return (name, numbers)
  }

  /// A node that crashes during a release also leaves behind its delivery in flight.
  @Test func `an interrupted release loses nothing`() throws {
    let stage = try FleetStage("a", "b")
    let (_, numbers) = try prepareRelease(of: 3, by: "a", on: stage)
    try stage.dropAndEvict("a")
    try stage.acquire(allShards, by: "b")
    #expect(try stage.dueRetries(for: "b") == Array(numbers[1...]))
  }

  // MARK: - Between two steps

  /// The lanes of the previous owner still hold the deliveries of a shard that is only claimed.
  @Test func `a claimed shard is not the node's until it is acquired`() throws {
    let stage = try FleetStage("a", "b")
    try stage.acquire(allShards, by: "a", plan: "old")
    try stage["a"].commit { try $0.save(plan: "old") }
    let name = try stage.recipientName(in: 3)
    try stage.take("1", of: name, by: "a")
    let number = try stage.record(1, of: name, by: "a")
    try stage.dropAndEvict("a")
    try stage.acquire([0], by: "b", plan: "new")
    try stage.membership(of: "b").claim(allShards)
    #expect(try stage["b"].ownership == .shards([0]))
    #expect(try stage.laneNotifications(for: "b") == [])
    #expect(throws: StoreError.self) { try stage.take("2", of: name, by: "b") }
    try stage.dropAndEvict("b")
    try stage.join("c")
    try stage.acquire([0], by: "c", plan: "new")
    try stage.membership(of: "c").claim(allShards)
    try stage["c"].commit { try $0.save(plan: "new") }
    let acquired = try stage.acquireClaimed(allShards, by: "c", plan: "new")
    #expect(acquired.shards == allShards.subtracting([0]))
    #expect(acquired.stale == allShards.subtracting([0]))
    #expect(acquired.orphans == ["one": 1])
    #expect(try stage.dueRetries(for: "c") == [number])
  }

  /// A node that crashes after a claim leaves the claimed shards unchanged.
  @Test func `a claim without acquisition loses nothing`() throws {
    let stage = try FleetStage("a", "b", "c")
    try stage.acquire(allShards, by: "a")
    let name = try stage.recipientName(in: 3)
    try stage.take("1", of: name, by: "a")
    let numbers = try (1...3).map { try stage.record($0, of: name, by: "a") }
    try stage.saveProgress(cursor: numbers[0], lastDispatched: numbers[1], by: "a")
    // The stop of the node was orderly, so its deliveries in flight are no suspects.
    try stage["a"].commit { try $0.recordStop() }
    try stage.dropAndEvict("a")
    try stage.membership(of: "b").claim(allShards)
    try stage.dropAndEvict("b")
    #expect(try stage.acquire(allShards, by: "c").orphans == ["one": 2])
    #expect(try stage.dueRetries(for: "c") == Array(numbers[1...]))
    #expect(try stage["c"].commit { try $0.suspects(deaths: 1) }.isEmpty)
  }

  @Test func `acquiring a shard twice has the same effect as once`() throws {
    let stage = try FleetStage("a")
    try stage.acquire(allShards, by: "a")
    let name = try stage.recipientName(in: 3)
    try stage.take("1", of: name, by: "a")
    let number = try stage.record(1, of: name, by: "a")
    let again = try stage.acquireClaimed(allShards, by: "a")
    #expect(again == Acquisition())
    #expect(try stage.dueRetries(for: "a") == [])
    #expect(try stage.laneNotifications(for: "a") == [number])
  }

  /// A node that detaches a shard, and crashes before the shard is freed, leaves only deliveries
  /// that no sink has.
  @Test func `a detached shard that is not yet free loses nothing`() throws {
    let stage = try FleetStage("a", "b")
    let (name, numbers) = try prepareRelease(of: 3, by: "a", on: stage)
    try stage["a"].commit { try $0.release([3]) }
    #expect(throws: StoreError.self) { try stage.take("2", of: name, by: "a") }
    #expect(try stage.view.shards[3].owner != nil)
    try stage.dropAndEvict("a")
    #expect(try stage.acquire([3], by: "b").orphans == [:])
    #expect(try stage.dueRetries(for: "b") == [numbers[2]])
  }

  /// An evicted node, or one that never joined, cannot open a store.
  @Test func `a node that is not a member cannot open the store`() throws {
    let stage = try FleetStage("a")
    let membership = try Membership.joining(stage.database, as: "b")
    #expect(try stage.evict(membership.incarnation.number))
    let error = #expect(throws: StoreError.self) {
      _ = try PostgresStore.joining(membership, named: "b")
    }
    guard case .notOwner? = error else { throw Unexpected() }
  }

  /// The end of the engine's store does not end the membership, which resigns separately.
  @Test func `a store that is shut down leaves the node a member`() throws {
    let stage = try FleetStage("a", "b")
    try stage.acquire(allShards, by: "a")
    let incarnation = try stage["a"].incarnation
    try stage["a"].shutDown()
    #expect(try stage.sendHeartbeat(incarnation))
    #expect(throws: StoreError.self) { try stage["a"].commit { try $0.lanes() } }
    let resigning = FleetStatement.resign(Incarnation(incarnation))
    guard case .answered(.resigned) = try stage.membership(of: "a").carryOut(resigning) else {
      throw Unexpected()
    }
    #expect(try stage.acquire(allShards, by: "b").shards == allShards)
  }

  /// Numbers of several nodes interleave, but those of one recipient ascend.
  @Test func `numbers ascend for each recipient`() throws {
    let stage = try FleetStage("a", "b")
    try stage.acquire([0, 1], by: "a")
    try stage.acquire([2], by: "b")
    let (first, second) = (try stage.recipientName(in: 0), try stage.recipientName(in: 2))
    var events: [Int64] = []
    var notifications: [Int64] = []
    for (index, owner) in ["a", "b", "a", "b"].enumerated() {
      events.append(try stage.take("\(index)", of: first, by: owner))
      notifications.append(try stage.record(Int64(index), of: first, by: owner))
      // Meanwhile the other node uses further numbers.
      if index == 0 { try stage.take("other", of: second, by: "b") }
      try stage.record(Int64(index), of: second, by: "b")
      try stage[owner].commit { try $0.retire([0], behind: ["one": 0], now: Fixtures.noon) }
      try stage.release([0], by: owner)
      try stage.acquire([0], by: owner == "a" ? "b" : "a")
    }
    #expect(events == events.sorted())
    #expect(notifications == notifications.sorted())
    let row = try stage["a"].readers.read { try #require(try $0.recipient(named: first)).row }
    let chain = try stage["a"].readers.read {
      try $0.chain(of: row, from: nil, downTo: 0, limit: 100)
    }
    #expect(chain.numbers == notifications.reversed())
  }

  @Test func `a shard with another plan is acquired as stale`() throws {
    let stage = try FleetStage("a", "b")
    try stage.acquire(allShards, by: "a", plan: "old")
    try stage["a"].commit { try $0.save(plan: "old") }
    #expect(try stage["a"].readers.read { try $0.plan() } == "old")
    for shards in [Set([0, 1]), [2]] {
      try stage["a"].commit { try $0.retire(shards, behind: [:], now: Fixtures.noon) }
      try stage.release(shards, by: "a")
    }
    #expect(try stage.acquire([0, 1], by: "b", plan: "new").stale == [0, 1])
    #expect(try stage.acquire([2], by: "b", plan: "old").stale == [])
    try stage["b"].commit { try $0.save(plan: "new") }
    #expect(try stage["b"].readers.read { try $0.plan() } == nil)
  }

  @Test func `a dead node's lanes are removed with its last shard`() throws {
    let stage = try FleetStage("a", "b")
    try stage.acquire(allShards, by: "a")
    let name = try stage.recipientName(in: 3)
    try stage.take("1", of: name, by: "a")
    let number = try stage.record(1, of: name, by: "a")
    try stage.dropAndEvict("a")
    func laneCount() throws -> Int64 {
      var count: Int64 = 0
      try PostgresConnection(stage.database.location).query(
        "SELECT count(*) FROM chimed.lane"
      ) { count = $0.integer(0) }
      return count
    }
    try stage.acquire([0, 1, 2], by: "b")
    #expect(try laneCount() == 2)
    try stage.acquire(allShards, by: "b")
    #expect(try laneCount() == 1)
    #expect(try stage.view.nodes.count == 1)
    // The last number that the dead node used is still known.
    let readers = try stage["b"].readers
    #expect(try readers.read { try $0.latestNotification() } == number)
    #expect(try readers.read { try $0.note("latest notification") } == "\(number)")
  }

  @Test func `a node alone and a fleet exclude each other`() throws {
    let stage = try FleetStage("a")
    let alone = #expect(throws: StoreError.self) {
      _ = try PostgresStore.opening(stage.database, timeout: .milliseconds(1))
    }
    #expect("\(try #require(alone))".contains("another chimed works on it"))
    try stage.acquire(allShards, by: "a")
    let name = try stage.recipientName(in: 3)
    try stage.take("1", of: name, by: "a")
    let number = try stage.record(1, of: name, by: "a")
    try stage.drop("a")
    // The next process finds the retries of the fleet's node.
    let single = try PostgresStore.opening(stage.database)
    #expect(single.ownership == .all)
    let due = try single.commit {
      try $0.dueRetries(of: "one", now: Fixtures.noon, limit: 9) { _ in .max }
    }
    #expect(due.map(\.delivery.notification) == [number])
    #expect(try single.commit { try $0.deliveries(after: 0, limit: 9, on: .all) }.deliveries == [])
    #expect(throws: StoreError.self) { try stage.join("b") }
  }

  @Test func `rows are pruned shard by shard`() throws {
    let stage = try FleetStage("a", "b")
    try stage.acquire([0, 1], by: "a")
    try stage.acquire([2], by: "b")
    for shard in 0..<3 {
      let name = try stage.recipientName(in: shard)
      try stage.take("\(shard)", of: name, by: shard == 2 ? "b" : "a")
    }
    let age = Age(before: Fixtures.noon + .days(1), now: Fixtures.noon + .days(2))
    var (cursor, removed, steps) = (0 as Int64?, 0, 0)
    while let next = cursor {
      let pruned = try stage["a"].prune(.events, by: age, after: next, limit: 10) { _, _, _ in
        false
      }
      (cursor, removed, steps) = (pruned.cursor, removed + pruned.removed, steps + 1)
    }
    #expect(removed == 2)
    #expect(steps >= 2)
    #expect(try stage["b"].commit { try $0.match(Fixtures.event("2"), at: nil) }.isNew == false)
  }

  /// Runs `body`, which must wait for another transaction: `statement` has changed the same row and
  /// is not yet committed.
  private func duringOtherChange(
    _ stage: FleetStage, _ statement: String, _ body: @escaping @Sendable (PostgresStore) -> Void
  ) throws {
    let other = try PostgresConnection(stage.database.location)
    let observer = try PostgresConnection(stage.database.location)
    try other.send("BEGIN")
    try other.send(statement)
    try other.wait()
    let (store, hasEnded) = (SendableStore(try stage["a"]), DispatchSemaphore(value: 0))
    Thread.detachNewThread {
      body(store.value)
      hasEnded.signal()
    }
    var isWaiting = false
    while !isWaiting {
      guard hasEnded.wait(timeout: .now()) == .timedOut else {
        Issue.record("the unit of work did not wait")
        return
      }
      try observer.query(
        """
        SELECT 1 FROM pg_stat_activity
        WHERE datname = current_database() AND wait_event_type = 'Lock'
        """
      ) { _ in isWaiting = true }
    }
    try other.commit()
    hasEnded.wait()
  }

  private struct SendableStore: @unchecked Sendable {
    let value: PostgresStore

    init(_ value: PostgresStore) { self.value = value }
  }

  @Test func `pruning never lowers the last pruned number that another node saved`() throws {
    let stage = try FleetStage("a")
    try stage.acquire([0], by: "a")
    let name = try stage.recipientName(in: 0)
    try stage.take("1", of: name, by: "a")
    let number = try stage.record(1, of: name, by: "a")
    try stage.saveProgress(cursor: number, lastDispatched: number, by: "a")
    try stage["a"].commit { try $0.saveNote("pruned notifications", "0") }
    let age = Age(before: Fixtures.noon + .days(1), now: Fixtures.noon + .days(2))
    try duringOtherChange(
      stage,
      "UPDATE chimed.meta SET value = '\(number + 7)' WHERE key = 'pruned notifications'"
    ) { store in
      #expect(throws: Never.self) {
        let pruned = try store.prune(.notifications, by: age, after: 0, limit: 10) { _, _, _ in
          false
        }
        #expect(pruned.removed == 1)
      }
    }
    #expect(try stage["a"].commit { try $0.prunedThrough() } == number + 7)
  }

  @Test func `two regions noted at the same time are both stored`() throws {
    let stage = try FleetStage("a")
    try stage["a"].commit { try $0.add("FR", toNote: "holiday regions") }
    try duringOtherChange(
      stage, "UPDATE chimed.meta SET value = 'DE FR' WHERE key = 'holiday regions'"
    ) { store in
      #expect(throws: Never.self) {
        try store.commit { try $0.add("PL", toNote: "holiday regions") }
      }
    }
    try stage["a"].commit { try $0.add("DE", toNote: "holiday regions") }
    #expect(try stage["a"].commit { try $0.usedRegions() } == ["DE", "FR", "PL"])
    #expect(try stage["a"].commit { try $0.note("holiday regions") } == "DE FR PL")
  }

  @Test(arguments: [true, false])
  func `a note that depends on its former value loses no change of another node`(
    isKnown: Bool
  ) throws {
    let stage = try FleetStage("a")
    if isKnown { try stage["a"].commit { try $0.saveNote("list", "1") } }
    try duringOtherChange(
      stage,
      "INSERT INTO chimed.meta VALUES ('list', '12') ON CONFLICT (key) DO UPDATE SET value = '12'"
    ) { store in
      #expect(throws: Never.self) {
        try store.commit { transaction in
          let value = try transaction.noteToChange("list") ?? ""
          try transaction.saveNote("list", value + "3")
        }
      }
    }
    #expect(try stage["a"].commit { try $0.note("list") } == "123")
  }

  /// A transaction that the server aborts because of others is repeated as a whole.
  @Test func `a unit of work is repeated after a deadlock`() throws {
    let stage = try FleetStage("a")
    let other = try PostgresConnection(stage.database.location)
    try other.run(
      script: """
        CREATE SEQUENCE chimed.tries;
        CREATE FUNCTION give_up() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
        IF nextval('chimed.tries') < 3 THEN RAISE EXCEPTION 'no' USING ERRCODE = '40P01'; END IF;
        RETURN NEW; END $$;
        CREATE TRIGGER give_up BEFORE INSERT ON chimed.meta FOR EACH ROW
        WHEN (NEW.key = 'word') EXECUTE FUNCTION give_up();
        """)
    var runs = 0
    let word = try stage["a"].commit { transaction in
      runs += 1
      try transaction.saveNote("word", "\(runs)")
      return try transaction.note("word")
    }
    #expect(runs == 3)
    #expect(word == "3")
    #expect(try stage["a"].unitRetryCount == 2)
    #expect(try stage["a"].readers.read { try $0.note("word") } == "3")
  }
}
