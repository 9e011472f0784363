import API
import CivilTime
import Glibc
import Logging
import Reminders
import ServiceDouble
import ServiceLifecycle
import Store

@testable import Engine

/// A service for clients. It accepts every event, and has one recipient.
struct TestService: ServiceDouble {
  static let recipient = "a/b c?é"

  struct DirectoryError: Error {}

  let planner: Planner

  init() throws {
    let zones = try ZoneDatabase(generation: 1)
    planner = Planner(
      catalog: Catalog(), zones: zones, defaultZone: try zones.zone(named: "UTC"))
  }

  func submit(_ events: [Event]) async throws(ServiceUnavailable) -> [Receipt] {
    events.map { _ in .accepted }
  }

  func answer<Query: EngineQuery>(
    _ query: Query
  ) async throws(ServiceUnavailable) -> Query.Value {
    if let answer = query.answer(by: recipient) { return answer }
    if let answer = query.answer(by: agenda) { return answer }
    if let answer = query.answer(by: status) { return answer }
    if let answer = query.answer(by: prunable) { return answer }
    if let answer = query.answer(by: export) { return answer }
    return try emptyAnswer(to: query)
  }

  private func recipient(_ query: RecipientQuery) -> Recipient? {
    query.recipient == Self.recipient
      ? Recipient(name: Self.recipient, now: Instant(milliseconds: 0)) : nil
  }

  private func agenda(_ query: AgendaQuery) -> Agenda? {
    guard query.recipient == Self.recipient else { return nil }
    let entries = (0..<2_500).map { number in
      let at = Instant(milliseconds: Int64(number))
      return Agenda.Entry(
        reminder: "r\(number)", category: "C", channels: [], title: "", body: "", planned: at,
        at: at, outcome: .delivered, reasons: [])
    }
    return Agenda(
      recipient: Self.recipient, zone: planner.defaultZone, isDefaultZone: true,
      now: Instant(milliseconds: 0), entries: entries)
  }

  private func status(_ query: StatusQuery) -> ServiceStatus {
    ServiceStatus(
      now: Instant(milliseconds: 0), started: Instant(milliseconds: 0), recipients: 1, pending: 3,
      next: [], lanes: [], catalogs: [], zoneDatabase: "", defaultZone: "UTC")
  }

  /// Returns old events on the second and the third of four pages.
  private func prunable(_ query: PruningQuery) -> PruningForecast {
    var page = Prunable()
    if query.part == .events, query.after < 3 {
      page.cursor = query.after + 1
      page.count = [0, 2, 3][Int(query.after)]
      page.oldest = query.after == 0 ? nil : Instant(milliseconds: 1_000 * query.after)
    }
    return PruningForecast(query.part, retention: .days(90), found: page)
  }

  private func export(_ query: ExportQuery) -> ExportPage? { ExportPage() }

  /// Serves on a new socket while `body` runs, which gets the path of the socket.
  static func serving(_ body: (String) async throws -> Void) async throws {
    var template = Array("/tmp/chimed-test-XXXXXX".utf8CString)
    guard mkdtemp(&template) != nil else { throw DirectoryError() }
    let directory = String(
      decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
    defer { remove(directory) }
    let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
    let (bound, signal) = AsyncStream<Void>.makeStream()
    let api = APIServer(
      service: try TestService(), socket: directory + "/s", logger: logger,
      now: { Instant(milliseconds: 0) }, whenBound: { _ in signal.finish() })
    let group = ServiceGroup(
      services: [api], gracefulShutdownSignals: [], logger: logger)
    async let running: Void = group.run()
    for await _ in bound {}
    let result: Result<Void, any Error>
    do { result = .success(try await body(directory + "/s")) } catch { result = .failure(error) }
    await group.triggerGracefulShutdown()
    try await running
    try result.get()
  }
}
