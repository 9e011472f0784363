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

/// A service on a virtual clock: an engine over a store of its own, and a sink that says what it is
/// told to.
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
  /// More sinks, and what they say where they do not say what the first does; they count from the
  /// next start.
  var others: [NamedSink] = []
  var replies: [String: Reply] = [:]
  /// Sinks that never answer.
  var mute: Set<String> = []
  /// The numbers of lanes whose sinks never answer.
  var muteLanes: Set<Int> = []
  /// Everything to the first sink if nil; counts from the next start.
  var routes: Routes?
  var limits: [String: SinkLimits] = [:]
  /// What the sink says; nil while it says nothing.
  var reply: Reply? = accepting
  /// What happens once, when the sink has been handed something and has not answered yet.
  var beforeAnswer: (() throws -> Void)?
  /// What the sink was handed, in order, and what of it was delivered.
  private(set) var attempts: [Reminders.Delivery] = []
  private(set) var delivered: [Reminders.Delivery] = []
  /// What the sink had when the service ended.
  private(set) var interrupted: [Reminders.Delivery] = []
  /// Which sink was handed each of the attempts, in the order of its answers.
  private(set) var carriers: [String] = []
  private(set) var notes: [Note] = []
  /// How often the engine was turned, answers of sinks not counted.
  private(set) var turns = 0
  private var unanswered: [(lane: Int, deliveries: [Reminders.Delivery])] = []
  private var running: EngineCore?
  private var eventCount = 0

  convenience init(catalog: String? = nil, defaultZone: String = "UTC", at start: String) throws {
    try self.init(
      planner: Fixtures.planner(catalog: catalog, defaultZone: defaultZone), at: start)
  }

  /// - Parameter opening: opens another store than SQLite's at each start, such as one in memory.
  init(planner: Planner, at start: String, opening: (() throws -> any Store)? = nil) throws {
    self.opening = opening
    directory = try TemporaryDirectory.inMemory()
    self.planner = planner
    now = try utc(start)
    try open()
  }

  func core() throws -> EngineCore { try #require(running) }

  /// The connection that writes, past the port.
  func database() throws -> DatabaseQueue {
    try #require(core().store as? SQLiteStore).queue
  }

  var sinks: [NamedSink] { [sink] + others }

  private func open() throws {
    world.begin(sinks)
    let store = try opening?() ?? SQLiteStore(directory: directory.path)
    running = try EngineCore(
      store: store, planner: planner, sinks: sinks, routes: routes, limits: limits,
      actions: world, now: now)
  }

  // MARK: - Time

  /// One turn now, and the answers of the sink that follow from it.
  func turn(_ requests: [Request] = []) throws {
    turns += 1
    defer { gather() }
    try core().turn(requests, now: now)
    if let act = beforeAnswer, world.hasBatches {
      beforeAnswer = nil
      let handed = world.handed
      gather()
      try act()
      try core().turn([], now: now)
      interrupted += handed
    }
    try answer()
  }

  /// Lets the sink answer for what it has.
  func answer() throws {
    defer { gather() }
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
      carriers += batch.deliveries.map { _ in name }
      if case .success(let answers) = result {
        delivered += zip(batch.deliveries, answers).filter { $1 == .delivered }.map(\.0)
      }
      try core().turn([.sinkAnswered(lane: batch.lane, result)], now: now)
    }
  }

  private func gather() {
    notes += world.takeNotes().flatMap(\.notes)
  }

  /// Lets the clock run, and turns the engine when it asks for it.
  func run(to end: Instant) throws {
    var idle = 0
    while let wake = try core().nextWake(now: now), wake <= end {
      idle = wake <= now ? idle + 1 : 0
      try #require(idle < 1_000, "the engine is never done at \(now)")
      now = max(now, wake)
      try turn()
    }
    now = max(now, end)
  }

  func run(to end: String) throws { try run(to: utc(end)) }

  /// Sets the clock; the engine notices with its next turn.
  func set(clock instant: Instant) { now = instant }

  /// Sets the clock, and turns the engine as a step of the clock does.
  func jump(to instant: Instant) throws {
    now = instant
    try turn()
    try run(to: now)
  }

  func jump(to instant: String) throws { try jump(to: utc(instant)) }

  // MARK: - Restarts

  /// Stops the service and starts it again.
  ///
  /// - Parameter planner: what it plans with from then on; the same if nil.
  func restart(planner: Planner? = nil, at instant: Instant? = nil) throws {
    running = nil
    try reopen(planner, instant)
  }

  /// Stops it for good, or until it is started again.
  func end() { running = nil }

  /// Goes on with what is on disk at this moment, while the service is still running.
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

  /// Takes another catalog or other zones into use.
  func plan(with planner: Planner) throws {
    self.planner = planner
    try turn([.planWith(planner)])
    try run(to: now)
  }

  // MARK: - Asking

  func submit(_ events: [Event]) throws -> [Receipt] {
    let answer = Answered<[Receipt]>()
    try turn([.submit(events, answer.take)])
    return try answer.value()
  }

  /// Submits an event of now.
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

  /// Submits an event that does not say when it was true.
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

  /// What the store has of somebody.
  func stored(_ recipient: String = "amina") throws -> StoredRecipient? {
    try core().store.commit { try $0.recipient(named: recipient) }
  }

  /// The events that the store has of somebody, in the order of arrival.
  func events(of recipient: String = "amina") throws -> [PastEvent] {
    try core().store.commit { transaction in
      guard let stored = try transaction.recipient(named: recipient) else { return [] }
      return try transaction.events(of: stored.row, from: stored.lastEvent, limit: 100)
        .events.reversed()
    }
  }

  /// Asks a question after what is to be done now.
  func query<Value>(
    _ question: (@escaping Answer<Value>) -> EngineQuestion
  ) throws -> Value {
    try turn()
    let answer = Answered<Value>()
    try core().questions.answer(question(answer.take), now: now)
    return try answer.value()
  }

  func ask<Value>(_ request: (@escaping Answer<Value>) -> Request) throws -> Value {
    let answer = Answered<Value>()
    try turn([request(answer.take)])
    return try answer.value()
  }

  func agenda(of recipient: String = "amina") throws -> Agenda? {
    try query { .agenda(recipient, $0) }
  }

  func status() throws -> ServiceStatus {
    try query { .status($0) }
  }
}

/// Where an answer arrives.
final class Answered<Value: Sendable>: Sendable {
  private let result = Mutex<Result<Value, ServiceUnavailable>?>(nil)

  var take: Answer<Value> {
    { [self] answer in result.withLock { $0 = answer } }
  }

  var isThere: Bool { result.withLock { $0 != nil } }

  func value() throws -> Value {
    try #require(result.withLock { $0 }, "there is no answer").get()
  }
}

extension Receipt {
  var word: String {
    switch self {
    case .accepted: "accepted"
    case .duplicate: "duplicate"
    case .refused(let refusal): "refused: \(refusal)"
    case .elsewhere: "elsewhere"
    }
  }
}
