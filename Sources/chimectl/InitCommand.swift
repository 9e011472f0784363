import ArgumentParser
import CivilTime
import Glibc
import JSON

/// Writes a first configuration.
struct InitCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "init",
    abstract: "Ask five questions and write a configuration that the service takes.",
    discussion: """
      What stands in brackets is taken for an empty answer. The file is looked at by chimed \
      --check-config before it gets its name; no other file is touched.
      """)

  @Flag(help: "Print what was made as JSON: file, catalogs.")
  var json = false

  func run() async throws {
    try await reporting {
      let draft = try ConfigurationDraft(asking: Self.ask, zones: try Self.zones())
      let file = try NewFile(draft.file)
      try file.write(draft.text.utf8)
      try Self.check(file.partial)
      try file.finish(mode: 0o644)
      if json {
        let catalogs = draft.catalogs.map { JSONValue.string($0) }
        return Console.printJSON(["file": .string(draft.file), "catalogs": .array(catalogs)])
      }
      Console.printOutput(draft.advice.printable(keepingLines: true))
    }
  }

  private static func zones() throws(Failure) -> ZoneDatabase {
    do {
      return try ZoneDatabase(generation: 1)
    } catch {
      throw Failure(.noInput, "\(error)")
    }
  }

  /// Asks on standard error, so that what is printed is what was made.
  private static func ask(_ question: String) throws(Failure) -> String {
    Console.printError(question + " ")
    guard let answer = readLine() else {
      throw Failure(.noInput, "the answers ended before the questions; nothing was written")
    }
    return answer.trimmed
  }

  /// By the service itself, which is this very program under its other name.
  private static func check(_ file: String) throws(Failure) {
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
      throw Failure(
        .configuration, "the service would not take these answers; nothing was written",
        hint: "answer otherwise, or mend what stands above")
    }
  }
}
