import Glibc
import JSON
import Testing

/// Rule S9: if a sink cannot be created, everything else still works.
@OwnThread @Suite struct UnavailableSinkTests {
  private let workspace: Workspace

  init() throws {
    workspace = try Workspace()
  }

  private static let secret = "whsec_MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIz"

  private var file: String { workspace.path + "/chimed.yaml" }
  private var secretFile: String { workspace.path + "/secret" }
  /// A directory that a test creates only after the service has started.
  private var lateDirectory: String { workspace.path + "/late" }

  private func configure(sink: String, routes: String, zone: String = "Europe/Berlin") throws {
    let text = """
      catalogs: [imanpath]
      default-zone: \(zone)
      state-directory: \(workspace.state)
      routes: {push: \(routes)}
      sinks:
        lines: {type: jsonl, file: "-"}
        \(sink)
      """
    try Files.write(text, to: file)
  }

  private func service(environment: [String: String] = [:]) throws -> Service {
    let service = try Service(
      workspace, arguments: ["serve", "--config", file, "--socket", workspace.socket],
      environment: environment)
    try service.waitUntilReady()
    return service
  }

  private func webhook(_ secret: String) -> String {
    "hook: {type: webhook, url: \"https://127.0.0.1:9/\", secret: \(secret)}"
  }

  @Test(arguments: [nil, "", "not a webhook's secret"])
  func `S9: a bad secret makes only its own sink unavailable`(content: String?) throws {
    if let content { try Files.write(content, to: secretFile) }
    try configure(sink: webhook("{credential: secret}"), routes: "[hook, lines]")
    let service = try service(environment: ["CREDENTIALS_DIRECTORY": workspace.path])
    #expect(service.log.contains("the sink hook is unavailable"))
    let ready = try service.ask("GET", "/readyz")
    #expect(ready.status == 200)
    #expect(ready.body["unavailable"]?.arrayValue?.first?.stringValue?.hasPrefix("hook: ") == true)
    let lanes = try service.ask("GET", "/v1/status").body["lanes"]?.arrayValue ?? []
    let hook = lanes.first { $0["sink"] == "hook" }
    #expect(hook?["failure"]?.stringValue?.contains("secret") == true)
    #expect(hook?["breaker"] == "open")
    try report("e1", to: service)
    // This notification expires before a second attempt, so the route's next sink gets it.
    let short = Report.event(
      "e2", "notification.requested",
      #"{"category":"LESSON","title":"now","body":"A lesson.","expires":"4s"}"#)
    #expect(try service.ask("POST", "/v1/events", short).status == 202)
    #expect(try service.deliveries(1).map { $0["title"] } == ["now"])
    #expect(try service.ask("GET", "/v1/recipients/r1").status == 200)
    #expect(try service.stop() == .exited(0))
  }

  @Test(arguments: [
    ("{type: smtp, url: smtp://127.0.0.1, from: a@example.org, ca: /nowhere/ca.pem}", "(ca) "),
    ("{type: exec, command: [/nowhere/program]}", ""),
    ("{type: pipe, command: [/nowhere/program]}", ""),
  ])
  func `S9: a sink with a missing file is unavailable from the start`(
    sink: String, setting: String
  ) throws {
    try configure(sink: "other: \(sink)", routes: "lines")
    let service = try service()
    let ready = try service.ask("GET", "/readyz")
    let reasons = ready.body["unavailable"]?.arrayValue?.compactMap(\.stringValue) ?? []
    #expect(ready.status == 200 && reasons.count == 1)
    #expect(reasons.first?.hasPrefix("other: /nowhere/") == true, "\(reasons)")
    #expect(reasons.first?.contains("\(setting)cannot be ") == true, "\(reasons)")
    #expect(reasons.first?.contains("No such file or directory") == true, "\(reasons)")
    #expect(try service.stop() == .exited(0))
  }

  private func report(_ event: String, to service: Service) throws {
    let event = Report.milestone(event, of: "r1", at: Report.overdue)
    #expect(try service.ask("POST", "/v1/events", event).status == 202)
  }

  @Test func `S9: a reload uses the corrected secret of a file`() throws {
    try Files.write("", to: secretFile)
    try configure(sink: webhook("{file: \(secretFile)}"), routes: "[hook, lines]")
    let service = try service()
    let first = try service.ask("POST", "/v1/reload")
    #expect(first.status == 200)
    let reasons = first.body["unavailable"]?.arrayValue?.compactMap(\.stringValue) ?? []
    #expect(reasons.first?.contains("the secret file \(secretFile) is empty") == true)
    try Files.write(Self.secret + "\n", to: secretFile)
    let second = try service.ask("POST", "/v1/reload")
    #expect(second.body["unavailable"]?.arrayValue?.isEmpty == true)
    #expect(try service.ask("GET", "/readyz").body["unavailable"] == nil)
    #expect(try service.stop() == .exited(0))
  }

  @Test func `S9: deliveries to an unavailable sink are sent after the reload`() throws {
    let path = lateDirectory + "/lines.jsonl"
    try configure(sink: "late: {type: jsonl, file: \(path)}", routes: "late")
    let service = try service()
    try report("e1", to: service)
    // Another setting can change while the sink stays unavailable.
    try configure(sink: "late: {type: jsonl, file: \(path)}", routes: "late", zone: "Asia/Tokyo")
    #expect(try service.ask("POST", "/v1/reload").status == 200)
    #expect(try service.ask("GET", "/v1/status").body["defaultZone"] == "Asia/Tokyo")
    mkdir(lateDirectory, 0o700)
    #expect(try service.ask("POST", "/v1/reload").status == 200)
    let watch = try FileWatch(lateDirectory)
    while !(try Files.read(path)).contains(UInt8(ascii: "\n")) {
      guard !service.hasEnded else { throw Failure("the service has ended:\n\(service.log)") }
      try service.readOutput(others: [watch.descriptor])
    }
    let line = try JSONParser.parse(Files.read(path).split(separator: 10)[0].map { $0 })
    #expect(line["recipient"] == "r1")
    #expect(try service.stop() == .exited(0))
  }

  @Test func `S4: the check of a configuration rejects a bad secret`() throws {
    try configure(sink: webhook("{file: \(secretFile)}"), routes: "[hook, lines]")
    let process = try ChildProcess(
      Project.chimed, ["--check-config", "--config", file, "--socket", workspace.socket],
      environment: ["CHIMED_CATALOGS": Project.catalogs])
    #expect(try process.finish() == .exited(78))
  }
}
