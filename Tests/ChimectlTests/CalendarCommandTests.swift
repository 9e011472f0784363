import ArgumentParser
import JSON
import Testing

@testable import chimectl

/// The output and the arguments of `chimectl calendar`.
@Suite struct CalendarCommandTests {
  @Test(
    arguments: [
      (["recipient": "u1", "created": nil], "The calendar of u1 has no link.\n"),
      (
        ["recipient": "u1", "created": "2026-03-02T12:00:00.000Z"],
        "The calendar of u1 has a link, created 2026-03-02T12:00:00.000Z.\n"
      ),
      (
        [
          "recipient": "u1", "created": "2026-03-02T12:00:00.000Z",
          "url": "https://notify.example.org/v1/calendar/T1X.ics",
        ], "https://notify.example.org/v1/calendar/T1X.ics\n"
      ),
    ] as [(JSONValue, String)])
  func `H29: a new link is printed alone`(answer: JSONValue, text: String) throws {
    #expect(try CalendarCommand.text(answer) == text)
  }

  @Test(arguments: [["--new", "--revoke"], ["--discreet"], ["--revoke", "--discreet"]])
  func `options that exclude each other are refused`(options: [String]) async throws {
    await #expect(throws: (any Error).self) {
      try await CalendarCommand.asyncParse(["u1"] + options)
    }
    let command = try await CalendarCommand.asyncParse(["u1", "--new", "--discreet"])
    #expect(command.new && command.discreet)
  }
}
