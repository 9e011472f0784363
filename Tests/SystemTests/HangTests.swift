import Glibc
import JSON
import Testing

/// Rule S2 for the running program. A hang that a restart cures leads to a restart, in time and
/// without loss. Other delays are reported and lead to no restart.
@OwnThread @Suite struct HangTests {
  private let workspace: Workspace
  private let manager: Manager

  init() throws {
    workspace = try Workspace()
    manager = try Manager(in: workspace)
  }

  private static let watchdog = ["WATCHDOG_USEC": "2000000"]

  private func start(sink: Service.Sink = .output) throws -> Service {
    let service = try Service(
      workspace, arguments: Service.arguments(workspace, sink: sink),
      environment: Self.watchdog.merging(["NOTIFY_SOCKET": manager.path]) { $1 })
    try service.waitUntilReady()
    return service
  }

  private func batch(_ count: Int) -> String {
    let time = Report.overdue
    return Report.batch((0..<count).map { Report.milestone("e\($0)", of: "r\($0)", at: time) })
  }

  @Test(
    .enabled(
      if: ThreadHold.obstacle == nil, "\(ThreadHold.obstacle ?? "a thread can be stopped")"),
    arguments: [("engine", "engine"), ("NIO-SGLTN-*", "http thread ")])
  func `a thread that hangs leads to a restart`(thread: String, part: String) throws {
    let service = try start()
    let events = batch(20)
    #expect(try service.ask("POST", "/v1/events", events).body["accepted"] == 20)
    #expect(try service.deliveries(20).count == 20)
    manager.messages = []
    let hold = try ThreadHold(thread, of: service.process)
    // A hang goes unnoticed until the thread has work.
    let connection = try Connection(to: workspace.socket)
    connection.begin("GET", "/v1/status")
    _ = connection.send(upTo: .max)
    let start = ContinuousClock.now
    try manager.wait(for: service) { manager in manager.messages.contains("WATCHDOG=trigger") }
    #expect(start.duration(to: .now) < .milliseconds(2_500), "WatchdogSec= is 2 s")
    #expect(manager.status.hasPrefix("stalled: \(part)"))
    try service.waitUntilLogged("the service manager is asked to restart")
    let entries = service.log.split(separator: "\n").filter { $0.contains("has made no progress") }
    #expect(entries.allSatisfy { $0.contains(" \(part)") })
    #expect(entries.count == 2)
    #expect(entries.first?.contains("after 1.5 s the service is restarted") == true)
    #expect(entries.last?.contains("the service manager is asked to restart") == true)
    service.process.send(SIGABRT)
    while !service.hasEnded { try service.readOutput() }
    #expect(try service.process.finish() == .killed(signal: SIGABRT))
    withExtendedLifetime(hold) {}

    let next = try Service(workspace)
    try next.waitUntilReady()
    #expect(try next.ask("POST", "/v1/events", events).body["duplicate"] == 20)
    #expect(try next.stop() == .exited(0))
  }

  @Test(
    .enabled(
      if: ThreadHold.obstacle == nil, "\(ThreadHold.obstacle ?? "a thread can be stopped")"))
  func `S12: without a service manager, a service that hangs ends by itself`() throws {
    let service = try Service(
      workspace, arguments: Service.arguments(workspace), environment: Self.watchdog)
    try service.waitUntilReady()
    let hold = try ThreadHold("engine", of: service.process)
    let connection = try Connection(to: workspace.socket)
    connection.begin("POST", "/v1/events", batch(1))
    _ = connection.send(upTo: .max)
    while !service.hasEnded { try service.readOutput() }
    #expect(try service.process.finish() == .exited(70))
    #expect(service.log.contains("; the process ends with 70 CHIME_REASON=engine"))
    withExtendedLifetime(hold) {}
  }

  @Test func `a slow sink leads to no restart`() throws {
    try #require(mkfifo(workspace.deliveries, 0o600) == 0)
    let end = open(workspace.deliveries, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
    let reader = Inlet(try Failure.check("open", end))
    let service = try start(sink: .file)
    #expect(try service.ask("POST", "/v1/events", batch(1_000)).body["accepted"] == 1_000)
    try manager.wait(for: service) { $0.status.contains("jsonl takes long to answer") }
    try service.waitUntilLogged("jsonl has not answered for")
    let metrics = try service.ask("GET", "/metrics").body.stringValue ?? ""
    let age = metrics.split(separator: "\n").first {
      $0.hasPrefix("chimed_progress_age_seconds{part=\"jsonl\"} ")
    }
    #expect(age.flatMap { Double($0.split(separator: " ")[1]) } ?? 0 > 2)
    manager.messages = []
    try manager.wait(for: service) { $0.messages.count { $0 == "WATCHDOG=1" } >= 4 }
    #expect(!manager.messages.contains("WATCHDOG=trigger"))

    _ = try Failure.check("fcntl", fcntl(end, F_SETFL, 0))
    var lines = 0
    while lines < 1_000 {
      reader.read()
      lines += reader.takeLines().count
    }
    try service.waitUntilLogged("jsonl has answered")
    try manager.wait(for: service) { !$0.status.contains("jsonl") }
    #expect(lines == 1_000)
    #expect(try service.stop() == .exited(0))
  }

  @Test func `a failing sink leads to no restart`() throws {
    let service = try start(sink: .full)
    #expect(try service.ask("POST", "/v1/events", batch(1)).body["accepted"] == 1)
    try manager.wait(for: service) { $0.status.contains("jsonl fails: writing failed") }
    try service.waitUntilLogged("jsonl is down: writing failed")
    let metrics = try service.ask("GET", "/metrics").body.stringValue ?? ""
    #expect(metrics.contains("chimed_sink_failing{sink=\"jsonl\"} 1"))
    manager.messages = []
    try manager.wait(for: service) { $0.messages.count { $0 == "WATCHDOG=1" } >= 5 }
    #expect(!manager.messages.contains("WATCHDOG=trigger"))
    #expect(try service.stop() == .exited(0))
  }
}
