import Glibc
import JSON
import Testing

/// The dashboard for Grafana that is installed with the service (rule H2).
@OwnThread @Suite struct DashboardTests {
  private static let path = Project.root + "/config/monitoring/dashboard.json"

  /// Metrics without series in a healthy service whose store is a file.
  private static let absent: Set = [
    // No event is rejected, and no gate holds or drops anything.
    "chimed_refused_events_total", "chimed_verdicts_total",
    // There is no route for analytics, and no token expires soon.
    "chimed_analytics_failing", "chimed_token_expiry_timestamp_seconds",
    // Only a store in PostgreSQL has these.
    "chimed_fleet_nodes", "chimed_fleet_shards_owned", "chimed_fleet_shards_free",
    "chimed_fleet_evictions_total", "chimed_fleet_skew_seconds",
  ]

  private static func panels() throws -> [JSONValue] {
    try JSONParser.parse(try Files.read(path))["panels"]?.arrayValue ?? []
  }

  /// Returns the queries of all panels, with values for Grafana's variables.
  private static func queries() throws -> [String] {
    try panels().flatMap { $0["targets"]?.arrayValue ?? [] }.compactMap { target in
      target["expr"]?.stringValue?.replacing("$instance", with: ".*")
        .replacing("$__rate_interval", with: "1m")
    }
  }

  @Test func `the dashboard has its rows, variables and queries`() throws {
    let dashboard = try JSONParser.parse(try Files.read(Self.path))
    let variables = dashboard["templating"]?["list"]?.arrayValue?.compactMap { $0["name"] }
    #expect(variables == ["datasource", "instance"])
    let panels = try Self.panels()
    let rows = panels.filter { $0["type"] == "row" }.compactMap { $0["title"]?.stringValue }
    #expect(
      rows == [
        "Intake", "Firing and lateness", "Sinks and lanes", "Storage", "Fleet", "Process",
      ])
    #expect(Set(panels.compactMap { $0["id"]?.integerValue }).count == panels.count)
    for panel in panels where panel["type"] != "row" {
      #expect(panel["datasource"]?["uid"] == "${datasource}", "\(panel)")
      for target in panel["targets"]?.arrayValue ?? [] {
        let query = target["expr"]?.stringValue ?? ""
        #expect(query.contains(#"{job="chimed", instance=~"$instance""#), "\(query)")
      }
    }
  }

  @Test(
    .enabled(
      if: Project.hasTool("prometheus"), "prometheus is missing; run `make test`, which fetches it")
  )
  func `each query of the dashboard has a result for a service that works`() throws {
    let workspace = try Workspace()
    let port = try FreePort.any()
    let service = try Service(
      workspace, arguments: Service.arguments(workspace) + ["--listen", "127.0.0.1:\(port)"],
      environment: ["CHIMED_HOLIDAYS": Project.root + "/config/holidays"])
    try service.waitUntilReady()
    let events = [
      Report.event("p1", "recipient.updated", #"{"holidays":"DE","timezone":"Europe/Berlin"}"#),
      Report.milestone("m1", of: "r1", at: Report.overdue),
    ]
    #expect(try service.ask("POST", "/v1/events", Report.batch(events)).status == 200)
    #expect(try service.deliveries(1).count == 1)
    let token = try Chimectl(socket: workspace.socket)
      .run(["token", "create", "prometheus", "--scope", "observer"])
    try expectAccepted(try service.ask("GET", "/metrics"), in: workspace)
    let prometheus = try PrometheusServer(
      in: workspace, scraping: port,
      token: token.output.filter { !$0.isWhitespace })
    // A rate needs two samples.
    try prometheus.wait(for: #"sum_over_time(up{job="chimed"}[1m]) >= 3"#)
    try expectSeries(prometheus)
    #expect(try service.stop() == .exited(0))
  }

  /// Checks that each query has a result, except the queries of absent metrics.
  private func expectSeries(_ prometheus: PrometheusServer) throws {
    let queries = try Self.queries()
    #expect(queries.count > 40)
    var unused = Self.absent
    for query in queries {
      let series = try prometheus.query(query)
      let names = Set(query.matches(of: /chimed_[a-z_]+/).map { String($0.output) })
      let missing = names.intersection(Self.absent)
      #expect(series.isEmpty == !missing.isEmpty, "\(query): \(series)")
      unused.subtract(missing)
    }
    #expect(unused.isEmpty, "no query uses \(unused)")
  }

  /// Checks that promtool accepts the metrics of a reply without a remark.
  private func expectAccepted(_ reply: Connection.Reply, in workspace: Workspace) throws {
    let file = workspace.path + "/metrics"
    try Files.write(reply.body.stringValue ?? "", to: file)
    let check = try ChildProcess(
      "/bin/sh", ["-c", "exec \"$1\" check metrics <\"$2\"", "sh", Project.tool("promtool"), file])
    let ending = try check.finish()
    let report = String(decoding: check.output.take() + check.errors.take(), as: UTF8.self)
    #expect(ending == .exited(0) && report.isEmpty, "\(report)")
  }
}
