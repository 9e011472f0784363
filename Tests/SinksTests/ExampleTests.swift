import CivilTime
import DeliverySamples
import Foundation
import JSON
import Outbox
import Reminders
import Sinks
import Systemd
import TestSupport
import Testing
import Yams

/// The programs in config/examples, which the README shows, work unchanged.
@Suite struct ExampleTests {
  private static let root = #filePath.split(separator: "/").dropLast(3).map { "/" + $0 }.joined()
  private static let examples = root + "/config/examples"

  private func reasons(_ answers: [SinkAnswer]) -> [String] {
    answers.map { answer in
      switch answer.verdict {
      case .delivered: "delivered"
      case .retry(let after, let reason): "retry \(after?.description ?? "-"): \(reason)"
      case .rejected(let reason): "rejected: \(reason)"
      }
    }
  }

  @Test func `the mailbox stores each delivery once`() async throws {
    let directory = try TemporaryDirectory()
    let box = directory.path + "/box"
    let command = ProgramCommand("/bin/sh", [Self.examples + "/mailbox.sh", box])
    let sink = try ProgramSink(
      ProgramSettings(.exec, command: command, journal: Journal(.lines(2))))
    let firstAnswers = try await sink.deliver([Fixtures.delivery(1)])
    #expect(reasons(firstAnswers) == ["retry -: exit 75: temporary failure"])
    try FileManager.default.createDirectory(atPath: box, withIntermediateDirectories: false)
    for batch: ClosedRange<Int64> in [1...3, 2...4] {
      let answers = try await sink.deliver(Fixtures.deliveries(batch))
      #expect(reasons(answers) == ["delivered", "delivered", "delivered"])
    }
    let names = try FileManager.default.contentsOfDirectory(atPath: box).sorted()
    #expect(names == (1...4).map { "store-\($0)-push.json" })
    #expect(try JSONParser.parse(directory.text(of: "box/store-2-push.json"))["id"] == "store-2")
  }

  @Test func `the mailbox stores both channels of a notification`() async throws {
    let box = try TemporaryDirectory()
    let command = ProgramCommand("/bin/sh", [Self.examples + "/mailbox.sh", box.path])
    let sink = try ProgramSink(
      ProgramSettings(.exec, command: command, journal: Journal(.lines(2))))
    let answers = try await sink.deliver([Fixtures.delivery(1), Fixtures.delivery(1, .sms)])
    #expect(reasons(answers) == ["delivered", "delivered"])
    for channel in ["push", "sms"] {
      let stored = try JSONParser.parse(box.text(of: "store-1-\(channel).json"))
      #expect(stored["channel"]?.stringValue == channel)
    }
  }

  @Test func `the diary writes each delivery once`() async throws {
    let directory = try TemporaryDirectory()
    let journal = try CapturedJournal(in: directory)
    let diary = directory.path + "/books/diary"
    let command = ProgramCommand("/usr/bin/python3", [Self.examples + "/diary.py", diary])
    let sink = try ProgramSink(
      ProgramSettings(.pipe, command: command, journal: journal.journal))
    let firstAnswers = try await sink.deliver([Fixtures.delivery(1)])
    #expect(reasons(firstAnswers) == ["retry 1m: No such file or directory"])
    try FileManager.default.createDirectory(
      atPath: directory.path + "/books", withIntermediateDirectories: false)
    let batch = [Fixtures.delivery(1), Fixtures.delivery(2, .sms), Fixtures.delivery(3, .email)]
    for _ in 0..<2 {
      let answers = try await sink.deliver(batch)
      #expect(
        reasons(answers) == ["delivered", "rejected: a diary has no number", "delivered"])
    }
    let line = "2026-03-02T12:00:00.000Z amina: Note\n"
    #expect(try directory.text(of: "books/diary") == line + line)
  }

  /// The manual gives the paths of the installed programs, and does not contain their text.
  @Test func `every program begins with its interpreter`() throws {
    let manual = try String(
      contentsOfFile: Self.root + "/config/manual/chimed-delivery.7", encoding: .utf8)
    for name in ["mailbox.sh", "diary.py"] {
      let program = try String(contentsOfFile: Self.examples + "/" + name, encoding: .utf8)
      #expect(program.hasPrefix("#!/"))
      #expect(manual.contains("/usr/share/doc/chimed/examples/\(name)"))
    }
  }

  @Test func `the configuration in the README is valid`() throws {
    let readme = try String(contentsOfFile: Self.root + "/README.md", encoding: .utf8)
    let parts = readme.components(separatedBy: "```yaml\n").dropFirst()
    let blocks = parts.compactMap { $0.components(separatedBy: "```").first }
    let configurations = blocks.filter { $0.contains("sinks:") }
    #expect(configurations.count == 1)
    for text in configurations {
      let root = try #require(try Yams.compose(yaml: text))
      var reader = DeliveryConfigurationReader(file: "README.md")
      let configuration = reader.read(sinks: root["sinks"], routes: root["routes"])
      #expect(reader.diagnostics == [])
      #expect(configuration.sinks.count >= 2)
    }
  }
}
