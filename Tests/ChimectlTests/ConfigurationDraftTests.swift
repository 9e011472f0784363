import CivilTime
import Foundation
import Testing

@testable import chimectl

/// Five answers make a configuration. The service checks whether it is valid.
@Suite struct ConfigurationDraftTests {
  private static let catalogs =
    URL(filePath: #filePath).deletingLastPathComponent()
    .appending(path: "../../config/catalogs").standardized.path

  /// - Returns: the draft and the questions.
  private func draft(_ answers: String...) throws -> (ConfigurationDraft, questions: [String]) {
    var (unusedAnswers, questions) = (answers[...], [String]())
    let draft = try ConfigurationDraft(
      asking: { (question) throws(CommandError) in
        questions.append(question)
        guard let answer = unusedAnswers.popFirst() else {
          throw CommandError(.noInput, "no more answers")
        }
        return answer
      }, zones: try ZoneDatabase(generation: 1), directories: [Self.catalogs], zone: "UTC")
    return (draft, questions)
  }

  @Test func `empty answers make a configuration`() throws {
    let (draft, questions) = try draft("", "", "", "", "")
    #expect(questions.count == 5)
    #expect(questions[0].contains("imanpath, rooms, trials, urbannest, wellness"))
    #expect(draft.file == "chimed.yaml" && draft.catalogs.isEmpty)
    #expect(draft.text.contains("\n# catalogs: [imanpath]\n"))
    #expect(draft.text.contains("\ndefault-zone: UTC\n"))
    #expect(draft.text.contains("\n  journal: {type: journal}\n"))
    #expect(!draft.text.contains("listen:"))
    let schema = "/usr/share/chimed/schemas/configuration.json"
    #expect(draft.text.hasPrefix("# yaml-language-server: $schema=\(schema)\n"))
  }

  @Test func `the answers are written into the configuration`() throws {
    let draft = try draft(
      "imanpath, rooms", "Europe/Berlin", "https://example.org/a?b=\"c\"", "7411", "/none/c.yaml"
    ).0
    #expect(draft.text.contains("\ncatalogs: [imanpath, rooms]\n"))
    #expect(draft.text.contains("\ndefault-zone: Europe/Berlin\n"))
    #expect(draft.text.contains("{type: webhook, url: \"https://example.org/a?b=\\\"c\\\"\","))
    #expect(draft.text.contains("\nlisten: 127.0.0.1:7411\n"))
    #expect(draft.file == "/none/c.yaml")
    #expect(draft.advice.contains("LoadCredential=webhook-secret:/etc/credstore/webhook-secret"))
  }

  @Test(arguments: [
    ("http://127.0.0.1:8008/", ", allow: 127.0.0.0/8}"),
    ("http://localhost/a", ", allow: [127.0.0.0/8, \"::1/128\"]}"),
    ("https://[::1]:8443/", ", allow: \"::1/128\"}"),
    ("http://LOCALHOST:8008/", ", allow: [127.0.0.0/8, \"::1/128\"]}"),
    ("https://example.org/", "secret: {credential: webhook-secret}}"),
    ("https://127.example.com/", "secret: {credential: webhook-secret}}"),
  ])
  func `a webhook on this machine is permitted`(url: String, end: String) throws {
    let draft = try draft("", "", url, "", "").0
    #expect(draft.text.contains(end + "\n"))
  }

  @Test func `the question is repeated after an invalid answer`() throws {
    let (draft, questions) = try draft(
      "imanpth", "imanpath", "Mars", "UTC", "mail", "/var/log/d.jsonl", "0", "none", Self.catalogs,
      "/none/c.yaml")
    #expect(questions.count == 10)
    #expect(questions[1].contains("there is no catalog \"imanpth\"; did you mean imanpath?"))
    #expect(questions[3].contains("there is no zone \"Mars\""))
    #expect(questions[5].contains("give a URL that begins with https://"))
    #expect(questions[7].contains("a port is a number"))
    #expect(questions[9].contains("exists already"))
    #expect(draft.text.contains("file: {type: jsonl, file: \"/var/log/d.jsonl\"}"))
  }

  @Test func `an early end of the answers makes no configuration`() {
    #expect(throws: CommandError.self) { try draft("imanpath", "") }
  }
}
