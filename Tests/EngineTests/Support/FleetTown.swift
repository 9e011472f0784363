import Access
import CivilTime
import Fleet
import JSON
import Outbox
import Postgres
import PostgresServer
import PostgresStore
import Reminders
import Store
import Testing

@testable import Engine

/// Several engines on one database and one virtual clock. Their sinks accept everything.
final class FleetTown {
  /// An engine with its node's membership and store.
  final class Node {
    let core: EngineCore
    let store: any Store
    let membership: Membership
    let world = World()
    /// Whether the node's sink does not answer.
    var isMute = false

    init(
      _ membership: Membership, _ store: any Store, _ planner: Planner, _ routes: Routes?,
      now: Instant
    ) throws {
      (self.membership, self.store) = (membership, store)
      world.begin([FleetTown.sink])
      core = try EngineCore(
        store: store, planner: planner, sinks: [FleetTown.sink], routes: routes, actions: world,
        now: now)
    }

    func owns(_ shard: Int) -> Bool { core.shards.ownership.contains(shard) }
  }

  static let shardCount = 8
  /// The window is smaller than a burst, so that deliveries wait behind those in flight.
  static let sink = NamedSink(window: 64)

  let database: TemporaryPostgresDatabase
  /// The planner of nodes that join.
  var planner: Planner
  /// The routes; nil to send everything to the one sink.
  let routes: Routes?
  /// The membership of a further node, which sees and evicts the others.
  let others: Membership
  private(set) var now: Instant
  private(set) var nodes: [String: Node] = [:]
  /// All attempts at the nodes' sinks, in order.
  private(set) var attempts: [Reminders.Delivery] = []
  private(set) var notes: [OccurrenceNote] = []
  private(set) var acknowledged: [Event] = []

  init(
    planner: Planner, at start: Instant, routes: Routes? = nil, _ names: String...
  ) throws {
    database = try TemporaryPostgresDatabase()
    try PostgresDatabase(database.location).create(shards: Self.shardCount, partitions: 2)
    others = try Membership(
      PostgresDatabase(database.location), as: Incarnation(1), FleetTimes(lease: .minutes(1)))
    (self.planner, self.routes, now) = (planner, routes, start)
    for name in names { try join(name) }
  }

  static var allShards: Set<Int> { Set(0..<shardCount) }

  /// - Parameter wrap: Returns the store that the engine is to use.
  func join(_ name: String, wrap: (PostgresStore) -> any Store = { $0 }) throws {
    let membership = try Membership.joining(database, as: name)
    let store = try PostgresStore(
      membership.database, node: name, .fleet(membership.incarnation), at: now)
    nodes[name] = try Node(membership, wrap(store), planner, routes, now: now)
  }

  subscript(name: String) -> Node {
    get throws { try #require(nodes[name]) }
  }

  func owner(of shard: Int) -> String? { nodes.first { $0.value.owns(shard) }?.key }

  func shard(of recipient: String) throws -> Int {
    try #require(nodes.values.first).store.readers.shard(of: recipient)
  }

  // MARK: - Cycles

  func turn(_ name: String, _ requests: [Request] = []) throws {
    let node = try self[name]
    defer { collectNotes(node) }
    try node.core.turn(requests, now: now)
    if !node.isMute { try answer(name) }
  }

  /// Answers the deliveries in flight at a node's sink, and those dispatched as a result.
  func answer(_ name: String) throws {
    let node = try self[name]
    node.isMute = false
    defer { collectNotes(node) }
    while case let batches = node.world.takeBatches(), !batches.isEmpty {
      for batch in batches {
        attempts += batch.deliveries
        let answers = batch.deliveries.map { _ in SinkAnswer.delivered }
        try node.core.turn([.sinkAnswered(lane: batch.lane, .success(answers))], now: now)
      }
    }
  }

  private func collectNotes(_ node: Node) {
    for notes in node.world.takeNotes() { self.notes += notes.notes }
  }

  /// Advances the time to an instant and runs all due work.
  func run(to end: Instant) throws {
    var rounds = 0
    while let (name, wake) = next(), wake <= end {
      rounds = wake <= now ? rounds + 1 : 0
      try #require(rounds < 1_000, "\(name) does not finish at \(now)")
      now = max(now, wake)
      try turn(name)
    }
    now = max(now, end)
  }

  /// The next instant at which a node has work.
  var wake: Instant? { next()?.wake }

  private func next() -> (name: String, wake: Instant)? {
    nodes.compactMap { name, node in node.core.nextWake(now: now).map { (name, $0) } }
      .min { ($0.1, $0.0) < ($1.1, $1.0) }
  }

  /// Runs a cycle of a node with a request. The box holds the answer once the node has given it.
  func ask<Value>(
    _ name: String, _ request: (@escaping Answer<Value>) -> Request
  ) throws -> AnswerBox<Value> {
    let answer = AnswerBox<Value>()
    try turn(name, [request(answer.take)])
    return answer
  }

  // MARK: - Events

  /// Submits events to the nodes that own their recipients, in one request for each node.
  func submit(_ events: [Event]) throws {
    let byOwner = Dictionary(grouping: events) { event in
      (try? shard(of: event.recipient)).flatMap(owner) ?? ""
    }
    for (name, events) in byOwner.sorted(by: { $0.key < $1.key }) {
      let words = try submit(events, to: name).map(\.word)
      try #require(words.allSatisfy { $0 == "accepted" }, "\(words)")
    }
  }

  func submit(_ events: [Event], to name: String) throws -> [Receipt] {
    let receipts = try ask(name) { .submit(events, $0) }.value()
    for (event, receipt) in zip(events, receipts) {
      if case .accepted = receipt { acknowledged.append(event) }
    }
    return receipts
  }

  /// Lets nodes ingest the submissions in the store.
  func ingestSubmissions(_ names: String...) throws {
    for name in names {
      let core = try self[name].core
      core.ingestion.submissionPoll.begin(at: now)
      try turn(name)
      // Without this, the node would poll four times a second.
      core.ingestion.submissionPoll = SubmissionPoll()
    }
  }

  // MARK: - Shards

  @discardableResult
  func acquire(_ shards: Set<Int>, by name: String) throws -> Set<Int> {
    try self[name].membership.claim(shards)
    return try ask(name) { .acquire(shards, $0) }.value()
  }

  /// Moves shards from one node to another, as the fleet does it.
  func move(_ shards: Set<Int>, from name: String, to other: String) throws {
    let answer = try ask(name) { .release(shards, $0) }
    // Deliveries in flight are answered before the shards are released.
    if !answer.hasResult { try self.answer(name) }
    _ = try answer.value()
    try self[name].membership.free(shards)
    #expect(try acquire(shards, by: other) == shards)
  }

  /// Ends a node that does not resign, evicts it, and gives its shards to another node. The
  /// deliveries in flight at the evicted node count as attempts.
  ///
  /// - Parameter reason: `.own` if the successor is the next incarnation in the node's process.
  func replace(_ name: String, with successor: String, _ reason: EvictionReason = .silent) throws {
    let free = try evict(name, reason)
    #expect(try acquire(free, by: successor) == free)
  }

  /// Ends a node that does not resign, and evicts it.
  ///
  /// - Returns: The shards without an owner.
  @discardableResult
  func evict(_ name: String, _ reason: EvictionReason = .silent) throws -> Set<Int> {
    let node = try self[name]
    let incarnation = node.membership.incarnation
    attempts += node.world.takeBatches().flatMap(\.deliveries)
    nodes[name] = nil
    // With a lease of zero, any heartbeat is overdue.
    let lease = reason == .silent ? TimeSpan.zero : .minutes(1)
    let evicting = FleetStatement.evict(incarnation, reason, lease: lease)
    guard case .answered(.evicted(true)) = others.carryOut(evicting),
      case .answered(.view(let view)) = others.carryOut(.look)
    else { throw NotEvicted() }
    return Set(view.shards.filter { $0.owner == nil }.map(\.tenure.shard))
  }

  private struct NotEvicted: Error {}

  /// The outcome of each occurrence, in the format of a simulation.
  var timeline: [String] {
    let deliveries = Dictionary(attempts.map { ($0.identifier, $0) }) { first, _ in first }
    return notes.flatMap { note in
      note.channels.channels.compactMap { Stage.line(note, $0, deliveries) }
    }.sorted()
  }
}

/// A store that throws `commitUnknown` after each commit while `isForgetful` is set, as if the
/// connection had ended before the server's answer.
final class ForgetfulStore: Store {
  private let store: PostgresStore
  var isForgetful = false

  init(_ store: PostgresStore) {
    self.store = store
  }

  var instance: String { store.instance }
  var ownership: Ownership { store.ownership }
  var lastNotification: Int64 { store.lastNotification }
  var commitTimes: Histogram { store.commitTimes }
  var loss: StoreLoss? { store.loss }
  var readers: any StoreSnapshots { store.readers }
  var erasureOpen: Instant? { store.erasureOpen }
  var cleaner: any StoreCleaner { store.cleaner }

  func commit<Value>(
    _ body: (any StoreWriter) throws -> Value
  ) throws(StoreError) -> Value {
    let value = try store.commit(body)
    if isForgetful { throw .commitUnknown(reason: "the connection has ended") }
    return value
  }

  func linkKey() throws(StoreError) -> LinkKey { store.linkKey() }

  func prune(
    _ part: RetentionPart, by age: Age, after cursor: Int64, limit: Int,
    keeping keeps: (StoredRecipient, Symbol, Int64) -> Bool, folding fold: EventFolding
  ) throws(StoreError) -> Pruned {
    try store.prune(part, by: age, after: cursor, limit: limit, keeping: keeps, folding: fold)
  }

  func finishErasure() throws(StoreError) -> Bool { try store.finishErasure() }
  func endErasures(_ erasures: Int) throws(StoreError) { try store.endErasures(erasures) }
  func shutDown() throws(StoreError) { try store.shutDown() }
}
