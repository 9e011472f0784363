import Glibc
import JSON
import Testing

/// Rule S9: a reload that cannot create a running sink again leaves the sink as it is, and adopts
/// the other changes.
@OwnThread @Suite struct OutdatedSinkTests {
  private let workspace: Workspace

  init() throws {
    workspace = try Workspace()
  }

  private static let secret = "whsec_MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIz"
  private static let otherSecret = "whsec_MzIxMDk4NzY1NDMyMTA5ODc2NTQzMjEw"
  private static let sentence = "the sink hook continues with its former settings: "

  private var file: String { workspace.path + "/chimed.yaml" }
  private var formerFile: String { workspace.path + "/former.jsonl" }

  private func path(ofSecret name: String) -> String { "\(workspace.path)/\(name).secret" }

  private func webhook(_ name: String) -> String {
    "{type: webhook, url: \"https://127.0.0.1:9/\", secret: {file: \(path(ofSecret: name))}}"
  }

  private func configure(
    hook: String, others: [String] = [], routes: String = "push: hook",
    zone: String = "Europe/Berlin"
  ) throws {
    let lines =
      [
        "catalogs: [imanpath]", "default-zone: \(zone)", "state-directory: \(workspace.state)",
        "routes: {\(routes)}", "sinks:", "  hook: \(hook)",
      ] + others.map { "  \($0)" }
    try Files.write(lines.joined(separator: "\n") + "\n", to: file)
  }

  private func service(environment: [String: String] = [:]) throws -> Service {
    let service = try Service(
      workspace, arguments: ["serve", "--config", file, "--socket", workspace.socket],
      environment: environment)
    try service.waitUntilReady()
    return service
  }

  private func texts(_ member: String, of reply: JSONValue) -> [String] {
    reply[member]?.arrayValue?.compactMap(\.stringValue) ?? []
  }

  private func reload(_ service: Service) throws -> JSONValue {
    let reply = try service.ask("POST", "/v1/reload")
    #expect(reply.status == 200, "\(reply.body)")
    return reply.body
  }

  /// Reports an event whose notification is overdue, and waits for its delivery to a file.
  private func send(_ event: String, to path: String, _ service: Service) throws {
    let watch = try FileWatch(workspace.path)
    let body = Report.milestone(event, of: event, at: Report.overdue)
    #expect(try service.ask("POST", "/v1/events", body).status == 202)
    while try !recipients(in: path).contains(event) {
      guard !service.hasEnded else { throw Failure("the service has ended:\n\(service.log)") }
      try service.readOutput(others: [watch.descriptor])
      watch.read()
    }
  }

  /// The recipients of the milestones in a file.
  private func recipients(in path: String) throws -> [String] {
    guard Files.names(in: workspace.path).contains(where: { path.hasSuffix("/" + $0) }) else {
      return []
    }
    return try Files.read(path).split(separator: UInt8(ascii: "\n"))
      .map { try JSONParser.parse(Array($0)) }
      .filter { $0["reminder"]?.stringValue == Report.reminder }
      .compactMap { $0["recipient"]?.stringValue }
  }

  @Test func `S9: a bad new secret leaves its sink as it is, and the reload adopts the rest`()
    throws
  {
    try Files.write(Self.secret, to: path(ofSecret: "hook"))
    try Files.write("", to: path(ofSecret: "other"))
    let other = "other: \(webhook("other"))"
    try configure(hook: webhook("hook"), others: [other])
    let manager = try Manager(in: workspace)
    let service = try service(environment: ["NOTIFY_SOCKET": manager.path])
    try Files.write("nonsense", to: path(ofSecret: "hook"))
    try Files.write(Self.otherSecret, to: path(ofSecret: "other"))
    try configure(hook: webhook("hook"), others: [other], zone: "Asia/Tokyo")
    let report = try reload(service)
    let outdated = texts("outdated", of: report)
    #expect(outdated.count == 1 && outdated[0].hasPrefix(Self.sentence), "\(report)")
    #expect(outdated.first?.contains(path(ofSecret: "hook")) == true)
    #expect(texts("unavailable", of: report).isEmpty)
    let status = try service.ask("GET", "/v1/status").body
    #expect(status["defaultZone"] == "Asia/Tokyo" && status["reloadFailure"] == .null)
    #expect(texts("outdatedSinks", of: status) == outdated)
    let lanes = status["lanes"]?.arrayValue ?? []
    #expect(lanes.count == 2 && lanes.allSatisfy { $0["failure"] == .null }, "\(lanes)")
    let ready = try service.ask("GET", "/readyz")
    #expect(ready.status == 200 && texts("outdated", of: ready.body) == outdated)
    #expect(ready.body["unavailable"] == nil)
    try manager.wait(for: service) { $0.status.contains(Self.sentence) }
    try service.waitUntilLogged("\(outdated.first ?? "-"); the next reload tries again")
    try service.waitUntilLogged("was reloaded; sinks: changed other\n")
    // The next reload tries again.
    #expect(try texts("outdated", of: reload(service)) == outdated)
    // The manager's queue is small, and must have room for the messages of the reload.
    manager.read()
    try Files.write(Self.otherSecret, to: path(ofSecret: "hook"))
    #expect(try texts("outdated", of: reload(service)).isEmpty)
    try service.waitUntilLogged("was reloaded; sinks: changed hook\n")
    #expect(try service.ask("GET", "/v1/status").body["outdatedSinks"] == [])
    #expect(try service.ask("GET", "/readyz").body["outdated"] == nil)
    try manager.wait(for: service) { !$0.status.contains("former settings") }
    #expect(try service.stop() == .exited(0))
  }

  @Test(arguments: [
    "{type: jsonl, file: /nowhere/new.jsonl, rate: 5}",
    "{type: webhook, url: \"https://127.0.0.1:9/\", secret: {file: /nowhere/secret}}",
    "{type: smtp, url: smtp://127.0.0.1, from: a@example.org, ca: /nowhere/ca.pem}",
    "{type: exec, command: [/nowhere/program], requires: email}",
  ])
  func `S9: a sink that changes its address or kind is never changed in part`(hook: String) throws {
    try configure(hook: "{type: jsonl, file: \(formerFile)}")
    let service = try service()
    try send("e1", to: formerFile, service)
    try configure(hook: hook)
    let outdated = try texts("outdated", of: reload(service))
    #expect(outdated.count == 1 && outdated[0].hasPrefix(Self.sentence))
    #expect(outdated.first?.contains("/nowhere/") == true)
    let lane = try service.ask("GET", "/v1/status").body["lanes"]?[0]
    #expect(lane?["type"] == "jsonl" && lane?["breaker"] == "closed", "\(service.log)")
    try send("e2", to: formerFile, service)
    // The settings are compared with those in use, so these are unchanged.
    try configure(hook: "{type: jsonl, file: \(formerFile)}")
    #expect(try texts("outdated", of: reload(service)).isEmpty)
    try send("e3", to: formerFile, service)
    let new = workspace.path + "/new.jsonl"
    try configure(hook: "{type: jsonl, file: \(new)}")
    #expect(try texts("outdated", of: reload(service)).isEmpty)
    try send("e4", to: new, service)
    #expect(try recipients(in: formerFile) == ["e1", "e2", "e3"])
    #expect(try service.stop() == .exited(0))
  }

  @Test func `S9: a sink that a reload adds without its secret is unavailable`() throws {
    try configure(hook: "{type: jsonl, file: \(formerFile)}")
    let service = try service()
    try configure(
      hook: "{type: jsonl, file: \(formerFile)}", others: ["other: \(webhook("other"))"],
      zone: "Asia/Tokyo")
    let report = try reload(service)
    #expect(texts("unavailable", of: report).first?.hasPrefix("other: ") == true, "\(report)")
    #expect(texts("outdated", of: report).isEmpty)
    #expect(try service.ask("GET", "/v1/status").body["defaultZone"] == "Asia/Tokyo")
    #expect(service.log.contains("the sink other is unavailable: "))
    try send("e1", to: formerFile, service)
    #expect(try service.stop() == .exited(0))
  }

  @Test func `S9: a former sink gets no analytics that its type does not support`() throws {
    try configure(hook: "{type: ntfy, topic: reminders}")
    let service = try service()
    try configure(
      hook: "{type: jsonl, file: /nowhere/new.jsonl}", routes: "push: hook, analytics: hook")
    let report = try reload(service)
    #expect(texts("unavailable", of: report).first?.hasPrefix("hook: /nowhere/") == true)
    #expect(texts("outdated", of: report).isEmpty)
    #expect(try service.stop() == .exited(0))
  }

  @Test func `S9: a check names what a sink lacks, and a configuration error rejects the reload`()
    throws
  {
    try Files.write(Self.secret, to: path(ofSecret: "hook"))
    try configure(hook: webhook("hook"))
    let service = try service()
    try Files.write("", to: path(ofSecret: "hook"))
    let findings = try service.ask("POST", "/v1/configuration-checks").body
    #expect(findings["sound"] == false)
    #expect(findings["flaw"]?.stringValue?.contains(path(ofSecret: "hook")) == true)
    #expect(findings["problems"]?[0]?["line"] == 6, "\(findings)")
    try configure(hook: webhook("hook"), others: ["other: {type: pigeon}"])
    let rejected = try service.ask("POST", "/v1/reload")
    #expect(rejected.status == 422)
    let detail = rejected.body["detail"]?.stringValue ?? ""
    #expect(detail.contains("\(file):7:17: ") && detail.contains(path(ofSecret: "hook")))
    #expect(try service.ask("GET", "/v1/status").body["outdatedSinks"] == [])
    #expect(try service.stop() == .exited(0))
  }

  @Test func `S9: a check examines sinks with unchanged settings too`() throws {
    let program = workspace.path + "/program"
    try Files.write("#!/bin/sh\n", to: program)
    chmod(program, 0o700)
    try configure(hook: "{type: exec, command: [\(program)]}")
    let service = try service()
    #expect(try service.ask("POST", "/v1/configuration-checks").body["sound"] == true)
    unlink(program)
    let check = try service.ask("POST", "/v1/configuration-checks").body
    #expect(check["sound"] == false && check["flaw"]?.stringValue?.contains(program) == true)
    #expect(try service.stop() == .exited(0))
  }
}
