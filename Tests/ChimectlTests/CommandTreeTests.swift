import ArgumentParser
import Testing

@testable import chimectl

/// Every command there is, found in the tree, so that a new one is held to the same.
@Suite struct CommandTreeTests {
  /// The commands that do something, by what they are called with.
  private static func leaves(
    of command: any ParsableCommand.Type = Chimectl.self, at path: [String] = []
  ) -> [(path: [String], command: any ParsableCommand.Type)] {
    let subcommands = command.configuration.subcommands
    guard !subcommands.isEmpty else { return [(path, command)] }
    return subcommands.flatMap {
      leaves(of: $0, at: path + [$0.configuration.commandName ?? "\($0) has no name"])
    }
  }

  static let paths = leaves().map(\.path)

  /// Those that ask no service.
  private static let alone = [["catalog", "check"], ["init"]]

  @Test func thereAreManyCommands() {
    #expect(Self.paths.count > 25)
    #expect(Set(Self.paths).count == Self.paths.count)
    #expect(Self.paths.contains(["deadletters", "resend"]) && Self.paths.contains(["top"]))
  }

  @Test(arguments: paths)
  func itSaysWhatItDoesAndHasJSON(path: [String]) throws {
    let command = try #require(Self.leaves().first { $0.path == path }).command
    #expect(command.configuration.abstract.hasSuffix("."))
    let help = Chimectl.helpMessage(for: command, columns: 80)
    #expect(help.contains("USAGE: chimectl \(path.joined(separator: " "))"))
    #expect(help.contains("  --json "))
    #expect(help.contains("--socket <path>") || Self.alone.contains(path))
  }

  @Test(arguments: paths)
  func helpIsNoError(path: [String]) async throws {
    var help = try await Chimectl.asyncParseAsRoot(path + ["--help"])
    let error = #expect(throws: (any Error).self) { try help.run() }
    let failure = try #require(error)
    #expect(Chimectl.exitCode(for: failure) == .success)
    #expect(Chimectl.fullMessage(for: failure).contains("OPTIONS:"))
  }

  @Test(arguments: paths)
  func whatItDoesNotKnowIsWrongUsage(path: [String]) async throws {
    let error = await #expect(throws: (any Error).self) {
      try await Chimectl.asyncParseAsRoot(path + ["--frob"])
    }
    #expect(Chimectl.exitCode(for: try #require(error)).rawValue == Failure.Code.usage.rawValue)
  }
}
