import Access
import CivilTime
import Foundation
import JSON
import Outbox
import Reminders
import SQLiteStore
import ServiceDouble
import Store
import Synchronization

@testable import Engine

/// A complete service without real sinks: an engine with its own store, on a clock that the test
/// sets. Optionally there is one sink for all channels, which answers as the test configures.
final class LiveService: ServiceDouble {
  typealias Reply = @Sendable ([Reminders.Delivery]) -> [SinkAnswer]

  private struct State: @unchecked Sendable {
    var core: EngineCore
    var now: Instant
    var eventCount = 0
    var reply: Reply?
    var delivered: [Reminders.Delivery] = []
    /// How many groups of events are accepted until the service stops; nil for any number.
    var submissionsMax: Int?
    /// The burden whose threads accept no work; nil for none.
    var busyBurden: QueryBurden?

    /// Runs an engine cycle, and the cycles that the sink's answers cause.
    mutating func turn(_ requests: [Request], _ courier: Courier) throws(StoreError) {
      try core.turn(requests, now: now)
      while let reply, let batch = courier.next() {
        let answers = reply(batch)
        delivered += zip(batch, answers).filter { $1.isDelivered }.map(\.0)
        try core.turn([.sinkAnswered(lane: 0, .success(answers))], now: now)
      }
    }
  }

  let planner: Planner
  private let directory: URL
  private let courier: Courier
  private let state: Mutex<State>

  private static let catalogs = URL(filePath: #filePath)
    .deletingLastPathComponent().appending(path: "../../../config/catalogs").standardized

  /// - Parameter reply: the answers of the sink `test`; nil for a service without sinks.
  convenience init(_ catalog: String, at start: String, reply: Reply? = nil) throws {
    let file = Self.catalogs.appending(path: "\(catalog).yaml")
    try self.init(text: String(contentsOf: file, encoding: .utf8), at: start, reply: reply)
  }

  /// - Parameters:
  ///   - text: the text of a catalog.
  ///   - links: creates the links of actions; nil for none.
  ///   - canWithdraw: whether the sink can withdraw deliveries.
  init(
    text: String, at start: String, reply: Reply? = nil, links: ActionLinks? = nil,
    canWithdraw: Bool = false
  ) throws {
    courier = Courier(canWithdraw: canWithdraw)
    let zones = try ZoneDatabase(generation: 1)
    planner = Planner(
      catalog: try Catalog(reading: [CatalogSource(file: "test.yaml", text: text)]), zones: zones,
      defaultZone: try zones.zone(named: "UTC"))
    directory = FileManager.default.temporaryDirectory
      .appending(path: "chimed-api-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
    let now = try Self.instant(start)
    let core = try EngineCore(
      store: SQLiteStore(directory: directory.path), planner: planner,
      sinks: reply == nil ? [] : [courier], actions: courier, now: now)
    core.published.actionLinks = links
    state = Mutex(State(core: core, now: now, reply: reply))
  }

  /// Replaces the sink's answers.
  func reply(_ reply: @escaping Reply) { state.withLock { $0.reply = reply } }

  /// Lets the service stop after it has accepted so many groups of events; nil for never.
  func stop(afterSubmissions count: Int?) { state.withLock { $0.submissionsMax = count } }

  /// Lets the threads of a burden accept no work; nil for none.
  func refuseWork(_ burden: QueryBurden?) { state.withLock { $0.busyBurden = burden } }

  /// The deliveries that the sink has accepted.
  var delivered: [Reminders.Delivery] { state.withLock { $0.delivered } }

  deinit { try? FileManager.default.removeItem(at: directory) }

  private struct NoInstant: Error {}

  private static func instant(_ text: String) throws -> Instant {
    guard let instant = Instant(text) else { throw NoInstant() }
    return instant
  }

  // MARK: - Time

  var now: Instant { state.withLock { $0.now } }

  /// Advances the clock, and runs the engine for everything that becomes due.
  func run(to end: String) throws {
    let end = try Self.instant(end)
    try state.withLock { state in
      while let wake = state.core.nextWake(now: state.now), wake <= end {
        state.now = max(state.now, wake)
        try state.turn([], courier)
      }
      state.now = max(state.now, end)
    }
  }

  /// Reports an event with the current time, or several events that differ only in their ids.
  func ingest(
    _ type: String, _ data: JSONValue = [:], of recipient: String, times: Int = 1
  ) async throws {
    let (number, now) = state.withLock { state in
      state.eventCount += times
      return (state.eventCount, state.now)
    }
    let reader = EventReader(planner: planner)
    let events = try (0..<times).map { index in
      try reader.event(
        [
          "specversion": "1.0", "id": .string("live-\(number - index)"), "source": "test",
          "type": .string(type), "subject": .string(recipient), "time": .string(now.description),
          "data": data,
        ], now: now)
    }
    for case .refused(let refusal) in try await submit(events) { throw refusal }
    try run(to: now.description)
  }

  // MARK: - The service

  private func ask<Value: Sendable>(
    _ request: (@escaping Answer<Value>) -> Request
  ) throws(ServiceUnavailable) -> Value {
    let answer = Answers(Value.self)
    do {
      try state.withLock { try $0.turn([request(answer.take)], courier) }
    } catch {
      throw Self.unanswered
    }
    guard let result = answer.value else { throw Self.unanswered }
    return try result.get()
  }

  private static let unanswered = ServiceUnavailable(.stopping, "the engine has not answered")

  private final class Answers<Value: Sendable>: Sendable {
    private let result = Mutex<Result<Value, ServiceUnavailable>?>(nil)

    init(_ type: Value.Type) {}

    var take: Answer<Value> { { [self] answer in result.withLock { $0 = answer } } }
    var value: Result<Value, ServiceUnavailable>? { result.withLock { $0 } }
  }

  func answer<Query: EngineQuery>(
    _ query: Query
  ) async throws(ServiceUnavailable) -> Query.Value {
    try state.withLock { state throws(ServiceUnavailable) in
      do {
        try state.turn([], courier)
      } catch {
        throw Self.unanswered
      }
      return try state.core.questions.answer(query, now: state.now)
    }
  }

  func submit(_ events: [Event]) async throws(ServiceUnavailable) -> [Receipt] {
    let isStopped = state.withLock { state in
      guard let rest = state.submissionsMax else { return false }
      state.submissionsMax = max(0, rest - 1)
      return rest == 0
    }
    if isStopped { throw Self.unanswered }
    return try ask { .submit(events, $0) }
  }

  func work<Value: Sendable>(
    _ burden: QueryBurden, _ body: @escaping @Sendable () -> Value
  ) async throws(ServiceUnavailable) -> Value {
    guard state.withLock({ $0.busyBurden }) != burden else {
      throw ServiceUnavailable(.busy, "too much work")
    }
    return body()
  }

  func write(_ write: Write) async throws(ServiceUnavailable) -> WriteReceipt {
    try ask { .write(write, $0) }
  }

  func write(
    _ write: InboxWrite, of recipient: String
  ) async throws(ServiceUnavailable) -> InboxReceipt? {
    try ask { .inboxWrite(recipient, write, $0) }
  }

  func write(
    _ write: DeadLetterWrite
  ) async throws(ServiceUnavailable) -> DeadLetterReceipt? {
    try ask { .deadLetterWrite(write, $0) }
  }

  func setPaused(_ isPaused: Bool, sink: String) async throws(ServiceUnavailable) -> Bool {
    try ask { .pauseSink(sink, isPaused, $0) }
  }

  /// Calls the sink directly.
  func trySink(
    _ parameters: SinkTestParameters
  ) async throws(ServiceUnavailable) -> SinkTestReceipt {
    var recipient: Recipient?
    if let name = parameters.recipient { recipient = try await answer(RecipientQuery(name)) }
    return state.withLock { state in
      let view = state.core.published.view
      switch view.test(parameters, for: recipient, now: state.now) {
      case .refuse(let receipt): return receipt
      case .dispatch(let delivery):
        return .done(SinkTestResult(delivery, .success(state.reply?([delivery]) ?? [])))
      }
    }
  }

  func sendTest(
    _ recipient: String, _ parameters: TestParameters, _ observer: @escaping TestObserver
  ) async throws(ServiceUnavailable) -> TestReceipt? {
    try ask { .test(recipient, parameters, observer, $0) }
  }

  func watchStatus(signal: StreamSignal) -> ViewWatch? {
    state.withLock { $0.core.questions.watchStatus(signal: signal) }
  }

  func backup() async throws(ServiceUnavailable) -> any StoreBackup {
    do {
      return try SQLiteBackup(ofStoreIn: directory.path)
    } catch {
      throw ServiceUnavailable(.storageFull, "\(error)")
    }
  }
}
