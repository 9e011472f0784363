import API
import ArgumentParser
import JSON
import NIOHTTP1

/// Shows or changes the level of the service's log.
struct LogLevelCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "log-level",
    abstract: "Show or change the level of the service's log.",
    discussion: """
      A level is one of info, notice, warning, error and critical. Messages below the level are \
      not logged. A new level is valid until the service is reloaded or restarted. The journal \
      sink's deliveries are always written.
      """)

  @Argument(help: "The new level.")
  var level: String?

  @OptionGroup var options: AnswerOptions

  func run() async throws {
    try await reporting {
      try await options.show { client in
        guard let level else { return try await client.document("/v1/log-level") }
        return try await client.write(.PUT, "/v1/log-level", ["level": .string(level)])
      } as: { answer throws(CommandError) in
        try Answer<LogLevelPayload>(answer).level.rawValue + "\n"
      }
    }
  }
}
