import ArgumentParser
import JSON
import NIOHTTP1

/// Has the service read its configuration again.
struct ReloadCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "reload",
    abstract: "Have the service read its configuration again, and wait until it is in force.",
    discussion: """
      Catalogs, sinks, routes, keys and secrets are taken in; what only a restart can take in is \
      named. With faults in it the old one stays in force; they are listed, and the exit code is \
      78. "systemctl reload chimed" does the same.
      """)

  @Flag(help: "Print the service's JSON.")
  var json = false

  static func text(restart settings: [JSONValue]) -> String {
    guard !settings.isEmpty else { return "reloaded" }
    let names = settings.compactMap(\.stringValue).joined(separator: ", ")
    return "reloaded, but for \(names): only a restart takes that in"
  }

  @OptionGroup var connection: ConnectionOptions

  func run() async throws {
    try await reporting {
      let answer = try await connection.withClient { try await $0.write(.POST, "/v1/reload") }
      let text = Self.text(restart: answer["restart"]?.arrayValue ?? [])
      Console.printOutput((json ? JSONWriter.prettyPrinted(answer) : text) + "\n")
    }
  }
}
