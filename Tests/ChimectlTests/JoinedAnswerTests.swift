import API
import ArgumentParser
import JSON
import Testing

@testable import chimectl

/// Joining responses that come in pages or in lines.
@Suite struct JoinedAnswerTests {
  private static func page(_ ids: ClosedRange<Int>, next: String?) -> JSONValue {
    [
      "deadLetters": .array(ids.map { ["id": .string("l\($0)"), "outcome": "discarded"] }),
      "next": next.map { .string($0) } ?? .null,
    ]
  }

  @Test func `pages are requested until there are enough items`() async throws {
    for (itemsMax, expected) in [(Int.max, 6), (4, 4), (1, 2)] {
      var cursors: [String?] = []
      let document = try await DeadLetterReceiptPayload.joined(atMost: itemsMax) {
        cursor, count throws(CommandError) in
        #expect(count == cursors.count * 2)
        cursors.append(cursor)
        let start = count + 1
        return Self.page(start...(start + 1), next: start < 5 ? "after \(start)" : nil)
      }
      #expect(document["deadLetters"]?.arrayValue?.count == expected)
      #expect(cursors == Array([nil, "after 1", "after 3"].prefix(expected / 2)))
      #expect(document["next"] == (expected == 6 ? .null : .string("after \(expected - 1)")))
      let text = try DeadLetterReport.text(document, else: "")
      #expect(text.hasPrefix("l1  discarded\nl2  discarded\n"))
    }
  }

  @Test(arguments: [
    ([], "There are no dead letters.\n"),
    (["--category", "LESSON"], "There are no dead letters that match.\n"),
  ])
  func `a filter without a match is distinguished from an empty list`(
    arguments: [String], text: String
  )
    async throws
  {
    let filter = try await DeadLettersCommand.ListCommand.asyncParse(arguments).filter
    let receipt: JSONValue = ["deadLetters": [], "next": nil]
    let groups: JSONValue = ["by": "sink", "groups": []]
    #expect(try DeadLetterReport.text(receipt, else: filter.emptyMessage) == text)
    #expect(try DeadLettersCommand.ListCommand.text(receipt, else: filter.emptyMessage) == text)
    #expect(try DeadLettersCommand.GroupsCommand.text(groups, else: filter.emptyMessage) == text)
  }

  /// A removed sink may have left dead letters.
  @Test func `an unknown sink without dead letters is refused`() async throws {
    let status = StatusSamples.status(lanes: [StatusSamples.lane("mail")])
    func failure(_ sink: String, _ result: JSONValue) async throws -> CommandError? {
      let filter = try await DeadLettersCommand.ListCommand.asyncParse(["--sink", sink]).filter
      do throws(CommandError) {
        try await filter.checkSink(of: result) { _ in status }
        return nil
      } catch { return error }
    }
    for name in ["deadLetters", "groups"] {
      let nothing: JSONValue = .object([name: []])
      let refused = try await failure("nope", nothing)
      #expect(refused?.code == .noInput)
      #expect(refused?.message == "there is no sink \"nope\"; chimectl sinks lists them")
      #expect(try await failure("mail", nothing) == nil)
      #expect(try await failure("nope", .object([name: [["id": "l1"]]])) == nil)
    }
  }

  @Test func `a page without its items is a failure`() async {
    let failure = await #expect(throws: CommandError.self) {
      try await TokenPagePayload.joined { _, _ throws(CommandError) in ["next": nil] }
    }
    #expect(failure?.message == "the service's reply lacks tokens")
  }

  private static let steps: [(line: JSONValue, text: String)] = [
    (
      ["step": "decided", "notification": "k-1", "channel": "push", "route": ["a", "b"]],
      "k-1 is sent by push: a, then b"
    ),
    (
      ["step": "decided", "notification": "k-1", "channel": "inapp", "route": []],
      "k-1 is sent by inapp: the inbox only"
    ),
    (["step": "unreachable", "reason": "no device"], "not sent: no device"),
    (
      ["step": "attempted", "attempt": ["sink": "a", "verdict": "retry", "reason": "b\u{1b}sy"]],
      "a: retry, b\\u001bsy"
    ),
    (
      ["step": "next", "sink": "b", "at": "2026-03-02T21:00:00.000Z", "reason": "busy"],
      "next attempt by b at 2026-03-02T21:00:00.000Z (busy)"
    ),
    (["step": "dead_letter", "reason": "gone"], "a dead letter: gone"),
  ]

  @Test(arguments: steps)
  func `each step of a test is one line`(line: JSONValue, text: String) throws {
    #expect(try TestCommand.text(line) == text)
  }

  @Test func `an unknown step of a test is a failure`() {
    #expect(throws: CommandError(lacking: "step")) { try TestCommand.text(["step": "flown"]) }
  }
}
