import ArgumentParser
import JSON
import NIOHTTP1

/// Shows or changes how much the service tells.
struct LogLevelCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "log-level",
    abstract: "Show or change how much the service writes to its journal.",
    discussion: """
      A level is one of info, notice, warning, error, critical: what matters less is not written. \
      It holds until the service is reloaded or restarted. What the journal sink delivers is \
      always written.
      """)

  @Argument(help: "The new level.")
  var level: String?

  @Flag(help: "Print the service's JSON.")
  var json = false

  @OptionGroup var connection: ConnectionOptions

  func run() async throws {
    try await reporting {
      let answer = try await connection.withClient { client in
        guard let level else { return try await client.document("/v1/log-level") }
        return try await client.write(.PUT, "/v1/log-level", ["level": .string(level)])
      }
      let text = try answer.text("level").printable + "\n"
      Console.printOutput(json ? JSONWriter.prettyPrinted(answer) + "\n" : text)
    }
  }
}
