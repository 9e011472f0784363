import Testing

/// The alert rules for Prometheus that are installed with the service (rule H2).
@OwnThread @Suite struct AlertTests {
  private static let rules = Project.root + "/config/monitoring/alerts.yaml"
  private static let cases = Project.root + "/Tests/SystemTests/Monitoring/alerts_test.yaml"

  @Test(
    .enabled(
      if: Project.hasTool("promtool"), "promtool is missing; run `make test`, which fetches it"))
  func `promtool accepts the alerts`() throws {
    try expectSuccess(["check", "rules", Self.rules])
  }

  @Test(
    .enabled(
      if: Project.hasTool("promtool"), "promtool is missing; run `make test`, which fetches it"))
  func `each alert fires for its condition, and not just below it`() throws {
    try expectSuccess(["test", "rules", Self.cases])
  }

  private func expectSuccess(_ arguments: [String]) throws {
    let check = try ChildProcess(Project.tool("promtool"), arguments)
    let ending = try check.finish(timeout: 120)
    let report = String(decoding: check.output.take() + check.errors.take(), as: UTF8.self)
    #expect(ending == .exited(0), "\(report)")
  }

  @Test(arguments: ["alerts.yaml", "dashboard.json"])
  func `alerts and dashboard use only metrics that the service writes`(file: String) throws {
    let metrics = try Self.sourceMetrics()
    let text = try Self.text(of: Project.root + "/config/monitoring/" + file)
    let names = Set(text.matches(of: /(?:chimed|process)_[a-z_]+/).map { String($0.output) })
    #expect(names.count > 20)
    for name in names.sorted() {
      #expect(
        metrics.contains(name) || metrics.contains(Self.histogram(of: name)),
        "no metric is called \(name)")
    }
  }

  @Test func `the manual describes exactly the metrics that the service writes`() throws {
    let manual = try Self.text(of: Project.root + "/config/manual/chimed-metrics.7")
    let described = manual.matches(of: /\n\.It Li ([a-z_]+)\n[A-Z]/).map { String($0.output.1) }
    #expect(described.count == Set(described).count)
    let metrics = try Self.sourceMetrics()
    #expect(metrics.subtracting(described) == [], "the manual does not describe these metrics")
    #expect(Set(described).subtracting(metrics) == [], "the service does not write these metrics")
  }

  @Test func `each alert has a severity, a summary, a description and a test`() throws {
    let cases = try Self.text(of: Self.cases)
    let alerts = try Self.text(of: Self.rules).split(separator: "      - alert: ").dropFirst()
    #expect(alerts.count > 20)
    for alert in alerts {
      let name = String(alert.prefix { $0 != "\n" })
      #expect(name.wholeMatch(of: /Chimed[A-Z][A-Za-z]+/) != nil, "\(name)")
      #expect(alert.contains(/\n        for: [0-9]+[mh]\n/), "\(name)")
      #expect(alert.contains(/\n          severity: (?:critical|warning)\n/), "\(name)")
      #expect(alert.contains(/\n          summary: [A-Za-z]/), "\(name)")
      #expect(alert.contains(/\n          description: >-\n            [A-Z{]/), "\(name)")
      #expect(cases.contains("{alertname=\"\(name)\""), "\(name) has no test in which it fires")
    }
  }

  /// Returns the names of metrics in the API module's sources.
  private static func sourceMetrics() throws -> Set<String> {
    var names: Set<String> = []
    for module in ["/Sources/API/Metrics/", "/Sources/API/Transport/"] {
      let directory = Project.root + module
      for file in Files.names(in: directory) where file.hasSuffix(".swift") {
        let source = try text(of: directory + file)
        names.formUnion(
          source.matches(of: /"((?:chimed|process)_[a-z_]+)"/).map { String($0.output.1) })
      }
    }
    return names
  }

  /// Returns the name of a histogram for one of its series, and any other series' name unchanged.
  private static func histogram(of name: String) -> String {
    let suffix = ["_bucket", "_sum", "_count"].first { name.hasSuffix($0) }
    return String(name.dropLast(suffix?.count ?? 0))
  }

  private static func text(of path: String) throws -> String {
    String(decoding: try Files.read(path), as: UTF8.self)
  }
}
