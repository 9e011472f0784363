import CivilTime
import Foundation
import Reminders
import Testing

@testable import API
@testable import Engine

/// Rule H2: metrics in the format of Prometheus.
@Suite struct MetricsTests {
  @Test func `metrics have the values of the service`() async throws {
    try await TestServer.serving(FakeService()) { server in
      let reply = try await server.get("/metrics")
      #expect(reply.status == 200)
      #expect(reply.contentType == "text/plain; version=0.0.4; charset=utf-8")
      let metrics = try Exposition(reply.text)
      #expect(metrics["chimed_pending", [:]] == 5)
      #expect(metrics["chimed_replanning", [:]] == 1)
      #expect(metrics["chimed_streams", [:]] == 6)
      #expect(metrics["chimed_storage_failing", [:]] == 1)
      #expect(metrics["chimed_store_disk_used_ratio", [:]] == 0.96)
      #expect(metrics["process_start_time_seconds", [:]] == 1_772_409_600)
      #expect(metrics["chimed_zone_database_info", ["version": "2026f"]] == 1)
      #expect(metrics["chimed_events_total", ["outcome": "accepted"]] == 7)
      #expect(
        metrics[
          "chimed_occurrences_total",
          ["reminder": "daily-checkin-reminder", "outcome": "delivered"]] == 4)
      #expect(
        metrics["chimed_verdicts_total", ["gate": "quiet_hours", "verdict": "held"]] == 0)
      #expect(
        metrics["chimed_deliveries_total", ["sink": "journal", "outcome": "delivered"]] == 5)
      #expect(metrics["chimed_sink_outages_total", ["sink": "journal"]] == 2)
      #expect(metrics["chimed_progress_age_seconds", ["part": "engine"]] == 0.25)
    }
  }

  @Test func `H24: each condition that an operator acts on has a metric`() throws {
    let metrics = try Exposition(Self.text)
    let now = Double(Fixtures.now.milliseconds) / 1_000
    #expect(metrics["chimed_clock_lead_seconds", [:]] == 7_200)
    #expect(metrics["chimed_clock_lag_seconds", [:]] == 60)
    #expect(metrics["chimed_configuration_rejected", [:]] == 1)
    #expect(metrics["chimed_retention_age_seconds", [:]] == 18_000)
    #expect(metrics["chimed_token_expiry_timestamp_seconds", [:]] == now + 3 * 86_400)
    #expect(metrics["chimed_holidays_end_timestamp_seconds", [:]] == now + 300 * 86_400)
    #expect(metrics["chimed_zone_database_release_timestamp_seconds", [:]] == now - 40 * 86_400)
  }

  @Test func `H25: spans are counted by their outcome`() throws {
    let metrics = try Exposition(Self.text)
    #expect(metrics["chimed_spans_total", ["outcome": "exported"]] == 9)
    #expect(metrics["chimed_spans_total", ["outcome": "dropped"]] == 1)
  }

  @Test func `L7: the latest audit has metrics, and none before it`() throws {
    let metrics = try Exposition(Self.text)
    let until = Double(Fixtures.audit.until.milliseconds) / 1_000
    #expect(metrics["chimed_audit_until_timestamp_seconds", [:]] == until)
    #expect(metrics["chimed_audit_recipients", [:]] == 12)
    #expect(metrics["chimed_audit_differences", [:]] == 2)
    #expect(metrics["chimed_audit_excused", [:]] == 3)
    var earlier = Fixtures.metrics
    earlier.audit = nil
    #expect(!earlier.text.contains("chimed_audit"))
  }

  @Test func `H24: values that are unknown or do not apply are absent`() throws {
    var metrics = Fixtures.metrics
    (metrics.tokenExpiry, metrics.holidaysEnd, metrics.zonesReleased) = (nil, nil, nil)
    metrics.retentionAge = nil
    let exposition = try Exposition(metrics.text)
    for name in ["retention_age", "token_expiry_timestamp", "holidays_end_timestamp"] {
      #expect(exposition["chimed_\(name)_seconds", [:]] == nil, "\(name)")
    }
  }

  @Test func `M1: analytics deliveries have their own metrics`() throws {
    let metrics = try Exposition(Self.text)
    let sink = ["sink": "journal"]
    #expect(metrics["chimed_analytics_total", ["sink": "journal", "outcome": "delivered"]] == 5)
    #expect(metrics["chimed_analytics_failing", sink] == 1)
    #expect(metrics["chimed_analytics_waiting", sink] == 3)
    #expect(metrics["chimed_analytics_waiting", ["sink": "hook"]] == 7)
    #expect(metrics["chimed_analytics_age_seconds", sink] == 2.5)
  }

  @Test func `the fleet has metrics`() throws {
    let metrics = try Exposition(Self.text)
    #expect(metrics["chimed_fleet_nodes", ["standing": "serving"]] == 1)
    #expect(metrics["chimed_fleet_nodes", ["standing": "silent"]] == 1)
    #expect(metrics["chimed_fleet_shards", [:]] == 4)
    #expect(metrics["chimed_fleet_shards_owned", [:]] == 2)
    #expect(metrics["chimed_fleet_shards_free", [:]] == 1)
    #expect(metrics["chimed_fleet_trusted", [:]] == 1)
    #expect(metrics["chimed_fleet_skew_seconds", [:]] == -0.3)
    #expect(metrics["chimed_fleet_plans", [:]] == 2)
    #expect(metrics["chimed_fleet_evictions_total", ["reason": "gone"]] == 2)
    #expect(metrics["chimed_fleet_evictions_total", ["reason": "silent"]] == 0)
    #expect(
      metrics["chimed_fleet_heartbeat_age_seconds", ["name": "west", "node": "3c"]] == 6)
  }

  @Test func `label values are escaped`() throws {
    let metrics = try Exposition(Self.text)
    let sink = ["sink": "a \"b\" \\ c\nd"]
    #expect(metrics["chimed_outbox_waiting", sink] == 4)
    #expect(metrics["chimed_outbox_age_seconds", sink] == 1.5)
    #expect(metrics["chimed_outbox_queue_age_seconds", sink] == 0.5)
    #expect(metrics["chimed_sink_failing", sink] == 1)
    #expect(metrics["chimed_dead_letters", sink] == 2)
  }

  @Test func `M2: usage metrics name no recipient`() throws {
    let metrics = try Exposition(Self.text)
    let labels = ["category": "CHECKIN", "channel": "push", "hour": "21"]
    let with = { (name: String, value: String) in labels.merging([name: value]) { $1 } }
    #expect(metrics["chimed_usage_total", with("measure", "planned")] == 7)
    #expect(metrics["chimed_usage_dropped_total", with("gate", "expired")] == 2)
    #expect(metrics["chimed_preset_uses_total", ["preset": "minimal"]] == 2)
  }

  @Test func `histograms are cumulative`() throws {
    let metrics = try Exposition(Self.text)
    let name = "chimed_lateness_seconds"
    #expect(metrics[name + "_bucket", ["le": "0.001"]] == 0)
    #expect(metrics[name + "_bucket", ["le": "0.01"]] == 1)
    #expect(metrics[name + "_bucket", ["le": "43200.0"]] == 1)
    #expect(metrics[name + "_bucket", ["le": "+Inf"]] == 2)
    #expect(metrics[name + "_sum", [:]] == 100_000.004)
  }

  @Test func `metrics of an unavailable service are answered 503`() async throws {
    let service = try FakeService()
    service.set { $0.unavailability = ServiceUnavailable(.stopping, "it stops") }
    try await TestServer.serving(service) { server in
      let reply = try await server.get("/metrics")
      #expect(reply.status == 503)
      #expect(reply.contentType == "application/problem+json")
    }
  }

  @Test(arguments: [
    "a 1\n", "# HELP a b\n# TYPE a gauge\na 1", "# HELP a b\n# TYPE a gauge\nb 1\n",
    "# HELP a b\n# TYPE a gauge\na one\n", "# HELP a b\n# TYPE a gauge\na 1\na 2\n",
    "# HELP a b\n# TYPE a counter\na 1\n", "# HELP a b\n# TYPE a gauge\na{b=\"c} 1\n",
    "# HELP a b\n# TYPE a gauge\n# HELP a b\n", "# HELP a b\n# TYPE a gauge\na{b=\"\\x\"} 1\n",
    "# HELP a b\n# TYPE a histogram\na_bucket{le=\"1\"} 2\na_sum 1\na_count 2\n",
    "# HELP a b\n# TYPE a histogram\na_bucket{le=\"+Inf\"} 2\na_sum 1\na_count 3\n",
  ])
  func `the parser of these tests is strict`(text: String) {
    #expect(throws: Exposition.Mistake.self) { try Exposition(text) }
  }

  /// Debian's package `prometheus` has promtool, but also installs and starts a server. So promtool
  /// is used if it is present, but never installed.
  @Test(.enabled(if: promtool != nil, "promtool is not installed; only `Exposition` checks"))
  func `promtool accepts the metrics`() throws {
    let path = try #require(Self.promtool)
    let process = Process()
    process.executableURL = URL(filePath: path)
    process.arguments = ["check", "metrics"]
    let (input, output) = (Pipe(), Pipe())
    process.standardInput = input
    process.standardOutput = output
    process.standardError = output
    try process.run()
    try input.fileHandleForWriting.write(contentsOf: Data(Self.text.utf8))
    try input.fileHandleForWriting.close()
    let findings = try output.fileHandleForReading.readToEnd() ?? Data()
    process.waitUntilExit()
    #expect(process.terminationStatus == 0)
    #expect(String(decoding: findings, as: UTF8.self) == "")
  }

  private static let promtool: String? = {
    let path = ProcessInfo.processInfo.environment["PATH"] ?? ""
    return path.split(separator: ":").map { "\($0)/promtool" }
      .first { FileManager.default.isExecutableFile(atPath: $0) }
  }()

  private static var text: String { Fixtures.metrics.text }
}
