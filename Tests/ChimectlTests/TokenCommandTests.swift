import ArgumentParser
import JSON
import Testing

@testable import chimectl

@Suite struct TokenCommandTests {
  @Test(arguments: [
    ("2026-04-01T02:00:00.000Z", "expires at 2026-04-01T02:00:00.000Z"), (nil, "never expires"),
  ])
  func `H17: the line about a new token names the token's expiry`(
    expires: String?, words: String
  ) throws {
    let answer: JSONValue = [
      "id": "a2", "scope": "admin", "expires": expires.map(JSONValue.string) ?? .null,
    ]
    #expect(
      try TokenCommand.CreateCommand.remark(answer)
        == "token a2, admin, \(words); it is shown only once, keep it safe:\n")
  }

  @Test func `H19: the command sends the types and the source`() async throws {
    let words = ["app", "--scope", "report", "--types", "lesson.completed,relapse", "--source=-a"]
    let command = try await TokenCommand.CreateCommand.asyncParse(words)
    #expect(
      command.request == [
        "name": "app", "scope": "report", "types": ["lesson.completed", "relapse"], "source": "-a",
      ])
    let plain = try await TokenCommand.CreateCommand.asyncParse(
      ["app", "--scope", "report", "--for", "7d"])
    #expect(plain.request == ["name": "app", "scope": "report", "for": "7d"])
  }

  @Test func `H19: a line about a token names its types and its source`() throws {
    let answer: JSONValue = [
      "id": "a2", "name": "app", "scope": "report", "types": ["lesson.completed", "relapse"],
      "source": "a b", "status": "valid", "created": "2026-03-02T02:00:00.000Z", "expires": nil,
      "revoked": nil, "lastUsed": nil,
    ]
    let scope = "report types=lesson.completed,relapse source=a b"
    #expect(try TokenCommand.CreateCommand.remark(answer).hasPrefix("token a2, \(scope), never"))
    let list = try TokenCommand.ListCommand.text(["tokens": [answer], "next": nil])
    #expect(list.contains(scope))
  }

  @Test func `H17: a name that begins with a hyphen comes after --`() async throws {
    let words = ["--scope", "admin", "--for", "7d", "--", "-1 day"]
    let command = try await TokenCommand.CreateCommand.asyncParse(words)
    #expect(command.name == "-1 day" && command.scope == "admin" && command.lifetime == "7d")
  }
}
