import Glibc
import JSON
import Testing

/// Rule D1: the recipe of chimed-service(7) for frequent backups of a store in a file.
@OwnThread @Suite struct BackupTimerTests {
  private let workspace: Workspace
  /// The time of all events.
  private let time = Report.overdue
  private var copies: String { workspace.path + "/copies" }

  init() throws {
    workspace = try Workspace()
  }

  /// Runs the script that the recipe's timer starts.
  private func backUp(keeping count: String, _ expected: ChildProcess.Ending = .exited(0)) throws {
    let script = try ChildProcess(
      "/bin/sh",
      [
        Project.root + "/config/examples/backup.sh", copies, count, "--socket",
        workspace.socket,
      ],
      environment: ["PATH": "\(Project.programs):/usr/bin:/bin"])
    let ending = try script.finish()
    let messages = String(decoding: script.errors.take(), as: UTF8.self)
    #expect(ending == expected, "\(messages)")
  }

  private func event(_ number: Int) -> String {
    Report.milestone("e\(number)", of: "r\(number)", at: time)
  }

  /// Reports a milestone, and waits until its delivery is recorded.
  ///
  /// - Returns: the id of its delivery.
  private func send(_ number: Int, by service: Service) throws -> String {
    #expect(try service.ask("POST", "/v1/events", event(number)).status == 202)
    let delivery = try #require(try service.deliveries(1).first)
    #expect(delivery["recipient"] == .string("r\(number)"))
    while try !isRecorded(number, by: service) {}
    return delivery["id"]?.stringValue ?? ""
  }

  /// Returns whether the service has recorded `count` deliveries since its start.
  private func isRecorded(_ count: Int, by service: Service) throws -> Bool {
    let metrics = try service.ask("GET", "/metrics").body.stringValue ?? ""
    return metrics.contains(
      "chimed_deliveries_total{sink=\"jsonl\",outcome=\"delivered\"} \(count)\n")
  }

  @Test func `D1: the latest copy contains the events and deliveries of its time`() throws {
    // Creates the name under which the script runs chimectl.
    _ = Chimectl.program
    let service = try Service(workspace)
    try service.waitUntilReady()
    for number in 1...3 {
      _ = try send(number, by: service)
      try backUp(keeping: "2")
    }
    // The script keeps other files, and removes nothing if the count is invalid.
    try Files.write("", to: copies + "/chimed-zz-notes")
    for count in ["0", "x", "-1"] { try backUp(keeping: count, .exited(64)) }
    let lostDelivery = try send(4, by: service)
    #expect(Files.names(in: copies).count == 3)
    service.process.send(SIGKILL)
    while !service.hasEnded { try service.readOutput() }

    let other = try Workspace()
    let latest = try #require(Files.names(in: copies).sorted().dropLast().last)
    let restored = try ChildProcess(
      Project.chimed, ["restore", copies + "/" + latest, "--state-directory", other.state])
    #expect(try restored.finish() == .exited(0))
    let second = try Service(other)
    try second.waitUntilReady()
    for number in 1...3 {
      #expect(try second.ask("POST", "/v1/events", event(number)).status == 200, "a duplicate")
    }
    #expect(try second.ask("POST", "/v1/events", event(4)).status == 202, "a lost event")
    let deliveries = try second.deliveries(1)
    #expect(deliveries.map { $0["recipient"] } == ["r4"], "only the lost event is sent again")
    #expect(deliveries.first?["id"] != .string(lostDelivery))
    #expect(try second.stop() == .exited(0))
    #expect(second.process.output.takeLines().isEmpty)
  }
}
