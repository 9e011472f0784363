import Glibc
import JSON
import Testing

/// Every command of `chimectl` against the service prints JSON with `--json`.
@OwnThread @Suite struct CommandTests {
  private let workspace: Workspace
  private let chimectl: Chimectl

  init() throws {
    workspace = try Workspace()
    chimectl = Chimectl(socket: workspace.socket)
  }

  /// The commands without subcommands, as the program lists them.
  private func leafCommands() throws -> [[String]] {
    let dump = try Chimectl.finish(ChildProcess(Chimectl.program, ["--experimental-dump-help"]))
    let root = try #require(try JSONParser.parse(dump.output)["command"])
    return Self.leafCommands(of: root, at: [])
  }

  private static func leafCommands(of command: JSONValue, at path: [String]) -> [[String]] {
    let subcommands = (command["subcommands"]?.arrayValue ?? [])
      .filter { $0["commandName"] != "help" }
    guard !subcommands.isEmpty else { return [path] }
    return subcommands.flatMap {
      leafCommands(of: $0, at: path + [$0["commandName"]?.stringValue ?? ""])
    }
  }

  private func write(_ text: String, to name: String) throws -> String {
    let path = workspace.path + "/" + name
    let file = try #require(fopen(path, "w"))
    defer { fclose(file) }
    try #require(fputs(text, file) >= 0)
    return path
  }

  /// Returns a call of each command, in an order in which each has something to do. `watch` has no
  /// end; see `WatchTests`.
  private func calls() throws -> [(path: [String], arguments: [String])] {
    let event = Report.milestone("e9", of: "u1", at: Report.overdue)
    return [
      (["event"], ["recipient.updated", "--recipient", "u1", "timezone=Europe/Paris"]),
      (["events"], [try write(event + "\n" + event + "\n", to: "events")]),
      (["import"], try importArguments()),
      (["pending"], ["u1"]), (["ahead"], ["u1", "--days", "1"]), (["inbox"], ["u1"]),
      (["notifications"], ["u1"]), (["explain"], ["u1", "--category", "LESSON"]),
      (["snooze"], ["u1", "daily-checkin-reminder", "--for", "30m"]),
      (["cancel"], ["u1", "daily-checkin-reminder"]), (["calendar"], ["u1"]),
      (["preferences", "edit"], ["u1"]),
      (["preferences", "export"], ["u1"]),
      (["preferences", "import"], ["u1", workspace.path + "/preferences export"]),
      (["preferences", "reset"], ["u1"]), (["preferences", "presets"], ["u1"]),
      (["test"], ["u1", "--channel", "push"]), (["status"], []),
      (["top"], ["--count", "2", "--interval", "0.1"]),
      (["token", "create"], ["backend", "--scope", "admin"]), (["token", "list"], []),
      (["token", "revoke"], []), (["console"], ["--at", "http://127.0.0.1:7411"]),
      (["deadletters", "list"], []), (["deadletters", "groups"], []), (["sinks", "list"], []),
      (["sinks", "pause"], ["jsonl"]), (["sinks", "resume"], ["jsonl"]),
      (["sinks", "test"], ["jsonl"]),
      (["deadletters", "resend"], ["--sink", "jsonl"]),
      (["deadletters", "discard"], ["--sink", "jsonl"]), (["reload"], []), (["log-level"], []),
      (["configuration"], []),
      (["replay"], ["--since", "1ms"]),
      (["replay"], ["--since", "1ms", "--catalog", try write(Self.draft, to: "draft.yaml")]),
      (["prune"], ["--dry-run"]), (["backup"], [workspace.path + "/backup"]),
      (["export"], ["u1"]), (["erase"], ["u1", "--yes"]),
    ]
  }

  private static let draft = """
    catalog: draft
    categories:
      DRAFT: {title: Drafts, channels: {push: true}}
    groups:
      drafts: {enabled: true}
    reminders:
      draft:
        category: DRAFT
        group: drafts
        every: {day: {at: "12:00"}}
        expires: 12h
        messages: [{title: Draft, body: A draft.}]

    """

  private func importArguments() throws -> [String] {
    let calendar = """
      BEGIN:VCALENDAR
      BEGIN:VEVENT
      UID:iron
      SUMMARY:Iron
      DTSTART:20260302T080000
      RRULE:FREQ=DAILY
      END:VEVENT
      END:VCALENDAR

      """
    let file = try write(calendar, to: "calendar.ics")
    return [file, "--recipient", "u1", "--as", "medication.planned"]
  }

  @Test func `every command prints JSON with --json`() throws {
    let service = try Service(
      workspace,
      arguments: Service.arguments(workspace, sink: .file)
        + ["--catalog", "rooms", "--catalog", "wellness"])
    try service.waitUntilReady()
    var token = ""
    // A store in a file has no fleet; see `FleetReportTests`.
    var called: Set<[String]> = [
      ["watch"], ["catalog", "check"], ["catalog", "new"], ["init"], ["fleet", "list"],
      ["fleet", "drain"],
    ]
    for (path, arguments) in try calls() {
      let actualArguments = path == ["token", "revoke"] ? [token] : arguments
      let result = try chimectl.run(path + actualArguments + ["--json"])
      #expect(result.ending == .exited(0), "\(path): \(result.errors)")
      #expect(result.errors == "", "\(path)")
      let documents = try documents(in: result.output, of: path)
      #expect(documents.allSatisfy { $0.objectValue != nil || $0.arrayValue != nil }, "\(path)")
      if path == ["token", "create"] { token = documents.first?["id"]?.stringValue ?? "" }
      if path == ["preferences", "export"] {
        _ = try write(result.output, to: "preferences export")
      }
      called.insert(path)
    }
    #expect(try Set(leafCommands()) == called)
    #expect(try service.stop() == .exited(0))
  }

  /// Returns the single document in the output, or one document for each line.
  private func documents(in output: String, of path: [String]) throws -> [JSONValue] {
    if let document = try? JSONParser.parse(output) { return [document] }
    let lines = output.split(separator: "\n")
    try #require(lines.count > 1, "\(path): \(output)")
    return try lines.map { try JSONParser.parse(String($0)) }
  }

  /// Rule L1: a program gets NDJSON, and a terminal shows each recipient's local time.
  @Test func `L1: a timeline on a terminal has local times`() throws {
    let event = """
      {"specversion":"1.0","id":"e1","source":"tests","type":"recipient.updated",\
      "subject":"u1","time":"2026-03-01T12:00:00Z","data":{"timezone":"Asia/Tokyo"}}
      """
    let arguments = [
      "simulate", "--catalog", "imanpath", "--until", "2026-03-02T00:00:00Z",
      try write(event + "\n", to: "events"),
    ]
    let environment = ["CHIMED_CATALOGS": Project.catalogs, "TERM": "xterm", "NO_COLOR": "1"]
    func run(on terminal: Terminal?) throws -> Chimectl.Result {
      try Chimectl.finish(
        ChildProcess(Project.chimed, arguments, environment: environment, on: terminal))
    }
    let table = try run(on: Terminal(columns: 90, lines: 20)).output.replacing("\r\n", with: "\n")
    #expect(table.hasPrefix("LOCAL TIME"))
    #expect(table.contains("2026-03-02 08:00 JST  u1 "))
    #expect(table.split(separator: "\n").allSatisfy { $0.count <= 90 })
    #expect(try run(on: nil).output.contains("\"at\":\"2026-03-01T23:00:00.000Z\""))
  }

  @Test func `V18: a simulation applies the policies of the configuration`() throws {
    let event = """
      {"specversion":"1.0","id":"e1","source":"tests","type":"recipient.updated",\
      "subject":"u1","time":"2026-03-01T12:00:00Z","data":{"timezone":"UTC"}}
      """
    let file = try write(
      """
      catalogs: [imanpath]
      sinks: {out: {type: journal}}
      policies: {hours: [{from: "07:00", to: "20:00", channels: [push]}]}
      """, to: "chimed.yaml")
    let simulation = try Chimectl.finish(
      ChildProcess(
        Project.chimed,
        [
          "simulate", "--config", file, "--until", "2026-03-02T12:00:00Z",
          try write(event + "\n", to: "events"),
        ], environment: ["CHIMED_CATALOGS": Project.catalogs]))
    #expect(simulation.ending == .exited(0), "\(simulation.errors)")
    let lines = try simulation.output.split(separator: "\n")
      .map { try JSONParser.parse(String($0)) }
    #expect(
      lines.map { $0["at"]?.stringValue } == [
        "2026-03-02T07:00:00.000Z", "2026-03-02T08:00:00.000Z",
      ])
    #expect(lines.map { $0["reasons"] } == [["policy_hours"], []])
  }

  @Test func `a shell completes names that the service knows`() throws {
    let service = try Service(workspace, sink: .file)
    try service.waitUntilReady()
    func completions(_ words: [String], of option: String? = nil) throws -> String {
      let argument = option ?? "positional@\(words.count - 3)"
      let cursor = [argument, "\(words.count - 1)", "\(words.last?.count ?? 0)"]
      let process = try ChildProcess(
        Chimectl.program, ["---completion", words[1], "--"] + cursor + words,
        environment: ["CHIMED_SOCKET": workspace.socket])
      return try Chimectl.finish(process).output
    }
    #expect(try completions(["chimectl", "event", "relap"]) == "relapse\n")
    #expect(
      try completions(["chimectl", "snooze", "u1", "dai"]).contains("daily-checkin-reminder"))
    let reported = try chimectl.run(["event", "relapse", "--recipient", "amina"])
    try #require(reported.ending == .exited(0))
    #expect(try completions(["chimectl", "pending", "am"]) == "amina\n")
    let words = ["chimectl", "event", "relapse", "--recipient", "am"]
    #expect(try completions(words, of: "--recipient") == "amina\n")
    let types = ["chimectl", "import", "a.ics", "--as", "relap"]
    #expect(try completions(types, of: "--as") == "relapse\n")
    #expect(try completions(["chimectl", "pending", "b"]) == "")
    #expect(try service.stop() == .exited(0))
    #expect(try completions(["chimectl", "event", "rel"]) == "")
  }

  /// `ConfigurationDraftTests` test the wording of the questions.
  @Test func `init writes a valid configuration`() throws {
    let file = workspace.path + "/chimed.yaml"
    func answer(_ catalog: String, _ sink: String) throws -> Chimectl.Result {
      let process = try ChildProcess(
        Chimectl.program, ["init", "--json"],
        environment: [
          "CHIMED_CATALOGS": Project.catalogs, "XDG_RUNTIME_DIR": workspace.path,
        ], isFed: true)
      for line in [catalog, "Europe/Berlin", sink, "7411", file] { try process.feed(line) }
      return try Chimectl.finish(process)
    }
    let invalid = try answer("imanpath", "/none/deliveries.jsonl")
    #expect(invalid.ending == .exited(78))
    #expect(invalid.errors.contains("/none cannot be written to"))
    #expect(access(file, F_OK) != 0)
    let valid = try answer("imanpath rooms", "journal")
    #expect(valid.ending == .exited(0), "\(valid.errors)")
    #expect(
      try JSONParser.parse(valid.output)
        == ["file": .string(file), "catalogs": ["imanpath", "rooms"]])
    let checked = try Chimectl.finish(
      ChildProcess(
        Project.chimed, ["--check-config", "--config", file],
        environment: ["CHIMED_CATALOGS": Project.catalogs, "XDG_RUNTIME_DIR": workspace.path]))
    #expect(checked.ending == .exited(0), "\(checked.errors)")
  }

  @Test func `catalogs are checked without a service`() throws {
    func check(_ arguments: [String]) throws -> Chimectl.Result {
      try Chimectl.finish(ChildProcess(Chimectl.program, ["catalog", "check"] + arguments))
    }
    let valid = try check([Project.catalogs + "/imanpath.yaml", "--json"])
    #expect(valid.ending == .exited(0))
    #expect(try JSONParser.parse(valid.output)["catalogs"] == ["imanpath"])
    let file = try write("catalog: a\nwrong: 1\n", to: "wrong.yaml")
    let wrong = try check([file, "--json"])
    #expect(wrong.ending == .exited(65))
    let mistake = try JSONParser.parse(wrong.output)["problems"]?[0]
    #expect(mistake?["file"] == .string(file) && mistake?["message"]?.stringValue != nil)
    #expect(try check([workspace.path + "/none"]).ending == .exited(66))
  }

  @Test func `G12: a new catalog is valid, playable and never replaces a file`() throws {
    func catalog(_ arguments: [String]) throws -> Chimectl.Result {
      try Chimectl.finish(ChildProcess(Chimectl.program, ["catalog"] + arguments))
    }
    let file = workspace.path + "/clinic.yaml"
    #expect(try catalog(["new", "clinic", file]).ending == .exited(0))
    let checked = try catalog(["check", file])
    #expect(checked.output == "clinic: valid; 2 categories, 2 reminders\n")
    let repeated = try catalog(["new", "clinic", file])
    #expect(repeated.ending == .exited(73) && repeated.errors.contains("exists already"))
    #expect(try catalog(["new", "../clinic"]).ending == .exited(64))
    #expect(
      try catalog(["new", "clinic"]).output == String(decoding: Files.read(file), as: UTF8.self))
    let event =
      #"{"specversion":"1.0","id":"1","source":"test","type":"appointment.booked","subject":"u1","#
      + #""time":"2026-03-02T09:00:00Z","data":{"appointment":"a1","at":"2026-03-04T09:00:00Z"}}"#
    let events = try write(event + "\n", to: "events.ndjson")
    let simulation = try Chimectl.finish(
      ChildProcess(
        Project.chimed,
        ["simulate", "--catalog", file, "--until", "2026-03-05T00:00:00Z", events]))
    #expect(simulation.ending == .exited(0), "\(simulation.errors)")
    #expect(simulation.output.contains("appointment-ahead"))
    #expect(simulation.output.contains("glass-of-water"))
  }
}
