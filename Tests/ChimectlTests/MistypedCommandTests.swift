import ArgumentParser
import Testing

@testable import chimectl

/// A mistyped command is answered with the nearest one.
@Suite struct MistypedCommandTests {
  private func answer(_ arguments: String...) -> String? {
    MistypedCommand(in: arguments, of: Chimectl.self)?.text
  }

  @Test func `the nearest command is named at its level`() {
    #expect(
      answer("pendng", "u1")
        == "error: chimectl has no command \"pendng\"\nhint: did you mean \"chimectl pending\"?\n")
    #expect(
      answer("token", "revok", "x") == """
        error: chimectl token has no command "revok"
        hint: did you mean "chimectl token revoke"?

        """)
  }

  @Test func `without a similar command, all commands of the level are named`() throws {
    let text = try #require(answer("catalog", "frobnicate"))
    #expect(text.hasSuffix("hint: the commands are check, new\n"))
  }

  @Test(arguments: [
    ["pending", "u1"], ["--help"], ["help", "pending"], [], ["token"],
    ["deadletters", "1x-2.push"],
    ["---completion", "event"], ["preferences", "u1", "a=1"],
  ])
  func `a valid command or argument is left to the parser`(arguments: [String]) {
    #expect(MistypedCommand(in: arguments, of: Chimectl.self) == nil)
  }
}
