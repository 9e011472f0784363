import ArgumentParser
import CivilTime
import Glibc
import JSON
import Reminders

/// Writes an initial configuration.
struct InitCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "init",
    abstract: "Ask five questions and write a valid configuration.",
    discussion: """
      An empty answer selects the value in brackets. chimed --check-config checks the file before \
      the file gets its name; no other file is changed.
      """)

  @Flag(help: "Print the result as JSON: file, catalogs.")
  var json = false

  func run() async throws {
    try await reporting {
      let draft = try ConfigurationDraft(asking: Self.ask, zones: try Self.zones())
      let file = try NewFile(draft.file)
      try file.write(draft.text.utf8)
      try Self.check(file.partialPath)
      try file.finish(mode: 0o644)
      if json {
        let catalogs = draft.catalogs.map { JSONValue.string($0) }
        return Console.printJSON(["file": .string(draft.file), "catalogs": .array(catalogs)])
      }
      Console.printOutput(draft.advice.printable(keepingLines: true))
    }
  }

  private static func zones() throws(CommandError) -> ZoneDatabase {
    do {
      return try ZoneDatabase(generation: 1)
    } catch {
      throw CommandError(.noInput, "\(error)")
    }
  }

  /// Asks on standard error, so that standard output contains only the result.
  private static func ask(_ question: String) throws(CommandError) -> String {
    Console.printError(question + " ")
    guard let answer = readLine() else {
      throw CommandError(.noInput, "the input ended before the last answer; nothing was written")
    }
    return answer.trimmed
  }

  /// Checks the file by running this program under its other name, chimed.
  private static func check(_ file: String) throws(CommandError) {
    let arguments = ["chimed", "--check-config", "--config", file]
    var pointers = arguments.map { strdup($0) } + [nil]
    defer { for pointer in pointers { free(pointer) } }
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_adddup2(&actions, STDERR_FILENO, STDOUT_FILENO)
    var process: pid_t = 0
    var status: Int32 = 0
    let code = posix_spawn(&process, "/proc/self/exe", &actions, nil, &pointers, environ)
    guard code == 0, waitpid(process, &status, 0) == process, status == 0 else {
      throw CommandError(
        .configuration, "the configuration from these answers is invalid; nothing was written",
        hint: "correct the faults listed above, or answer differently")
    }
  }
}
