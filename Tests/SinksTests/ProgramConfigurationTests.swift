import DeliverySamples
import Outbox
import Reminders
import Sinks
import Systemd
import TestSupport
import Testing
import Yams

/// The configuration of sinks that start programs, write files and show notifications on desktops.
@Suite struct ProgramConfigurationTests {
  private func read(_ sink: String) -> (DeliveryConfiguration, problems: [String]) {
    var reader = DeliveryConfigurationReader(file: "chimed.yaml")
    let root = reader.compose("sinks: {one: {\(sink)}}")
    let configuration = reader.read(sinks: root?.mapping?["sinks"], routes: nil)
    return (configuration, reader.diagnostics.map(\.description))
  }

  @Test(arguments: [
    "type: exec, command: /bin/true",
    "type: exec, command: [/bin/sh, -c, exit 0], environment: [A=b, HOME, EMPTY=], memory: 64MiB",
    "type: pipe, command: [/usr/bin/python3, /a.py], concurrency: 8, deadline: 5s",
    "type: jsonl, file: /tmp/out", "type: jsonl, file: /tmp/out, rotate: 100MB, keep: 7",
    "type: jsonl, file: \"-\"",
    "type: desktop, recipient: amina, bus: \"unix:path=/run/user/1000/bus\", urgency: low",
  ])
  func `a valid sink is read`(sink: String) {
    let (configuration, problems) = read(sink)
    #expect(problems == [])
    #expect(configuration.sinks.count == 1)
  }

  @Test(arguments: [
    ("type: exec", "the sink \"one\" needs \"command\""),
    ("type: exec, command: []", "command must be the program's path, or a list of that"),
    ("type: exec, command: date", "command must begin with an absolute path"),
    ("type: pipe, command: [./a]", "command must begin with an absolute path"),
    ("type: exec, command: /a, environment: [A-B=c]", "an entry is NAME=VALUE or NAME"),
    ("type: exec, command: /a, environment: [\"=c\"]", "an entry is NAME=VALUE or NAME"),
    ("type: exec, command: [/a, \"b\\0c\"]", "command and environment must not contain a zero"),
    ("type: exec, command: /a, memory: much", "memory must be a number of bytes such as 500kB"),
    ("type: exec, command: /a, memory: 1kB", "memory must be from 1000000 to"),
    ("type: exec, command: /a, shell: true", "the sink \"one\" has no \"shell\""),
    ("type: jsonl, file: \"-\", rotate: 1MB", "rotate needs a file"),
    ("type: jsonl, file: /a, keep: 3", "keep needs \"rotate\""),
    ("type: jsonl, file: /a, rotate: 1MB, keep: 0", "keep must be from 1 to 1000"),
    ("type: desktop", "the sink \"one\" needs \"recipient\""),
    ("type: desktop, recipient: a, urgency: shrill", "urgency must be low, normal or critical"),
  ])
  func `a faulty sink is reported`(sink: String, problem: String) {
    let problems = read(sink).problems
    #expect(problems.contains { $0.contains(problem) }, "\(problems)")
  }

  @Test(arguments: ["/nowhere/program", "/etc/passwd", "/usr"])
  func `S4: a missing program is found before the start`(path: String) {
    let (configuration, problems) = read("type: exec, command: \(path)")
    #expect(problems == [])
    for sink in configuration.sinks {
      let problem = #expect(throws: SinkCreationError.self) {
        try sink.check(credentials: Credentials(directory: nil))
      }
      #expect(problem?.description.hasPrefix("the sink \"one\": \(path) ") == true)
    }
  }

  @Test(arguments: ["exec", "pipe"])
  func `S9: a sink whose program is missing is not created`(type: String) throws {
    let declared = try #require(read("type: \(type), command: [/nowhere/program]").0.sinks.first)
    let problem = #expect(throws: UnusablePathError.self) {
      try declared.make(in: Surroundings.make())
    }
    #expect(
      problem?.description.hasPrefix(
        "/nowhere/program cannot be started: No such file or directory") == true)
  }

  @Test func `the configured program runs`() async throws {
    let directory = try TemporaryDirectory()
    let journal = try CapturedJournal(in: directory)
    let (configuration, _) = read(
      "type: exec, command: [/bin/sh, -c, 'echo $A $1', x, y], environment: [A=b], memory: 1GB")
    let declared = try #require(configuration.sinks.first)
    try declared.check(credentials: Credentials(directory: nil))
    let sink = try declared.make(
      in: SinkEnvironment(
        journal: journal.journal, credentials: Credentials(directory: nil),
        now: { Fixtures.noon }))
    let answers = try await sink.deliver([Fixtures.delivery(1)])
    #expect(answers.first?.response?.excerpt == "b y ")
    #expect(sink.name == "one")
  }

  @Test(arguments: [
    ("0", 0), ("12", 12), ("500kB", 500_000), ("100 MB", 100_000_000), ("2GiB", 2 << 30),
  ])
  func `a size in bytes is read`(text: String, bytes: Int64) {
    #expect(SinkSettings.bytes(text) == bytes)
  }

  @Test(arguments: ["", "MB", "-1", "1.5MB", "1XB", "1MBs", "99999999999GB", "١MB"])
  func `an invalid size is refused`(text: String) {
    #expect(SinkSettings.bytes(text) == nil)
  }
}
