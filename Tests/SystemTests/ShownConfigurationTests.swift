import Glibc
import JSON
import Testing

/// The current configuration is shown without secrets (rules H9 and S4).
@OwnThread @Suite struct ShownConfigurationTests {
  private let workspace: Workspace

  init() throws {
    workspace = try Workspace()
    mkdir(credentials, 0o700)
    try Files.write("hush", to: credentials + "/chat")
    try configure(zone: "Europe/Berlin")
  }

  private var file: String { workspace.path + "/chimed.yaml" }

  private var credentials: String { workspace.path + "/credentials" }

  private func configure(zone: String) throws {
    try Files.write(
      """
      default-zone: \(zone)
      retention: {events: 30d}
      sinks:
        chat:
          type: http
          url: https://hooks.example.org/services/hush
          headers: {X-Key: hush}
          body: '{"text": "hush {{title}}"}'
          secrets: {key: {credential: chat}}
          deadline: 3s
        script: {type: exec, command: [/bin/true, --token, hush], environment: [KEY=hush]}
        log: {type: journal}
        phone: {type: ntfy, topic: chimes, token: {file: \(credentials)/chat}}
        plain: {type: http, url: "https://hooks.example.org/", headers: {credential: hush}}
      routes: {push: [chat, script]}
      public-url: https://notify.example.org/
      policies:
        caps: {perDay: 6}
        hours: [{from: '08:00', to: '21:00', channels: [sms]}]
      audit: {daily: 7%}
      """, to: file)
  }

  /// Returns the shown settings by name, and expects that no secret is shown.
  private func settings(of service: Service) throws -> [String: JSONValue] {
    let reply = try service.ask("GET", "/v1/configuration")
    #expect(reply.status == 200 && reply.body["file"]?.stringValue == file)
    let text = String(decoding: JSONWriter.canonical(reply.body), as: UTF8.self)
    #expect(!text.contains("hush"))
    return Dictionary(
      (reply.body["settings"]?.arrayValue ?? []).map { ($0["name"]?.stringValue ?? "", $0) },
      uniquingKeysWith: { first, _ in first })
  }

  @Test func `every setting is shown with its source`() throws {
    let service = try Service(
      workspace,
      arguments: [
        "serve", "--config", file, "--socket", workspace.socket, "--catalog",
        Project.catalogs + "/imanpath.yaml",
      ],
      environment: [
        "STATE_DIRECTORY": workspace.state, "CREDENTIALS_DIRECTORY": credentials,
      ])
    try service.waitUntilReady()
    let shownSettings = try settings(of: service)
    let expectedSettings: [(name: String, value: String?, from: String, line: Int64?)] = [
      ("default-zone", "Europe/Berlin", "file", 1), ("retention.events", "30d", "file", 2),
      ("audit.daily", "7.0%", "file", 20),
      ("retention.attempts", "30d", "default", nil), ("socket", workspace.socket, "option", nil),
      ("state-directory", workspace.state, "environment", nil), ("listen", "-", "default", nil),
      ("interfaces", "urbannest, rooms", "default", nil),
      ("public-url", "https://notify.example.org", "file", 16),
      ("routes.push", "chat, script", "file", 15), ("routes.email", "-", "default", nil),
      ("policies.caps", "{perDay: 6}", "file", 18),
      (
        "policies.hours", "[{from: \"08:00\", to: \"21:00\", channels: [sms]}]", "file", 19
      ),
      ("sinks.chat.url", "https://hooks.example.org/…", "file", 6),
      ("sinks.chat.headers", nil, "file", 7), ("sinks.chat.body", nil, "file", 8),
      ("sinks.chat.secrets", "{credential: chat}", "file", 9),
      ("sinks.chat.deadline", "3s", "file", 10),
      ("sinks.script.command", "/bin/true …", "file", 11),
      ("sinks.script.environment", nil, "file", 11),
      ("sinks.script.deadline", "15s", "default", nil),
      ("sinks.phone.token", "{file: \(credentials)/chat}", "file", 13),
      ("sinks.plain.headers", nil, "file", 14),
    ]
    for setting in expectedSettings {
      let found = shownSettings[setting.name]
      #expect(found?["value"]?.stringValue == setting.value, "\(setting.name)")
      #expect(found?["hidden"]?.boolValue == (setting.value == nil), "\(setting.name)")
      #expect(found?["from"]?.stringValue == setting.from, "\(setting.name)")
      #expect(found?["line"]?.integerValue == setting.line, "\(setting.name)")
    }
    #expect(shownSettings["sinks.log.type"] != nil && shownSettings["sinks.log.deadline"] == nil)
    try configure(zone: "Asia/Riyadh")
    #expect(try service.ask("POST", "/v1/reload").status == 200)
    #expect(try settings(of: service)["default-zone"]?["value"] == "Asia/Riyadh")
    #expect(try service.stop() == .exited(0))
  }

  /// The installed unit chimed.socket passes such sockets.
  @Test func `H9: sockets from systemd are shown with their addresses and how to change them`()
    throws
  {
    let port = try FreePort.any()
    let service = try Service(
      workspace,
      arguments: Service.arguments(workspace) + ["--listen", "1"],
      wrapper: [
        "/usr/bin/python3", "-B", Project.root + "/Tests/SystemTests/Peers/passed_sockets.py",
        "\(port)", workspace.socket,
      ])
    try service.waitUntilReady()
    let reply = try service.ask("GET", "/v1/configuration")
    let settings = reply.body["settings"]?.arrayValue ?? []
    let listen = settings.filter { $0["name"] == "listen" }
    #expect(
      listen.map { $0["value"]?.stringValue } == [
        "\(workspace.socket), 127.0.0.1:\(port) (from systemd: set ListenStream= with `systemctl "
          + "edit chimed.socket`)"
      ])
    #expect(listen.map { $0["from"] } == ["environment"])
    #expect(try service.stop() == .exited(0))
  }
}
