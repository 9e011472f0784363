import CivilTime
import GRDB
import JSON
import Outbox
import Reminders
import Store
import Synchronization
import TestSupport
import Testing

@testable import Engine
@testable import SQLiteStore

/// A service on a virtual clock: an engine with its own store, and a sink that gives a configured
/// reply.
final class Stage {
  typealias Reply = @Sendable ([Reminders.Delivery]) -> Result<[SinkAnswer], SinkOutage>

  static let accepting: Reply = { .success($0.map { _ in .delivered }) }
  static let failing: Reply = { _ in .failure(SinkOutage("gone")) }

  private let opening: (() throws -> any Store)?
  private(set) var directory: TemporaryDirectory
  private(set) var planner: Planner
  private(set) var now: Instant
  let world = World()
  var sink = NamedSink()
  /// Further sinks. A change takes effect at the next start or reload.
  var others: [NamedSink] = []
  /// The replies that differ from `reply`, by the names of their sinks.
  var replies: [String: Reply] = [:]
  /// The names of the sinks that do not answer.
  var mute: Set<String> = []
  /// The numbers of lanes whose sinks do not answer.
  var muteLanes: Set<Int> = []
  /// The routes; nil to send everything to the first sink. A change takes effect at the next start
  /// or reload.
  var routes: Routes?
  var limits: [String: SinkLimits] = [:]
  /// The sink's reply; nil while it does not answer.
  var reply: Reply? = accepting
  /// Runs once, while a batch is in flight.
  var beforeAnswer: (() throws -> Void)?
  /// All attempts in order, and the accepted deliveries among them.
  private(set) var attempts: [Reminders.Delivery] = []
  private(set) var delivered: [Reminders.Delivery] = []
  /// The deliveries that were in flight when `beforeAnswer` ran.
  private(set) var interrupted: [Reminders.Delivery] = []
  /// The sink of each attempt, in the order of the answers.
  private(set) var attemptSinkNames: [String] = []
  private(set) var notes: [OccurrenceNote] = []
  /// The number of engine cycles, without those for sink answers.
  private(set) var turns = 0
  private var unanswered: [(lane: Int, deliveries: [Reminders.Delivery])] = []
  private var runningCore: EngineCore?
  private var eventCount = 0

  convenience init(catalog: String? = nil, defaultZone: String = "UTC", at start: String) throws {
    try self.init(
      planner: Fixtures.planner(catalog: catalog, defaultZone: defaultZone), at: start)
  }

  /// - Parameter opening: Opens the store at each start. If nil, the store is SQLite.
  init(planner: Planner, at start: String, opening: (() throws -> any Store)? = nil) throws {
    self.opening = opening
    directory = try TemporaryDirectory.inMemory()
    self.planner = planner
    now = try utc(start)
    try open()
  }

  func core() throws -> EngineCore { try #require(runningCore) }

  /// Returns the connection on which the SQLite store writes.
  func database() throws -> DatabaseQueue {
    try #require(core().store as? SQLiteStore).queue
  }

  /// Limits the SQLite store to its current size, as a full disk does, or lifts the limit.
  func limitPages(isFull: Bool) throws {
    try database().inDatabase { database in
      let pages = try Int.fetchOne(database, sql: "PRAGMA page_count") ?? 0
      try database.execute(sql: "PRAGMA max_page_count = \(isFull ? pages : 1 << 30)")
    }
  }

  var sinks: [NamedSink] { [sink] + others }

  private func open() throws {
    world.begin(sinks)
    let store = try opening?() ?? SQLiteStore(directory: directory.path)
    runningCore = try EngineCore(
      store: store, planner: planner, sinks: sinks, routes: routes, limits: limits,
      actions: world, now: now)
  }

  // MARK: - Time

  /// Runs a cycle now, and answers the deliveries that it dispatches.
  func turn(_ requests: [Request] = []) throws {
    turns += 1
    defer { collectNotes() }
    try core().turn(requests, now: now)
    if let act = beforeAnswer, world.hasBatches {
      beforeAnswer = nil
      let dispatched = world.dispatched
      collectNotes()
      try act()
      try core().turn([], now: now)
      interrupted += dispatched
    }
    try answer()
  }

  /// Answers the deliveries in flight at the sinks.
  func answer() throws {
    defer { collectNotes() }
    while let reply {
      unanswered += world.takeBatches()
      let next = unanswered.firstIndex {
        !muteLanes.contains($0.lane) && !mute.contains(world.sink(of: $0.lane))
      }
      guard let next else { return }
      let batch = unanswered.remove(at: next)
      let name = world.sink(of: batch.lane)
      let result = (replies[name] ?? reply)(batch.deliveries)
      attempts += batch.deliveries
      attemptSinkNames += batch.deliveries.map { _ in name }
      if case .success(let answers) = result {
        delivered += zip(batch.deliveries, answers).filter { $1 == .delivered }.map(\.0)
      }
      try core().turn([.sinkAnswered(lane: batch.lane, result)], now: now)
    }
  }

  private func collectNotes() {
    notes += world.takeNotes().flatMap(\.notes)
  }

  /// Advances the clock, and runs each cycle that becomes due.
  func run(to end: Instant) throws {
    var rounds = 0
    while let wake = try core().nextWake(now: now), wake <= end {
      rounds = wake <= now ? rounds + 1 : 0
      try #require(rounds < 1_000, "the engine does not finish at \(now)")
      now = max(now, wake)
      try turn()
    }
    now = max(now, end)
  }

  func run(to end: String) throws { try run(to: utc(end)) }

  /// Sets the clock. The engine notices it in its next cycle.
  func set(clock instant: Instant) { now = instant }

  /// Sets the clock and runs a cycle, as after a clock step.
  func jump(to instant: Instant) throws {
    now = instant
    try turn()
    try run(to: now)
  }

  func jump(to instant: String) throws { try jump(to: utc(instant)) }

  // MARK: - Restarts

  /// Stops the service and starts it again.
  ///
  /// - Parameters:
  ///   - planner: The new planner; the current one if nil.
  ///   - instant: The time of the start; the current time if nil.
  func restart(planner: Planner? = nil, at instant: Instant? = nil) throws {
    runningCore = nil
    try reopen(planner, instant)
  }

  /// Stops the service.
  func end() { runningCore = nil }

  /// Continues with a copy of the current disk, as after a crash.
  func crash() throws {
    directory = try directory.copy()
    try reopen(nil, nil)
  }

  private func reopen(_ planner: Planner?, _ instant: Instant?) throws {
    _ = world.takeBatches()
    unanswered = []
    self.planner = planner ?? self.planner
    now = instant ?? now
    try open()
  }

  /// Replans all recipients with another planner.
  func plan(with planner: Planner) throws {
    self.planner = planner
    try turn([.planWith(planner)])
    try run(to: now)
  }

  // MARK: - Requests and queries

  func submit(_ events: [Event]) throws -> [Receipt] {
    let answer = AnswerBox<[Receipt]>()
    try turn([.submit(events, answer.take)])
    return try answer.value()
  }

  /// Submits an event with the given time; with the current time if `time` is nil.
  @discardableResult
  func take(
    _ type: String, _ data: JSONValue = [:], of recipient: String = "amina",
    at time: Instant? = nil, id: String? = nil
  ) throws -> Receipt {
    eventCount += 1
    let event = try Fixtures.event(
      id ?? "stage-\(eventCount)", type, of: recipient, at: time ?? now, data, planner: planner)
    return try #require(try submit([event]).first)
  }

  /// Submits an event without a time.
  @discardableResult
  func takeUntimed(
    _ type: String, _ data: JSONValue = [:], of recipient: String = "amina"
  ) throws -> Receipt {
    eventCount += 1
    let event = try EventReader(planner: planner).event(
      [
        "specversion": "1.0", "id": .string("stage-\(eventCount)"), "source": "app",
        "type": .string(type), "subject": .string(recipient), "data": data,
      ], now: now)
    return try #require(try submit([event]).first)
  }

  /// Returns a recipient as it is stored; nil if the recipient is unknown.
  func stored(_ recipient: String = "amina") throws -> StoredRecipient? {
    try core().store.commit { try $0.recipient(named: recipient) }
  }

  /// Returns a recipient's events in the store, in the order of arrival.
  func events(of recipient: String = "amina") throws -> [PastEvent] {
    try core().store.commit { transaction in
      guard let stored = try transaction.recipient(named: recipient) else { return [] }
      return try transaction.events(of: stored.row, from: stored.lastEvent, limit: 100)
        .events.reversed()
    }
  }

  /// Runs a query after all due work is done.
  func query<Query: EngineQuery>(_ query: Query) throws -> Query.Value {
    try turn()
    return try core().questions.answer(query, now: now)
  }

  /// Runs a cycle with a request, and returns its answer.
  func ask<Value>(_ request: (@escaping Answer<Value>) -> Request) throws -> Value {
    let answer = AnswerBox<Value>()
    try turn([request(answer.take)])
    return try answer.value()
  }

  func agenda(of recipient: String = "amina") throws -> Agenda? {
    try query(AgendaQuery(of: recipient))
  }

  func status() throws -> ServiceStatus {
    try query(StatusQuery())
  }
}

/// Holds the answer to a request.
final class AnswerBox<Value: Sendable>: Sendable {
  private let result = Mutex<Result<Value, ServiceUnavailable>?>(nil)

  var take: Answer<Value> {
    { [self] answer in result.withLock { $0 = answer } }
  }

  var hasResult: Bool { result.withLock { $0 != nil } }

  func value() throws -> Value {
    try #require(result.withLock { $0 }, "there is no answer").get()
  }
}

extension Receipt {
  /// The receipt as text, with the reason of a refusal.
  var word: String {
    switch self {
    case .accepted: "accepted"
    case .duplicate: "duplicate"
    case .refused(let refusal): "refused: \(refusal)"
    case .elsewhere: "elsewhere"
    }
  }
}
