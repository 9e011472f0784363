import CivilTime
import Foundation
import JSON
import Outbox
import Reminders
import SQLiteStore
import Store
import Synchronization

@testable import Engine

/// A complete service without real sinks: an engine with its own store, on a clock that the test
/// sets. Optionally there is one sink for all channels, which answers as the test says.
final class LiveService: ReminderService {
  typealias Reply = @Sendable ([Reminders.Delivery]) -> [SinkAnswer]

  private struct State: @unchecked Sendable {
    var core: EngineCore
    var now: Instant
    var events = 0
    var reply: Reply?
    var delivered: [Reminders.Delivery] = []

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
  private let courier = Courier()
  private let state: Mutex<State>

  private static let catalogs = URL(filePath: #filePath)
    .deletingLastPathComponent().appending(path: "../../../config/catalogs").standardized

  /// - Parameter reply: answers for the sink "test"; no sink if nil.
  init(_ catalog: String, at start: String, reply: Reply? = nil) throws {
    let file = Self.catalogs.appending(path: "\(catalog).yaml")
    let zones = try ZoneDatabase(generation: 1)
    let text = try String(contentsOf: file, encoding: .utf8)
    planner = Planner(
      catalog: try Catalog(reading: [CatalogSource(file: file.path, text: text)]), zones: zones,
      defaultZone: try zones.zone(named: "UTC"))
    directory = FileManager.default.temporaryDirectory
      .appending(path: "chimed-api-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
    let now = try Self.instant(start)
    let core = try EngineCore(
      store: SQLiteStore(directory: directory.path), planner: planner,
      sinks: reply == nil ? [] : [courier], actions: courier, now: now)
    state = Mutex(State(core: core, now: now, reply: reply))
  }

  /// Replaces the sink's answers.
  func reply(_ reply: @escaping Reply) { state.withLock { $0.reply = reply } }

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

  /// Reports an event with the current time, or several equal ones.
  func take(
    _ type: String, _ data: JSONValue = [:], of recipient: String, times: Int = 1
  ) async throws {
    let (number, now) = state.withLock { state in
      state.events += times
      return (state.events, state.now)
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
    let failure = ServiceUnavailable(.stopping, "the engine has not answered")
    let answer = Answers(Value.self)
    do {
      try state.withLock { try $0.turn([request(answer.take)], courier) }
    } catch {
      throw failure
    }
    guard let result = answer.value else { throw failure }
    return try result.get()
  }

  private func query<Value: Sendable>(
    _ question: (@escaping Answer<Value>) -> EngineQuestion
  ) throws(ServiceUnavailable) -> Value {
    let failure = ServiceUnavailable(.stopping, "the engine has not answered")
    let answer = Answers(Value.self)
    do {
      try state.withLock { state in
        try state.turn([], courier)
        state.core.questions.answer(question(answer.take), now: state.now)
      }
    } catch {
      throw failure
    }
    guard let result = answer.value else { throw failure }
    return try result.get()
  }

  private final class Answers<Value: Sendable>: Sendable {
    private let result = Mutex<Result<Value, ServiceUnavailable>?>(nil)

    init(_ type: Value.Type) {}

    var take: Answer<Value> { { [self] answer in result.withLock { $0 = answer } } }
    var value: Result<Value, ServiceUnavailable>? { result.withLock { $0 } }
  }

  func submit(_ events: [Event]) async throws(ServiceUnavailable) -> [Receipt] {
    try ask { .submit(events, $0) }
  }

  func agenda(of recipient: String) async throws(ServiceUnavailable) -> Agenda? {
    try query { .agenda(recipient, $0) }
  }

  func recipient(_ name: String) async throws(ServiceUnavailable) -> Recipient? {
    try query { .recipient(name, $0) }
  }

  func write(_ write: Write) async throws(ServiceUnavailable) -> WriteReceipt {
    try ask { .write(write, $0) }
  }

  func inbox(
    of recipient: String, offset: Int, limit: Int
  ) async throws(ServiceUnavailable) -> InboxPage {
    try query { .inbox(recipient, offset: offset, limit: limit, $0) }
  }

  func cancelled(of recipient: String) async throws(ServiceUnavailable) -> Agenda? {
    try query { .cancelled(recipient, $0) }
  }

  func arrived(of recipient: String) async throws(ServiceUnavailable) -> Int {
    try query { .arrived(recipient, $0) }
  }

  func notificationHistory(
    of recipient: String, _ question: HistoryQuestion
  ) async throws(ServiceUnavailable) -> NotificationHistory? {
    try query { .notificationHistory(recipient, question, $0) }
  }

  func watch(
    _ recipient: String, from start: String?, telling signal: StreamSignal
  ) async throws(ServiceUnavailable) -> WatchAnswer {
    try query { .watch(recipient, from: start, signal, $0) }
  }

  func page(
    of watch: Watch, _ backlog: Backlog, on channels: ChannelSet
  ) async throws(ServiceUnavailable) -> StreamPage? {
    try query { .page(watch, backlog, on: channels, $0) }
  }

  func write(
    _ write: InboxWrite, of recipient: String
  ) async throws(ServiceUnavailable) -> InboxReceipt? {
    try ask { .inboxWrite(recipient, write, $0) }
  }

  func history(
    of recipient: String, notification: String
  ) async throws(ServiceUnavailable) -> HistoryAnswer {
    try query { .history(recipient, notification: notification, $0) }
  }

  func recipients(
    _ question: RecipientQuestion
  ) async throws(ServiceUnavailable) -> RecipientPage {
    try query { .recipients(question, $0) }
  }

  func feed(_ question: FeedQuestion) async throws(ServiceUnavailable) -> FeedPage {
    try query { .feed(question, $0) }
  }

  func deadLetterGroups(
    _ grouping: DeadLetterGrouping, _ filter: DeadLetterFilter
  ) async throws(ServiceUnavailable) -> DeadLetterGroups {
    try query { .deadLetterGroups(grouping, filter, $0) }
  }

  func deadLetters(
    _ question: DeadLetterQuestion
  ) async throws(ServiceUnavailable) -> DeadLetterPage {
    try query { .deadLetters(question, $0) }
  }

  func deadLetter(_ letter: String) async throws(ServiceUnavailable) -> DeadLetter? {
    try query { .deadLetter(letter, $0) }
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
  func trySink(_ order: SinkTestOrder) async throws(ServiceUnavailable) -> SinkTestReceipt {
    var person: Recipient?
    if let name = order.recipient { person = try await recipient(name) }
    return state.withLock { state in
      let view = state.core.published.view
      switch view.test(order, for: person, now: state.now) {
      case .refuse(let receipt): return receipt
      case .hand(let delivery):
        return .done(SinkTestResult(delivery, .success(state.reply?([delivery]) ?? [])))
      }
    }
  }

  func sendTest(
    _ recipient: String, _ order: TestOrder, _ observer: @escaping TestObserver
  ) async throws(ServiceUnavailable) -> TestReceipt? {
    try ask { .test(recipient, order, observer, $0) }
  }

  func forgetTest(_ notification: String) {}

  func prunable(
    _ question: PruningQuestion
  ) async throws(ServiceUnavailable) -> PruningForecast {
    try query { .prunable(question, $0) }
  }

  func status() async throws(ServiceUnavailable) -> ServiceStatus { try query { .status($0) } }

  func activity(
    _ question: ActivityQuestion
  ) async throws(ServiceUnavailable) -> Activity {
    try query { .activity(question, $0) }
  }

  func trial(
    of planner: Planner, days: Int
  ) async throws(ServiceUnavailable) -> CatalogTrial {
    try query { .trial(planner, days: days, $0) }
  }

  func watchStatus(telling signal: StreamSignal) -> ViewWatch? {
    state.withLock { $0.core.questions.watchStatus(telling: signal) }
  }

  func forecast(
    _ question: ForecastQuestion
  ) async throws(ServiceUnavailable) -> Forecast {
    try query { .forecast(question, $0) }
  }

  func metrics() async throws(ServiceUnavailable) -> ServiceMetrics { try query { .metrics($0) } }

  func analytics(
    _ query: AnalyticsQuery
  ) async throws(ServiceUnavailable) -> AnalyticsPage? {
    try self.query { .analytics(query, $0) }
  }

  func export(
    _ recipient: String, _ place: ExportPage.Place
  ) async throws(ServiceUnavailable) -> ExportPage? {
    try query { .export(recipient, place, $0) }
  }

  func usage(
    from first: LocalDate, through last: LocalDate
  ) async throws(ServiceUnavailable) -> UsageTable {
    try query { .usage(from: first, through: last, $0) }
  }

  func backup() async throws(ServiceUnavailable) -> any StoreBackup {
    do {
      return try SQLiteBackup(ofStoreIn: directory.path)
    } catch {
      throw ServiceUnavailable(.storageFull, "\(error)")
    }
  }
}
