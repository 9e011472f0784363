import API
import CivilTime
import Glibc
import Logging
import Reminders
import ServiceLifecycle
import Store

@testable import Engine

/// A service for clients: it accepts every event and knows one recipient.
struct TestService: EmptyInbox {
  static let recipient = "a/b c?é"

  struct CannotBeMade: Error {}

  let planner: Planner

  init() throws {
    let zones = try ZoneDatabase(generation: 1)
    planner = Planner(
      catalog: Catalog(), zones: zones, defaultZone: try zones.zone(named: "UTC"))
  }

  func submit(_ events: [Event]) async throws(ServiceUnavailable) -> [Receipt] {
    events.map { _ in .accepted }
  }

  func recipient(_ name: String) async throws(ServiceUnavailable) -> Recipient? {
    name == Self.recipient ? Recipient(name: name, now: Instant(milliseconds: 0)) : nil
  }

  func history(
    of recipient: String, notification: String
  ) async throws(ServiceUnavailable) -> HistoryAnswer { .unknownRecipient }

  func write(_ write: Write) async throws(ServiceUnavailable) -> WriteReceipt {
    .outdated(version: 0)
  }

  func agenda(of recipient: String) async throws(ServiceUnavailable) -> Agenda? {
    guard recipient == Self.recipient else { return nil }
    let entries = (0..<2_500).map { number in
      let at = Instant(milliseconds: Int64(number))
      return Agenda.Entry(
        reminder: "r\(number)", category: "C", channels: [], title: "", body: "", planned: at,
        at: at, outcome: .delivered, reasons: [])
    }
    return Agenda(
      recipient: recipient, zone: planner.defaultZone, isDefaultZone: true,
      now: Instant(milliseconds: 0), entries: entries)
  }

  func status() async throws(ServiceUnavailable) -> ServiceStatus {
    ServiceStatus(
      now: Instant(milliseconds: 0), started: Instant(milliseconds: 0), recipients: 1, pending: 3,
      next: [], lanes: [], catalogs: [], zoneDatabase: "", defaultZone: "UTC")
  }

  /// Two of three pages have old events.
  func prunable(
    _ question: PruningQuestion
  ) async throws(ServiceUnavailable) -> PruningForecast {
    var found = Prunable()
    if question.part == .events, question.after < 3 {
      found.place = question.after + 1
      found.count = [0, 2, 3][Int(question.after)]
      found.oldest = question.after == 0 ? nil : Instant(milliseconds: 1_000 * question.after)
    }
    return PruningForecast(question.part, kept: .days(90), found: found)
  }

  func metrics() async throws(ServiceUnavailable) -> ServiceMetrics {
    throw ServiceUnavailable(.stopping, "there are no metrics")
  }

  func analytics(_ query: AnalyticsQuery) async throws(ServiceUnavailable) -> AnalyticsPage? { nil }

  func usage(
    from first: LocalDate, through last: LocalDate
  ) async throws(ServiceUnavailable) -> UsageTable { UsageTable([:]) }

  func export(
    _ recipient: String, _ place: ExportPage.Place
  ) async throws(ServiceUnavailable) -> ExportPage? {
    ExportPage()
  }

  /// Serves on its own socket while `body` runs.
  static func serving(_ body: (String) async throws -> Void) async throws {
    var template = Array("/tmp/chimed-test-XXXXXX".utf8CString)
    guard mkdtemp(&template) != nil else { throw CannotBeMade() }
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
