import CivilTime
import Cryptography
import Engine
import Foundation
import Outbox
import Reminders
import SQLiteStore
import Sinks
import Store
import Systemd

/// A burst of webhooks to a receiver on this machine. Each is decided, recorded, signed, sent,
/// answered and recorded as delivered. The rate is compared with that of `wrk` on this receiver.
struct WebhookBenchmark {
  /// The number of recipients, each of which gets one delivery.
  let count: Int

  func run() async throws {
    print("burst of \(count) by webhook")
    let receiver = try await WebhookReceiver()
    try await withScratchDirectory { directory in
      let planner = try Workload.planner()
      let burst = BurstBenchmark(count: count)
      try burst.fill(directory, planner)
      let sink = try sink(port: receiver.port)
      let requestQueue = try RequestQueue()
      let shell = EngineShell(
        sinks: [sink], requestQueue: requestQueue,
        journal: Journal(.lines(BurstBenchmark.nullDevice)))
      let core = try EngineCore(
        store: SQLiteStore(directory: directory + "/state"), planner: planner, sinks: [sink],
        actions: shell, now: BurstBenchmark.evening - .seconds(1))
      let processorStart = processSeconds()
      let time = try seconds { try burst.fire(core, requestQueue) }
      show("that is", Double(count) / time, "deliveries a second")
      show(
        "processor time of engine, sink and receiver",
        (processSeconds() - processorStart) * 1e6 / Double(count), "us each")
      print(
        receiver.count == count
          ? "  all \(count) were received once" : "  WRONG: \(receiver.count) were received")
      try measureCeiling(directory, port: receiver.port)
    }
    try await receiver.stop()
  }

  private func sink(port: Int) throws -> WebhookSink {
    let secret = WebhookSecret(
      Secret("whsec_" + Data(repeating: 1, count: 32).base64EncodedString()))
    let allowed = AddressPolicy(allowed: ["127.0.0.0/8"].compactMap(Network.init))
    return WebhookSink(
      name: "webhook", url: try HTTPURL("http://127.0.0.1:\(port)/"),
      secrets: secret.map { [$0] } ?? [], concurrency: 64,
      client: try SafeHTTPClient(
        HTTPSettings(policy: allowed), deadline: .seconds(15), concurrency: 64),
      surroundings: SinkEnvironment(
        journal: Journal(.lines(BurstBenchmark.nullDevice)),
        credentials: Credentials(directory: nil), now: { WallClock.now() }))
  }

  /// Measures requests of the same size from a client that does nothing else.
  private func measureCeiling(_ directory: String, port: Int) throws {
    let script = directory + "/post.lua"
    try Data("wrk.method = \"POST\"\nwrk.body = string.rep(\"x\", 600)\n".utf8)
      .write(to: URL(filePath: script))
    let process = Process()
    process.executableURL = URL(filePath: "/usr/bin/wrk")
    guard FileManager.default.isExecutableFile(atPath: "/usr/bin/wrk") else {
      return print("  wrk is not installed: no ceiling to compare with")
    }
    process.arguments = [
      "--threads", "1", "--connections", "64", "--duration", "5s", "--script", script,
      "http://127.0.0.1:\(port)/",
    ]
    let output = Pipe()
    process.standardOutput = output
    try process.run()
    process.waitUntilExit()
    let text = String(decoding: output.fileHandleForReading.availableData, as: UTF8.self)
    let line = text.split(separator: "\n").first { $0.contains("Requests/sec") }
    let rate = line?.split(separator: " ").last.flatMap { Double($0) } ?? 0
    show("wrk's ceiling for this receiver", rate, "requests a second")
  }
}
