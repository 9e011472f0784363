import Glibc
import JSON
import Testing

/// Rule S1: a running service loads a changed configuration file, or reports its faults.
@OwnThread @Suite struct ReloadTests {
  private let workspace: Workspace
  private let manager: Manager

  init() throws {
    workspace = try Workspace()
    manager = try Manager(in: workspace)
  }

  private var file: String { workspace.path + "/chimed.yaml" }

  /// Writes a configuration whose sinks append to files.
  private func configure(
    _ sinks: [String], routes: String? = nil, moreLines: String = ""
  ) throws {
    let declared = sinks.map { "  \($0): {type: jsonl, file: \(path(of: $0))}" }
    let lines =
      [
        "catalogs: [imanpath]", "state-directory: \(workspace.state)", moreLines,
        "routes: {push: \(routes ?? sinks[0])}", "sinks:",
      ] + declared
    try Files.write(lines.joined(separator: "\n") + "\n", to: file)
  }

  private func path(of sink: String) -> String { "\(workspace.path)/\(sink).jsonl" }

  private func service(environment: [String: String] = [:]) throws -> Service {
    let service = try Service(
      workspace, arguments: ["serve", "--config", file, "--socket", workspace.socket],
      environment: environment)
    try service.waitUntilReady()
    return service
  }

  /// Returns the recipients of a sink's deliveries, one for each delivery.
  private func recipients(of sink: String) throws -> [String] {
    guard Files.names(in: workspace.path).contains(sink + ".jsonl") else { return [] }
    let lines = try Files.read(path(of: sink)).split(separator: UInt8(ascii: "\n"))
    return try lines.map { try JSONParser.parse(Array($0)) }
      .filter { $0["reminder"]?.stringValue == Report.reminder }
      .compactMap { $0["recipient"]?.stringValue }
  }

  private func report(_ numbers: Range<Int>, to service: Service) throws {
    let events = numbers.map { Report.milestone("e\($0)", of: "r\($0)", at: Report.overdue) }
    #expect(try service.ask("POST", "/v1/events", Report.batch(events)).status == 200)
  }

  /// Returns whether the metrics report a rejected configuration; nil without that metric.
  private func isRejected(_ service: Service) throws -> Bool? {
    let metrics = try service.ask("GET", "/metrics").body.stringValue ?? ""
    let line = metrics.split(separator: "\n").first {
      $0.hasPrefix("chimed_configuration_rejected ")
    }
    return line.map { $0.hasSuffix(" 1") }
  }

  private func wait(
    _ service: Service, until condition: () throws -> Bool
  ) throws {
    let watch = try FileWatch(workspace.path)
    while try !condition() {
      guard !service.hasEnded else { throw Failure("the service has ended:\n\(service.log)") }
      try service.readOutput(others: [watch.descriptor])
      watch.read()
    }
  }

  @Test func `a reload returns once deliveries use the new sink`() throws {
    try configure(["one"])
    let service = try service()
    try report(0..<1, to: service)
    try wait(service) { try recipients(of: "one").count == 1 }
    try configure(["two"])
    let reply = try service.ask("POST", "/v1/reload")
    #expect(reply.status == 200 && reply.body["restart"] == [])
    try report(1..<2, to: service)
    try wait(service) { try recipients(of: "two").count == 1 }
    #expect(try recipients(of: "one") == ["r0"] && recipients(of: "two") == ["r1"])
    try service.waitUntilLogged("was reloaded; sinks: new two; gone one")
    let metrics = try service.ask("GET", "/metrics").body.stringValue ?? ""
    #expect(metrics.contains("sink=\"two\"") && !metrics.contains("sink=\"one\""))
    #expect(metrics.contains("\"two\"") && !metrics.contains("\"one\""))
    #expect(try service.stop() == .exited(0))
  }

  @Test func `V18: a reload adopts policies, for catalog checks too`() throws {
    try configure(["one"])
    let service = try service()
    try report(0..<1, to: service)
    func caps() throws -> JSONValue? {
      try service.ask("GET", "/v1/recipients/r0/preferences").body["caps"]
    }
    #expect(try caps()?["perDay"] == .null)
    try configure(["one"], moreLines: "policies: {caps: {perDay: 3}, hours: [\(Self.hours)]}")
    let reply = try service.ask("POST", "/v1/reload")
    #expect(reply.status == 200 && reply.body["restart"] == [])
    #expect(try caps()?["perDay"] == 3)
    let check = try service.ask(
      "POST", "/v1/catalog-checks",
      #"{"name": "imanpath", "source": "catalog: imanpath\ncategories: {}\nreminders: {}\n"}"#)
    let fault = check.body["problems"]?.arrayValue?.first
    #expect(fault?["message"] == "the category \"LESSON\" is not declared", "\(check.body)")
    #expect(fault?["file"] == "chimed.yaml" && fault?["here"] == false)
    #expect(try service.stop() == .exited(0))
  }

  private static let hours =
    "{from: \"08:00\", to: \"21:00\", channels: [sms], categories: [LESSON]}"

  @Test func `ten reloads under load lose and repeat no delivery`() throws {
    let sinks = ["one", "two", "three"]
    try configure(sinks)
    let service = try service()
    for round in 0..<10 {
      try report(round * 300..<round * 300 + 150, to: service)
      let name = sinks[(round + 1) % 3]
      let other = sinks[(round + 2) % 3]
      // Each round removes a sink, and each round after the first adds another. The sink that stays
      // changes its settings in every second round.
      let rate = round % 2 == 0 ? "" : ", rate: \(500 + round)"
      try configure([name, other])
      let text = String(decoding: try Files.read(file), as: UTF8.self)
      try Files.write(
        text.replacing("\(path(of: other))}", with: "\(path(of: other))\(rate)}"), to: file)
      try report(round * 300 + 150..<round * 300 + 300, to: service)
      service.process.send(SIGHUP)
      #expect(try service.ask("POST", "/v1/reload").status == 200)
    }
    let everyone = (0..<3_000).map { "r\($0)" }.sorted()
    try wait(service) { try sinks.flatMap { try recipients(of: $0) }.count >= everyone.count }
    #expect(try service.stop() == .exited(0))
    #expect(try sinks.flatMap { try recipients(of: $0) }.sorted() == everyone)
    #expect(service.log.ranges(of: "the configuration was reloaded").count >= 10)
  }

  @Test func `an invalid file changes nothing and all its faults are reported`() throws {
    try configure(["one"])
    let service = try service(environment: ["NOTIFY_SOCKET": manager.path])
    try Files.write(
      """
      catalogs: [imanpath, nowhere]
      default-zone: Europe/Atlantis
      state-directory: \(workspace.state)
      sinks:
        one: {type: jsonl, file: \(path(of: "one"))}
        two: {type: webhook, url: "https://example.org/", secret: {credential: hook}}
        three: {type: pigeon}
      routes: {push: [two, four]}
      """, to: file)
    let command = try ChildProcess(
      Chimectl.program, ["reload", "--socket", workspace.socket])
    #expect(try command.finish() == .exited(78))
    let errors = String(decoding: command.errors.take(), as: UTF8.self)
    let faults = [
      "7:17: there is no sink of type \"pigeon\"", "8:22: \"four\" is not a sink",
      "nowhere: there is no such catalog", "Europe/Atlantis", "the credential \"hook\" is missing",
    ]
    for fault in faults { #expect(errors.contains(fault), "\(fault) in \(errors)") }
    service.process.send(SIGHUP)
    try manager.wait(for: service) { $0.status.hasPrefix("the last reload was rejected") }
    for fault in faults { #expect(service.log.contains(fault)) }
    #expect(try isRejected(service) == true)
    let checked = try service.ask("POST", "/v1/configuration-checks").body
    let positions = (checked["problems"]?.arrayValue ?? []).filter { $0["file"] == .string(file) }
      .map { "\($0["line"]?.integerValue ?? 0):\($0["column"]?.integerValue ?? 0)" }
    #expect(positions.contains("7:17") && positions.contains("8:22"), "\(checked)")
    try report(0..<1, to: service)
    try wait(service) { try recipients(of: "one") == ["r0"] }
    try configure(["two"], moreLines: "listen: 127.0.0.1:0")
    let reply = try service.ask("POST", "/v1/reload")
    #expect(reply.status == 200 && reply.body["restart"] == ["listen"])
    #expect(try isRejected(service) == false)
    try manager.wait(for: service) { manager in
      manager.status.hasPrefix("changed, needs a restart: listen")
        && manager.messages.filter { $0 == "READY=1" }.count == 4
    }
    #expect(manager.messages.filter { $0 == "RELOADING=1" }.count == 3)
    #expect(manager.messages.contains { $0.hasPrefix("MONOTONIC_USEC=") })
    #expect(try service.stop() == .exited(0))
  }

  @Test func `a changed secret is used after a reload`() throws {
    let hook = workspace.path + "/hook"
    try Files.write("whsec_MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIz\n", to: hook)
    try configure(["one"])
    let text = String(decoding: try Files.read(file), as: UTF8.self)
    try Files.write(
      text + "  two: {type: webhook, url: \"https://127.0.0.1/\", secret: {credential: hook}}\n",
      to: file)
    let service = try service(environment: ["CREDENTIALS_DIRECTORY": workspace.path])
    #expect(try service.ask("POST", "/v1/reload").status == 200)
    #expect(!service.log.contains("changed two"))
    try Files.write("whsec_MzIxMDk4NzY1NDMyMTA5ODc2NTQzMjEw\n", to: hook)
    #expect(try service.ask("POST", "/v1/reload").status == 200)
    try service.waitUntilLogged("was reloaded; sinks: changed two")
    try Files.write("secret\n", to: hook)
    let reply = try service.ask("POST", "/v1/reload")
    #expect(reply.status == 200)
    let outdated = reply.body["outdated"]?[0]?.stringValue ?? ""
    #expect(outdated.contains("the credential \"hook\" holds no webhook secret"), "\(reply.body)")
    #expect(try service.stop() == .exited(0))
  }
}
