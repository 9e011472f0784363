import CivilTime
import Glibc
import JSON
import Testing

/// Rule D3: a sink that never answers, beside a busy one.
@OwnThread @Suite struct IsolationTests {
  private static let recipientCount = 50
  private static let batchCount = 20

  @Test(
    .enabled(
      if: HookPeer.isAvailable, "standardwebhooks is missing; run `make test`, which fetches it"))
  func `a sink that never answers delays neither other sinks nor the timer wheel`() throws {
    let hook = try HookPeer()
    try hook.answer(0)
    let stage = try DeliveryStage(
      [
        "dead": hook.sink.replacing("}, allow", with: "}, deadline: 5m, allow"),
        "lines": "{type: jsonl, file: \"-\"}",
      ],
      routes: "{email: dead, push: lines}", secrets: HookPeer.secrets)
    let service = try stage.start()
    for batch in 0..<Self.batchCount {
      // Half of the notifications wait in the timer wheel first.
      let time = batch.isMultiple(of: 2) ? "" : #","at":"\#(Report.now + .milliseconds(100))""#
      let events = (0..<Self.recipientCount).map {
        Report.note("n\(batch)-\($0)", to: "r\($0)", by: #""push","email""#, time)
      }
      #expect(try service.ask("POST", "/v1/events", Report.batch(events)).status == 200)
      let deliveries = try service.deliveries(Self.recipientCount)
      let titles = deliveries.compactMap { $0["title"]?.stringValue }
      #expect(Set(titles) == Set((0..<Self.recipientCount).map { "n\(batch)-\($0)" }))
      #expect(titles.count == Self.recipientCount)
    }
    // The loop ends within the deadline of the sink that never answers, so it has no outage yet.
    let count = Self.recipientCount * Self.batchCount
    let metrics = try service.metrics { $0["chimed_outbox_waiting{sink=\"lines\"}"] == 0 }
    #expect(metrics["chimed_deliveries_total{sink=\"lines\",outcome=\"delivered\"}"] == count)
    #expect(metrics["chimed_deliveries_total{sink=\"dead\",outcome=\"delivered\"}"] == 0)
    #expect(metrics["chimed_sink_outages_total{sink=\"dead\"}"] == 0)
    #expect(metrics["chimed_outbox_waiting{sink=\"dead\"}"] == count)
    #expect(metrics["chimed_due"] == 0)
    #expect(metrics["chimed_pending"] == 0)
    service.process.send(SIGKILL)
  }
}

extension Service {
  /// Waits until the metrics meet a condition, and returns them by name and labels.
  ///
  /// Each value is rounded down to an integer.
  func metrics(until condition: ([String: Int]) -> Bool) throws -> [String: Int] {
    var metrics: [String: Int] = [:]
    _ = try ask("/metrics") { body in
      metrics = Self.parseMetrics(body.stringValue ?? "")
      return condition(metrics)
    }
    return metrics
  }

  private static func parseMetrics(_ text: String) -> [String: Int] {
    var metrics: [String: Int] = [:]
    for line in text.split(separator: "\n") where !line.hasPrefix("#") {
      let parts = line.split(separator: " ")
      if parts.count == 2, let value = Double(parts[1]) { metrics["\(parts[0])"] = Int(value) }
    }
    return metrics
  }
}
