import Logging
import Synchronization
import Testing

@testable import API

/// Rule H6: refusals are counted by reason and app, and logged at a bounded rate.
@Suite struct RefusalCountTests {
  private final class LogState: Sendable {
    let lines = Mutex<[String]>([])
    let now = Mutex(ContinuousClock.now)
  }

  private struct CollectingLogHandler: LogHandler {
    let state: LogState
    var metadata: Logger.Metadata = [:]
    var metadataProvider: Logger.MetadataProvider?
    var logLevel = Logger.Level.trace

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
      get { metadata[key] }
      set { metadata[key] = newValue }
    }

    func log(event: LogEvent) { state.lines.withLock { $0.append("\(event.message)") } }
  }

  private let state: LogState
  private let counts: RefusalCounts

  init() {
    let state = LogState()
    self.state = state
    counts = RefusalCounts(
      logger: Logger(label: "test") { _ in CollectingLogHandler(state: state) },
      clock: { state.now.withLock { $0 } })
  }

  private func advance(by span: Duration) { state.now.withLock { $0 += span } }
  private var lines: [String] { state.lines.withLock { $0 } }

  @Test func `H6: a flood of refusals is logged once a minute`() throws {
    let problem = Problem(.unacceptableEvent, "no", path: "data.timezone")
    for _ in 0..<1_000 { counts.count(problem, of: "shop") }
    advance(by: .seconds(59))
    counts.count(problem, of: "shop")
    #expect(lines.count == 1)
    advance(by: .seconds(1))
    counts.count(problem, of: "shop")
    #expect(
      lines == [
        "refused an event from shop: The event is not acceptable (data.timezone); the app got the "
          + "reason",
        "refused 1001 events from shop: The event is not acceptable (data.timezone); the app got "
          + "the reason",
      ])
    let metrics = try Exposition(counts.text)
    let labels = ["reason": "unacceptable-event", "app": "shop"]
    #expect(metrics["chimed_refused_events_total", labels] == 1_002)
  }

  @Test func `H6: the number of counted app names is bounded`() throws {
    for number in 0..<1_000 { counts.count(Problem(.malformedEvent, "no"), of: "app \(number)") }
    let text = counts.text
    #expect(text.split(separator: "\n").count < 210)
    let labels = ["reason": "malformed-event", "app": RefusalCounts.otherAppsLabel]
    #expect(try Exposition(text)["chimed_refused_events_total", labels] == 800)
    #expect(lines.count < 210)
  }

  @Test func `H6: only plain paths are logged`() {
    counts.count(Problem(.malformedEvent, "no", path: "data.ana@example.org"), of: nil)
    #expect(lines == ["refused an event from other: This is not an event; the app got the reason"])
  }

  @Test(.timeLimit(.minutes(1)))
  func `H6: refusals are counted for single events, batches and streams`()
    async throws
  {
    try await TestServer.serving(FakeService()) { server in
      let unknownTypeEvent =
        #"{"specversion":"1.0","id":"e","source":"shop","type":"nothing","subject":"u"}"#
      _ = try await server.post(unknownTypeEvent)
      _ = try await server.post("[\(unknownTypeEvent),\(unknownTypeEvent)]")
      _ = try await server.post(unknownTypeEvent + "\n7\n", as: "application/x-ndjson")
      _ = try await server.post("{")
      let metrics = try Exposition(try await server.get("/metrics").text)
      let name = "chimed_refused_events_total"
      #expect(metrics[name, ["reason": "unacceptable-event", "app": "shop"]] == 4)
      #expect(metrics[name, ["reason": "malformed-event", "app": "other"]] == 1)
      #expect(metrics[name, ["reason": "malformed-text", "app": "other"]] == 1)
      #expect(metrics["chimed_http_responses_total", ["status": "422"]] == 1)
      #expect(metrics["chimed_http_responses_total", ["status": "400"]] == 1)
      for name in ["process_resident_memory_bytes", "process_open_fds", "process_max_fds"] {
        #expect(metrics[name, [:]].map { $0 > 1 } == true, "\(name)")
      }
      #expect(metrics["process_cpu_seconds_total", [:]] != nil)
    }
  }
}
