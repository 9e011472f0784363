import Glibc
import JSON
import Testing

/// Rule M1: analytics events of changed preferences reach the sink of their route, even if the
/// service is killed.
@OwnThread @Suite struct AnalyticsDeliveryTests {
  private let workspace: Workspace
  private var measures: String { workspace.path + "/measures" }

  init() throws {
    workspace = try Workspace()
  }

  private func configure(_ sink: String) throws {
    try Files.write(
      """
      catalogs: [imanpath]
      state-directory: \(workspace.state)
      sinks:
        lines: {type: jsonl, file: "-"}
        measures: \(sink)
      routes: {push: lines, analytics: [measures]}
      """, to: workspace.path + "/chimed.yaml")
  }

  private func start() throws -> Service {
    let service = try Service(
      workspace,
      arguments: [
        "serve", "--config", workspace.path + "/chimed.yaml", "--socket", workspace.socket,
      ])
    try service.waitUntilReady()
    return service
  }

  /// Switches a recipient's e-mail `count` times, first off, then on, and so on.
  private func change(_ count: Int, of recipient: String, to service: Service) throws {
    for number in 1...count {
      let isOn = number.isMultiple(of: 2)
      let event = Report.event(
        "\(recipient) \(number)", "preferences.updated", of: recipient,
        "{\"channels\":{\"email\":\(isOn)}}")
      #expect(try service.ask("POST", "/v1/events", event).status == 202)
    }
  }

  /// Waits until the sink has accepted all events.
  private func waitUntilAccepted(_ service: Service) throws {
    let metrics = try service.metrics { $0["chimed_analytics_waiting{sink=\"measures\"}"] == 0 }
    #expect(metrics["chimed_analytics_failing{sink=\"measures\"}"] == 0)
  }

  /// Returns the lines that the sink has written.
  private func received() throws -> [JSONValue] {
    String(decoding: try Files.read(measures), as: UTF8.self).split(separator: "\n").map {
      (try? JSONParser.parse(Array($0.utf8))) ?? .null
    }
  }

  @Test func `M1: analytics events arrive in order and complete after a kill`() throws {
    try configure("{type: jsonl, file: \(measures)}")
    var service = try start()
    try change(20, of: "r1", to: service)
    service.process.send(SIGKILL)
    _ = try service.process.finish()
    service = try start()
    try change(3, of: "r2", to: service)
    try waitUntilAccepted(service)
    #expect(try service.stop() == .exited(0))
    var seen: Set<String> = []
    let distinct = try received().filter { seen.insert($0["id"]?.stringValue ?? "").inserted }
    #expect(distinct.compactMap { $0["recipient"]?.stringValue }.count { $0 == "r1" } == 20)
    #expect(
      distinct.compactMap { $0["parameters"]?["enabled"]?.boolValue }
        == (1...20).map { $0.isMultiple(of: 2) } + [false, true, false])
    #expect(distinct.first?["name"] == "notification_preference_changed")
  }

  /// Deliveries of a sink are sent although its program does not answer analytics events.
  @Test func `D3: a program that hangs on analytics delays no delivery`() throws {
    let script = workspace.path + "/script"
    try Files.write(
      """
      case $CHIMED_DELIVERY in *-a*) exec sleep 1000;; esac
      cat >> \(measures)
      """, to: script)
    try Files.write(
      """
      catalogs: [imanpath]
      state-directory: \(workspace.state)
      sinks: {only: {type: exec, command: [/bin/sh, \(script)], deadline: 5m}}
      routes: {analytics: [only]}
      """, to: workspace.path + "/chimed.yaml")
    let service = try start()
    try change(1, of: "r1", to: service)
    let event = Report.milestone("m", of: "r1", at: Report.overdue)
    #expect(try service.ask("POST", "/v1/events", event).status == 202)
    _ = try service.metrics {
      $0["chimed_deliveries_total{sink=\"only\",outcome=\"delivered\"}"] == 1
    }
    #expect(try received().first?["reminder"] == .string(Report.reminder))
    let list = try Chimectl(socket: workspace.socket).run(["sinks", "list"])
    #expect(list.output.contains("only: analytics"))
    service.process.send(SIGKILL)
  }
}
