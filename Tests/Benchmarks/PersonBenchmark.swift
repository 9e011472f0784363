import CivilTime
import Engine
import Foundation
import JSON
import Reminders
import SQLiteStore
import Store
import Systemd

/// Measures single durable events of a recipient with many pending requested notifications, and
/// compares them with those of a recipient without any.
struct PersonBenchmark {
  /// The number of pending notifications; at most one less than the limit for a recipient.
  let pending: Int

  private static let morning = Instant("2026-03-02T09:00:00Z") ?? Instant(milliseconds: 0)
  /// The number of engine cycles of which the median is shown.
  private static let cycleCount = 3_000

  func run() async throws {
    print("a person with \(pending) requested notifications pending")
    // The times without pending notifications, which are measured first.
    var baselines: [String: Double] = [:]
    for count in [0, pending] {
      try await withScratchDirectory { directory in
        let maker = try EventMaker()
        let core = try EngineCore(
          store: BenchmarkStore.file.open(in: directory, at: Self.morning), planner: maker.planner,
          sinks: [],
          actions: EngineShell(
            sinks: [], requestQueue: try RequestQueue(),
            journal: Journal(.lines(BurstBenchmark.nullDevice))),
          now: Self.morning)
        // One less than the limit, so that another request is accepted.
        let pendingCount = min(count, Facts.requestsMax - 1)
        try core.turn([.submit((0..<pendingCount).map(maker.request), { _ in })], now: Self.morning)
        for (name, makeEvents) in [
          ("a check-in", maker.checkIn), ("a request or its cancellation", maker.change),
        ] {
          let time = try median(of: core, makeEvents)
          show("\(name) with \(count) pending", time, "us")
          if let baseline = baselines[name] { show("times as long", time / baseline, "") }
          baselines[name] = baselines[name] ?? time
        }
        try core.store.shutDown()
      }
    }
  }

  /// Returns the median time of an engine cycle in microseconds.
  private func median(of core: EngineCore, _ makeEvents: (Int) -> [Event]) throws -> Double {
    let times = try (0..<Self.cycleCount).map { number in
      let events = makeEvents(number)
      return try seconds {
        try core.turn([.submit(events, { _ in })], now: Self.morning + .seconds(number))
      }
    }
    return times.sorted()[Self.cycleCount / 2] * 1e6
  }

  /// Creates events of one recipient.
  private struct EventMaker {
    let planner: Planner
    private let reader: EventReader
    private let parser = JSONParser()

    init() throws {
      planner = try Workload.planner()
      reader = EventReader(planner: planner)
    }

    func request(_ number: Int) -> Event {
      read(
        "r\(number)", "notification.requested",
        """
        {"category":"LESSON","title":"Job \(number)",\
        "body":"This is the text of job \(number), and of no other",\
        "at":"2026-05-\(10 + number % 20)T\(10 + number % 10):00:00Z"}
        """)
    }

    func checkIn(_ number: Int) -> [Event] { [read("c\(number)", "checkin.completed", "{}")] }

    /// Returns a request for an even number, and the cancellation of that request for the next
    /// number.
    func change(_ number: Int) -> [Event] {
      let job = 1_000_000 + number / 2
      guard number % 2 == 1 else { return [request(job)] }
      return [read("x\(number)", "notification.cancelled", "{\"notification\":\"r\(job)\"}")]
    }

    private func read(_ identifier: String, _ type: String, _ data: String) -> Event {
      do {
        return try reader.event(
          try parser.parse(
            """
            {"specversion":"1.0","id":"\(identifier)","source":"benchmark","type":"\(type)",\
            "subject":"user-0","time":"2026-03-02T09:00:00Z","data":\(data)}
            """), now: PersonBenchmark.morning)
      } catch {
        preconditionFailure("the benchmark's own event is refused: \(error)")
      }
    }
  }
}
