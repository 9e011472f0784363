import Glibc
import Testing

/// Rule S4: `chimed --check-config` reports all faults and changes nothing.
@OwnThread @Suite struct CheckConfigurationTests {
  private let workspace: Workspace

  init() throws {
    workspace = try Workspace()
  }

  private func check(
    _ options: [String], environment: [String: String] = [:]
  ) throws -> (ending: ChildProcess.Ending, output: String, errors: String) {
    let process = try ChildProcess(
      Project.chimed, options,
      environment: ["CHIMED_CATALOGS": Project.catalogs].merging(environment) { $1 })
    let ending = try process.finish()
    return (
      ending, String(decoding: process.output.take(), as: UTF8.self),
      String(decoding: process.errors.take(), as: UTF8.self)
    )
  }

  private func options(_ others: [String] = []) -> [String] {
    ["--check-config"] + Service.arguments(workspace).dropFirst() + others
  }

  @Test func `a valid configuration is reported as valid`() throws {
    let holidays = ["--holidays", Project.root + "/config/holidays"]
    let catalogs = ["urbannest", "rooms", "trials", "wellness"].flatMap { ["--catalog", $0] }
    let result = try check(options(holidays + catalogs))
    #expect(result.ending == .exited(0), "\(result.errors)")
    #expect(Self.withoutRemarks(result.output) == ["the configuration is valid"])
    #expect(result.errors.isEmpty)
    #expect(Files.names(in: workspace.state) == [])
    #expect(Files.names(in: workspace.path) == ["state"])
  }

  @Test func `S4: the value of an option may be the name of the command`() throws {
    let result = try check(["--check-config", "--sink", "journal", "--default-zone", "serve"])
    #expect(result.ending == .exited(78))
    #expect(result.errors.contains("\"serve\" is not a time zone"), "\(result.errors)")
    let command = try check(["--check-config", "serve", "--default-zone", "Mars/Phobos"])
    #expect(command.errors.contains("\"Mars/Phobos\" is not a time zone"), "\(command.errors)")
  }

  @Test func `all faults are reported at once`() throws {
    let catalog = workspace.path + "/course.yaml"
    try Files.write(
      """
      catalog: course
      categories:
        LESSON: {title: Lessons, urgency: shrill, channels: {push: true}}
      """, to: catalog)
    let days = workspace.path + "/days.ics"
    try Files.write("BEGIN:VCALENDAR\r\nnonsense\r\n", to: days)
    let socket = workspace.path + "/file"
    try Files.write("", to: socket)
    let result = try check([
      "--check-config", "--catalog", "imanpaht", "--catalog", catalog, "--default-zone",
      "Mars/Phobos", "--holidays", workspace.path + "/none", "--days-off", days, "--socket", socket,
      "--state-directory", workspace.path + "/none/state", "--sink",
      "jsonl:\(workspace.path)/none/deliveries",
    ])
    #expect(result.ending == .exited(78))
    #expect(result.output.isEmpty)
    for fault in [
      "\"Mars/Phobos\" is not a time zone", "imanpaht: there is no such catalog",
      "\(catalog):3:37: \"shrill\" is not an urgency",
      "\(catalog):1:1: a catalog needs \"reminders\"",
      "\(workspace.path)/none: cannot be listed", "\(days):",
      "\(socket) exists and is not a socket",
      "the state directory \(workspace.path)/none/state",
      "\(workspace.path)/none cannot be written to",
    ] {
      #expect(result.errors.contains(fault), "\(fault) is not in \(result.errors)")
    }
    #expect(Files.names(in: workspace.path) == ["course.yaml", "days.ics", "file", "state"])
  }

  /// A missing or invalid setting of a fleet is reported with its file and line.
  @Test(arguments: [
    ("fleet: {}", "fleet needs store: {postgresql: {url: ...}}"),
    ("fleet: {lease: 2s}", "lease must be from 3s to 1m"),
    ("fleet: {lease: 61s}", "lease must be from 3s to 1m"),
    ("fleet: {leese: 5s}", "fleet has no \"leese\""),
    ("fleet: {listen: 10.0.0.5:7443, key: a.pem}", "fleet lacks certificate, authority"),
    (
      "fleet: {listen: 7443, certificate: a, key: b, authority: c}",
      "must be the ADDRESS:PORT at which the other nodes reach this one"
    ),
    (
      "fleet: {listen: \"0.0.0.0:7443\", certificate: a, key: b, authority: c}",
      "must be the ADDRESS:PORT at which the other nodes reach this one"
    ),
  ])
  func `the settings of a fleet are checked`(_ text: String, _ message: String) throws {
    let file = workspace.path + "/chimed.yaml"
    try Files.write(
      "state-directory: \(workspace.state)\nsinks: {out: {type: journal}}\n\(text)\n", to: file)
    let result = try check(["--check-config", "--config", file, "--socket", workspace.socket])
    #expect(result.ending == .exited(78))
    #expect(result.errors.contains("\(file):3:"), "\(result.errors)")
    #expect(result.errors.contains(message), "\(result.errors)")
  }

  @Test func `H27: a wrong public address is reported with its place and a remedy`() throws {
    let file = workspace.path + "/chimed.yaml"
    try Files.write(
      """
      state-directory: \(workspace.state)
      sinks: {out: {type: journal}}
      public-url: http://notify.example.org
      """, to: file)
    let result = try check(["--check-config", "--config", file, "--socket", workspace.socket])
    #expect(result.ending == .exited(78))
    let fault =
      "\(file):3:13: public-url is \"http://notify.example.org\"; it must be this service's public "
      + "https address, such as https://notify.example.org"
    #expect(result.errors.contains(fault), "\(result.errors)")
  }

  @Test func `M6: outcomes that are off beside a route of outcomes are reported`() throws {
    let file = workspace.path + "/chimed.yaml"
    let text = """
      state-directory: \(workspace.state)
      sinks: {out: {type: journal}, app: {type: journal}}
      routes: {push: [out], outcomes: app}
      """
    try Files.write("outcomes: false\n\(text)\n", to: file)
    let arguments = ["--check-config", "--config", file, "--socket", workspace.socket]
    let result = try check(arguments)
    #expect(result.ending == .exited(78))
    let fault =
      "\(file):1:11: outcomes is false, but routes sends outcomes to app; remove outcomes: false "
      + "or the route"
    #expect(result.errors.contains(fault), "\(result.errors)")
    try Files.write("outcomes: true\n\(text)\n", to: file)
    #expect(try check(arguments).ending == .exited(0))
  }

  @Test func `V18: faults in policies are reported with their places`() throws {
    let file = workspace.path + "/chimed.yaml"
    try Files.write(
      """
      catalogs: [imanpath]
      sinks: {out: {type: journal}}
      policies:
        caps: {perDay: 0}
        hours: [{from: "08:00", to: "21:00", channels: [sms], categories: [LESSONS]}]
      """, to: file)
    let result = try check([
      "--check-config", "--config", file, "--socket", workspace.socket, "--state-directory",
      workspace.state,
    ])
    #expect(result.ending == .exited(78))
    for fault in [
      "\(file):4:18: perDay must be from 1 to 1000; it is 0",
      "\(file):5:70: the category \"LESSONS\" is not declared; did you mean \"LESSON\"?",
    ] {
      #expect(result.errors.contains(fault), "\(fault) is not in \(result.errors)")
    }
  }

  @Test func `F9: a node's certificate is checked`() throws {
    let file = workspace.path + "/chimed.yaml"
    let node = workspace.path + "/node"
    try Files.write(
      """
      state-directory: \(workspace.state)
      sinks: {out: {type: journal}}
      store: {postgresql: {url: "host=\(workspace.path)"}}
      fleet: {listen: "127.0.0.1:7443", certificate: \(node).pem, key: \(node).key, \
      authority: \(node)}
      """, to: file)
    let result = try check(["--check-config", "--config", file, "--socket", workspace.socket])
    #expect(result.ending == .exited(78))
    #expect(
      result.errors.contains("\(node) cannot be read: No such file or directory"),
      "\(result.errors)")
  }

  @Test func `the file is checked together with the files that it names`() throws {
    let file = workspace.path + "/chimed.yaml"
    try Files.write(
      """
      catalogs: [imanpaht]
      default-zone: Mars/Phobos
      state-directory: \(workspace.state)
      color: red
      sinks:
        lines: {type: jsonl, file: \(workspace.path)/none/deliveries}
        bird: {type: pigeon}
      routes: {push: [lines, brid]}
      clock: {trust-after: long}
      retention: {events: 1h, attempts: 3d}
      audit: {daily: 0.1}
      """, to: file)
    let result = try check(["--check-config", "--config", file, "--socket", workspace.socket])
    #expect(result.ending == .exited(78))
    for fault in [
      "\(file):4:1: a configuration has no \"color\"",
      "\(file):7:16: there is no sink of type \"pigeon\"",
      "\(file):8:24: \"brid\" is not a sink; did you mean \"bird\"?",
      "\(file):9:22: trust-after must be a duration such as 30m, 12h or 3d",
      "\(file):10:21: events must be at least 1d, such as 90d",
      "\(file):11:16: daily is \"0.1\"; it must be a share of all recipients, such as 0.1%",
      "\(file):1:12: imanpaht: there is no such catalog",
      "\(file):2:15: the default zone: \"Mars/Phobos\" is not a time zone",
      "\(file):6:3: the sink \"lines\": \(workspace.path)/none cannot be written to",
    ] {
      #expect(result.errors.contains(fault), "\(fault) is not in \(result.errors)")
    }
    #expect(Files.names(in: workspace.path) == ["chimed.yaml", "state"])
  }

  @Test func `the example of the manual is valid`() throws {
    let manual = try Files.read(Project.root + "/config/manual/chimed.yaml.5")
    let lines = String(decoding: manual, as: UTF8.self).split(separator: "\n")
    let example = lines.drop { !$0.hasPrefix("catalogs:") }.prefix { $0 != ".Ed" }
      .joined(separator: "\n")
    #expect(example.contains("sinks:"))
    let file = workspace.path + "/chimed.yaml"
    try Files.write(
      example.replacing("/var/lib/chimed", with: workspace.path), to: file)
    let result = try check([
      "--check-config", "--config", file, "--socket", workspace.socket, "--state-directory",
      workspace.state,
    ])
    #expect(result.ending == .exited(0), "\(result.errors)")
  }

  @Test func `the command line has precedence over the file`() throws {
    let file = workspace.path + "/chimed.yaml"
    try Files.write(
      """
      catalogs: [imanpath]
      default-zone: Mars/Phobos
      state-directory: \(workspace.path)/none/state
      sinks: {journal: {type: journal}}
      """, to: file)
    let options = ["--check-config", "--config", file, "--socket", workspace.socket]
    let others = ["--default-zone", "Asia/Tokyo", "--state-directory", workspace.state]
    let result = try check(options + others)
    #expect(result.ending == .exited(0), "\(result.errors)")
  }

  @Test func `the shipped configuration is valid for any user`() throws {
    let options = ["--check-config", "--config", Project.root + "/config/chimed.yaml"]
    let result = try check(options + ["--socket", workspace.socket])
    #expect(result.ending == .exited(0), "\(result.errors)")
    #expect(
      Self.withoutRemarks(result.output) == [
        "not checked: the state directory, which the service manager sets; give "
          + "--state-directory", "the configuration is valid",
      ])
  }

  @Test func `holidays whose years have ended are remarked on`() throws {
    let holidays = workspace.path + "/holidays"
    #expect(mkdir(holidays, 0o755) == 0)
    try Files.write(
      "BEGIN:VCALENDAR\r\nX-CHIMED-YEARS:2020-2021\r\nEND:VCALENDAR\r\n", to: holidays + "/UA.ics")
    let result = try check(options(["--holidays", holidays]))
    #expect(result.ending == .exited(0), "\(result.errors)")
    #expect(
      result.output.contains("remark: the holidays of UA are known only through 2021\n"),
      "\(result.output)")
  }

  /// Remarks on holidays and time zones depend on the date of the test run.
  private static func withoutRemarks(_ output: String) -> [Substring] {
    output.split(separator: "\n").filter { !$0.hasPrefix("remark: ") }
  }

  @Test func `secrets that only the service has are not checked`() throws {
    let file = workspace.path + "/chimed.yaml"
    let secrets = "[{credential: hook}, {file: /old}]"
    let hook = "  hook: {type: webhook, url: \"https://127.0.0.1/\", secret: \(secrets)"
    try Files.write("sinks:\n\(hook)}\n", to: file)
    let options = ["--check-config", "--config", file, "--socket", workspace.socket]
    let result = try check(options + ["--state-directory", workspace.state])
    #expect(result.ending == .exited(0), "\(result.errors)")
    #expect(result.output.hasPrefix("not checked: the secret hook of the sink \"hook\", "))
    try Files.write("sinks:\n\(hook), ca: /nowhere.pem}\n", to: file)
    let other = try check(options + ["--state-directory", workspace.state])
    #expect(other.ending == .exited(78))
    #expect(other.errors.contains("\(file):2:3: the sink \"hook\": /nowhere.pem"))
  }

  @Test func `a missing file is reported`() throws {
    let file = workspace.path + "/chimed.yaml"
    let options = ["--check-config", "--config", file, "--socket", workspace.socket]
    let result = try check(options + ["--state-directory", workspace.state])
    #expect(result.ending == .exited(78))
    #expect(result.errors == "\(file): there is no such file\n")
  }

  @Test func `wrong usage exits like an invalid configuration`() throws {
    let result = try check(options(["--sink", "pigeon"]))
    #expect(result.ending == .exited(78))
    #expect(result.errors.contains("pigeon"))
    let missing = try check(["--check-config"])
    #expect(missing.ending == .exited(78))
    #expect(missing.errors.contains("--sink") && missing.errors.contains("--catalog"))
  }

  /// Runs the check with a temporary /etc.
  ///
  /// - Parameter files: The contents of all files in /etc, by their paths there.
  private func check(
    _ options: [String], etc files: [String: String]
  ) throws -> (ending: ChildProcess.Ending, output: String, errors: String) {
    let prefix = workspace.path + "/copy"
    var script = "mount -t tmpfs tmpfs /etc"
    for (path, content) in files {
      let file = prefix + "-\(path.split(separator: "/").joined(separator: "-"))"
      try Files.write(content, to: file)
      script += " && install -D -m 644 \(file) /etc/\(path)"
    }
    let process = try ChildProcess(
      "/usr/bin/env",
      ["unshare", "--mount", "/bin/sh", "-c", script + " && exec \"$0\" \"$@\"", Project.chimed]
        + ["--check-config"] + options,
      environment: ["CHIMED_CATALOGS": Project.catalogs])
    let ending = try process.finish()
    return (
      ending, String(decoding: process.output.take(), as: UTF8.self),
      String(decoding: process.errors.take(), as: UTF8.self)
    )
  }

  @Test(.enabled(if: Mounting.obstacle == nil, "\(Mounting.obstacle ?? "")"))
  func `S4: without options the installed configuration is checked`() throws {
    let text = "catalogs: [imanpath]\nsinks: {journal: {type: journal}}\n"
    let valid = try check([], etc: ["chimed/chimed.yaml": text])
    #expect(valid.ending == .exited(0), "\(valid.errors)")
    #expect(valid.output.hasSuffix("the configuration is valid\n"), "\(valid.output)")
    let faulty = try check([], etc: ["chimed/chimed.yaml": text + "color: red\n"])
    #expect(faulty.ending == .exited(78))
    #expect(
      faulty.errors.hasPrefix("/etc/chimed/chimed.yaml:3:1: a configuration has no \"color\""))
    let missing = try check([], etc: [:])
    #expect(missing.ending == .exited(78))
    #expect(missing.errors.contains("--sink"), "\(missing.errors)")
  }

  @Test(.enabled(if: Mounting.obstacle == nil, "\(Mounting.obstacle ?? "")"))
  func `S4: a listen setting that the socket unit replaces is remarked on`() throws {
    let port = ["--listen", "7411"]
    let unit = try check(options().dropFirst() + port, etc: ["systemd/system/chimed.socket": ""])
    #expect(unit.ending == .exited(0), "\(unit.errors)")
    #expect(
      unit.output.contains(
        "remark: listen is not used where systemd passes the sockets (chimed.socket): set "
          + "ListenStream= with `systemctl edit chimed.socket`\n"), "\(unit.output)")
  }

  @Test func `the help names --check-config`() throws {
    let result = try check(["--help"])
    #expect(result.ending == .exited(0))
    #expect(result.output.contains("--check-config"))
  }

  @Test func `a running service is not disturbed`() throws {
    let service = try Service(workspace)
    try service.waitUntilReady()
    let event = Report.milestone("e1", of: "r1", at: Report.overdue)
    #expect(try service.ask("POST", "/v1/events", event).status == 202)
    #expect(try service.deliveries(1).count == 1)
    #expect(try check(options()).ending == .exited(0))
    #expect(try service.ask("GET", "/v1/status").status == 200)
    #expect(try service.stop() == .exited(0))
  }

  @Test func `the check leaves a stopped service's files unchanged`() throws {
    let service = try Service(workspace)
    try service.waitUntilReady()
    #expect(try service.stop() == .exited(0))
    let before = try Files.contents(of: workspace.state)
    #expect(try check(options()).ending == .exited(0))
    #expect(try Files.contents(of: workspace.state) == before)
  }

  @Test func `an unusable state directory is reported`() throws {
    try SQL.run("CREATE TABLE diary (day)", on: workspace.database)
    let before = try Files.contents(of: workspace.state)
    let result = try check(options())
    #expect(result.ending == .exited(78))
    #expect(result.errors.contains("it is the database of another program"))
    #expect(try Files.contents(of: workspace.state) == before)
  }
}
