import Testing

/// The JSON Schemas agree with the readers (rule G12), as judged by another project's validator.
@Suite struct SchemaTests {
  private static let python = "jsonschema/bin/python"

  private let workspace: Workspace

  init() throws {
    workspace = try Workspace()
  }

  @Test(
    .enabled(
      if: Project.hasTool(python), "jsonschema is missing; run `make test`, which fetches it"))
  func `G12: the shipped files are valid by their schemas`() throws {
    let catalogs = ["imanpath", "rooms", "trials", "urbannest", "wellness"].map {
      Project.catalogs + "/\($0).yaml"
    }
    #expect(try faults(in: catalogs, by: "catalog") == [])
    let configuration = Project.root + "/config/chimed.yaml"
    #expect(try faults(in: [configuration], by: "configuration") == [])
    for (files, schema) in [(catalogs, "catalog"), ([configuration], "configuration")] {
      let line = "# yaml-language-server: $schema=/usr/share/chimed/schemas/\(schema).json\n"
      for file in files { #expect(try Files.read(file).starts(with: line.utf8), "\(file)") }
    }
  }

  private static let catalog = """
    catalog: notes
    categories:
      NOTE: {title: Notes, urgency: normal, channels: {push: true}}
    groups:
      notes: {enabled: true, time: "12:00", days: [mon, tue], count: 3}
    reminders:
      note:
        category: NOTE
        group: notes
        every: {day: {at: $time}}
        expires: 12h
        messages: [{title: Note, body: A note.}]

    """

  @Test(
    .enabled(
      if: Project.hasTool(python), "jsonschema is missing; run `make test`, which fetches it"),
    arguments: [
      ("catalog: notes", "name: notes"), ("catalog: notes", "catalog: [notes]"),
      ("urgency: normal", "urgency: urgent"), ("{push: true}", "[push]"),
      ("{push: true}", "{push: maybe}"), ("title: Notes, ", ""), ("[mon, tue]", "[mon, Tuesday]"),
      ("enabled: true, ", ""), ("    group: notes\n", ""), ("at: $time", "at: noon"),
      ("at: $time", "on: $time"), ("expires: 12h", "expires: 12"),
      ("expires: 12h", "expires: 12 hours"), ("expires: 12h", "expire: 12h"),
      ("[{title: Note, body: A note.}]", "{title: Note, body: A note.}"), ("body: A note.", ""),
    ])
  func `G12: schema and reader refuse the same catalogs`(right: String, wrong: String) throws {
    let file = try write(Self.catalog.replacing(right, with: wrong))
    #expect(try faults(in: [file], by: "catalog") == [file])
    #expect(
      try Chimectl.finish(ChildProcess(Chimectl.program, ["catalog", "check", file])).ending
        == .exited(65))
  }

  @Test(
    .enabled(
      if: Project.hasTool(python), "jsonschema is missing; run `make test`, which fetches it"),
    arguments: [
      "catalog: [imanpath]", "hosts: {a: b}", "console: maybe", "clock: {trust-after: soon}",
      "retention: {mails: 3d}", "sinks: {a: {type: mail}}", "sinks: {a: {file: /tmp/a}}",
      "sinks: {a: {type: jsonl}}", "sinks: {a: {type: jsonl, file: /tmp/a, url: b}}",
      "sinks: {a: {type: webhook, url: 'https://a.example', secret: b}}",
      "sinks: {a: {type: journal}}\nroutes: {phone: a}", "jwt: {issuer: a}", "store: {url: a}",
      "policies: {caps: {perDay: many}}", "policies: {limits: {}}",
    ])
  func `G12: schema and reader refuse the same configurations`(text: String) throws {
    let file = try write(text + "\n")
    #expect(try faults(in: [file], by: "configuration") == [file])
    let check = try ChildProcess(Project.chimed, ["--check-config", "--config", file])
    #expect(try Chimectl.finish(check).ending == .exited(78))
  }

  private func write(_ text: String) throws -> String {
    let path = workspace.path + "/file.yaml"
    try Files.write(text, to: path)
    return path
  }

  /// Returns the files that the schema of a kind of document does not accept.
  private func faults(in files: [String], by document: String) throws -> [String] {
    let schemaCommand = try Chimectl.finish(ChildProcess(Project.chimed, ["schema", document]))
    #expect(schemaCommand.ending == .exited(0), "\(schemaCommand.errors)")
    let schema = workspace.path + "/schema.json"
    try Files.write(schemaCommand.output, to: schema)
    let check = try Chimectl.finish(
      ChildProcess(
        Project.tool(Self.python),
        ["-B", Project.root + "/Tests/SystemTests/schema_check.py", schema] + files))
    #expect(check.ending == .exited(0), "\(check.errors)")
    let lines = check.output.split(separator: "\n").map(String.init)
    return files.filter { !lines.contains("\($0): valid") }
  }
}
