import CivilTime
import Fleet
import PostgresServer
import PostgresStore
import Reminders
import Store
import Testing

/// A store of several nodes, used as their engines do.
final class FleetStage {
  static let shardCount = 8

  let database: TemporaryPostgresDatabase
  /// The membership of another node, which looks at the fleet and evicts nodes.
  let others: Membership
  /// The nodes' stores, by name.
  private var stores: [String: PostgresStore] = [:]
  private var memberships: [String: Membership] = [:]

  convenience init(_ names: String...) throws {
    try self.init(in: TemporaryPostgresDatabase(), names)
  }

  init(in database: TemporaryPostgresDatabase, _ names: [String]) throws {
    self.database = database
    try PostgresDatabase(database.location).create(shards: Self.shardCount, partitions: 2)
    others = try Membership(
      PostgresDatabase(database.location), as: Incarnation(1), FleetTimes(lease: .minutes(1)))
    for name in names { try join(name) }
  }

  func join(_ name: String) throws {
    let membership = try Membership.joining(database, as: name)
    memberships[name] = membership
    stores[name] = try PostgresStore.joining(membership, named: name)
    try self[name].commit { transaction in
      try transaction.save(lanes: ["one": StoredLane(cursor: 0, channels: .all, lastDispatched: 0)])
    }
  }

  subscript(name: String) -> PostgresStore {
    get throws { try #require(stores[name]) }
  }

  /// Ends a node that does not resign. The node's session is gone when this function returns.
  func drop(_ name: String) throws {
    let incarnation = try self[name].incarnation
    (stores[name], memberships[name]) = (nil, nil)
    while try view.nodes.contains(where: {
      $0.incarnation.number == incarnation && $0.isConnected
    }) {}
  }

  /// Drops a node and evicts it.
  func dropAndEvict(_ name: String) throws {
    let incarnation = try self[name].incarnation
    try drop(name)
    #expect(try evict(incarnation))
  }

  var view: FleetView {
    get throws {
      guard case .answered(.view(let view)) = others.carryOut(.look) else { throw Unexpected() }
      return view
    }
  }

  /// Evicts a node.
  ///
  /// - Returns: false if the node was fenced already.
  func evict(_ incarnation: Int64, _ reason: EvictionReason = .silent) throws -> Bool {
    // With a lease of zero, any heartbeat is too old.
    let lease = reason == .silent ? TimeSpan.zero : .minutes(1)
    let statement = FleetStatement.evict(Incarnation(incarnation), reason, lease: lease)
    guard case .answered(.evicted(let isNew)) = others.carryOut(statement) else {
      throw Unexpected()
    }
    return isNew
  }

  /// Sends a heartbeat and returns whether the node is still a member.
  func sendHeartbeat(_ incarnation: Int64, skew: TimeSpan? = nil) throws -> Bool {
    let statement = FleetStatement.heartbeat(
      Incarnation(incarnation), isDraining: false, skew: skew)
    guard case .answered(.heartbeat(let isMember, _)) = others.carryOut(statement) else {
      throw Unexpected()
    }
    return isMember
  }

  func membership(of name: String) throws -> Membership { try #require(memberships[name]) }

  /// Claims shards and acquires them.
  @discardableResult
  func acquire(_ shards: Set<Int>, by name: String, plan: String = "p") throws -> Acquisition {
    try membership(of: name).claim(shards)
    return try acquireClaimed(shards, by: name, plan: plan)
  }

  /// Acquires shards that the node has claimed.
  @discardableResult
  func acquireClaimed(_ shards: Set<Int>, by name: String, plan: String = "p") throws -> Acquisition
  {
    try self[name].commit { try $0.acquire(shards, plan: plan, now: Fixtures.noon) }
  }

  /// Detaches shards and frees them.
  func release(_ shards: Set<Int>, by name: String) throws {
    try self[name].commit { try $0.release(shards) }
    try membership(of: name).free(shards)
  }

  func shard(of recipient: String) throws -> Int {
    try (stores.values.first).map { $0.readers.shard(of: recipient) } ?? { throw Unexpected() }()
  }

  /// Returns the name of a recipient in a shard.
  func recipientName(in shard: Int, _ number: Int = 0) throws -> String {
    let store = try #require(stores.values.first)
    let names = (0...).lazy.map { "r\($0)" }.filter { store.readers.shard(of: $0) == shard }
    return try #require(names.dropFirst(number).first { _ in true })
  }

  // MARK: - The engine's work

  /// Ingests an event of a recipient, and returns the event's number.
  @discardableResult
  func take(_ identifier: String, of recipient: String, by name: String) throws -> Int64 {
    try self[name].commit { transaction in
      let event = Fixtures.event(identifier, recipient: recipient)
      guard case .new(let slot) = try transaction.match(event, at: nil) else { throw Unexpected() }
      let known = try transaction.recipient(named: recipient)
      var stored = known ?? transaction.admit(Recipient(name: recipient, now: event.time))
      stored.lastEvent = try transaction.append(
        event, slot: slot, row: stored.row, previous: stored.lastEvent, received: event.time)
      stored.hasUnsavedFacts = true
      try transaction.save([stored], [Schedule(due: Fixtures.noon, pending: 1)])
      return stored.lastEvent
    }
  }

  /// Records a push notification for a recipient.
  @discardableResult
  func record(_ key: Int64, of recipient: String, by name: String) throws -> Int64 {
    try self[name].commit { transaction in
      guard let stored = try transaction.recipient(named: recipient) else { throw Unexpected() }
      var batch = [stored]
      let numbers = try transaction.record(
        [Fixtures.record(row: stored.row, key: key)], of: &batch)
      try transaction.save(batch, [Schedule(due: nil, pending: 0)])
      return try #require(numbers[0])
    }
  }

  /// Saves the progress of the node's lane `one`.
  func saveProgress(cursor: Int64? = nil, lastDispatched: Int64? = nil, by name: String) throws {
    try self[name].commit {
      try $0.save([LaneProgress(sink: "one", cursor: cursor, lastDispatched: lastDispatched)])
    }
  }

  /// Returns the notifications of a node's due retries.
  func dueRetries(for name: String) throws -> [Int64] {
    try self[name].commit { transaction in
      try transaction.dueRetries(of: "one", now: Fixtures.noon, limit: 100) { _ in .max }
        .map(\.delivery.notification)
    }
  }

  /// Returns the notifications that a lane of the node would read if its cursor were 0.
  func laneNotifications(for name: String) throws -> [Int64] {
    try self[name].commit { transaction in
      try transaction.deliveries(after: 0, limit: 100, on: .all).deliveries.map(\.notification)
    }
  }
}
