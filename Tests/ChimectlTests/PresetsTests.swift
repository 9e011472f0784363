import ArgumentParser
import JSON
import Testing

@testable import chimectl

/// The output and the arguments of `chimectl preferences presets`.
@Suite struct PresetsTests {
  private static func answer(current: String) -> JSONValue {
    [
      "current": .string(current),
      "presets": [
        [
          "name": "minimal", "own": false,
          "switches": ["channels": ["push": true, "sms": false], "master": true],
        ],
        ["name": "custom", "own": true, "switches": ["master": false]],
      ],
    ]
  }

  @Test func `presets are listed with the current one marked`() throws {
    #expect(
      try PresetsCommand.text(Self.answer(current: "minimal")) == """
        *  minimal  2 of 3 switches on
           custom   0 of 1 switches on  saved

        """)
  }

  @Test func `switches that match no preset are reported`() throws {
    var answer = Self.answer(current: "custom")
    answer = ["current": "custom", "presets": .array([answer["presets"]?.arrayValue?[0] ?? .null])]
    #expect(
      try PresetsCommand.text(answer) == """
          minimal  2 of 3 switches on
        The switches match no preset (the service reports them as "custom").

        """)
  }

  @Test func `only one action is allowed at a time`() async throws {
    for arguments in [["u1", "--save", "--forget"], ["u1", "--apply", "minimal", "--save"]] {
      await #expect(throws: (any Error).self) { try await PresetsCommand.asyncParse(arguments) }
    }
    #expect(try await PresetsCommand.asyncParse(["u1", "--apply", "minimal"]).apply == "minimal")
  }

  @Test func `without a subcommand, preferences are shown or changed`() async throws {
    let command = try await PreferencesCommand.asyncParseAsRoot(["u1", "master=false", "--dry-run"])
    let edit = try #require(command as? EditPreferencesCommand)
    #expect(edit.recipient == "u1")
    #expect(edit.changes == ["master=false"])
    #expect(edit.dryRun)
    let imported = try await PreferencesCommand.asyncParseAsRoot(["import", "u1", "file.json"])
    #expect((imported as? ImportPreferencesCommand)?.file == "file.json")
  }
}
