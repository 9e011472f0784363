import ArgumentParser
import Testing

@testable import chimectl

/// All commands, found in the tree, so that new ones are tested too.
@Suite struct CommandTreeTests {
  /// The commands without subcommands, by their paths.
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

  /// Commands that do not call the service.
  private static let localCommands = [["catalog", "check"], ["catalog", "new"], ["init"]]

  @Test func `there are many commands`() {
    #expect(Self.paths.count > 25)
    #expect(Set(Self.paths).count == Self.paths.count)
    #expect(Self.paths.contains(["deadletters", "resend"]) && Self.paths.contains(["top"]))
  }

  @Test(arguments: paths)
  func `each command has a description and --json`(path: [String]) throws {
    let command = try #require(Self.leaves().first { $0.path == path }).command
    #expect(command.configuration.abstract.hasSuffix("."))
    let help = Chimectl.helpMessage(for: command, columns: 80)
    #expect(help.contains("USAGE: chimectl \(path.joined(separator: " "))"))
    #expect(help.contains("  --json "))
    #expect(help.contains("--socket <path>") || Self.localCommands.contains(path))
  }

  @Test(arguments: paths)
  func `--help is no error`(path: [String]) async throws {
    var help = try await Chimectl.asyncParseAsRoot(path + ["--help"])
    let error = #expect(throws: (any Error).self) { try help.run() }
    let failure = try #require(error)
    #expect(Chimectl.exitCode(for: failure) == .success)
    #expect(Chimectl.fullMessage(for: failure).contains("OPTIONS:"))
  }

  @Test(arguments: paths)
  func `an unknown option is a usage error`(path: [String]) async throws {
    let error = await #expect(throws: (any Error).self) {
      try await Chimectl.asyncParseAsRoot(path + ["--frob"])
    }
    #expect(
      Chimectl.exitCode(for: try #require(error)).rawValue == CommandError.Code.usage.rawValue)
  }
}
