import API
import ArgumentParser
import JSON
import NIOHTTP1

/// Shows, tests, pauses and resumes sinks.
struct SinksCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "sinks",
    abstract: "Show sinks and their queues; test, pause or resume one.",
    subcommands: [
      ListCommand.self, PauseCommand.self, ResumeCommand.self, SinkTestCommand.self,
    ],
    defaultSubcommand: ListCommand.self)

  /// Shows the sinks.
  struct ListCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "list", abstract: "Show each sink and its queue.")

    @OptionGroup var options: TableOptions

    func run() async throws {
      try await reporting(options.layout) {
        let document = try await options.answer.connection.withClient {
          try await $0.document("/v1/status")
        }
        if options.answer.json {
          return Console.printJSON(Self.sinks(of: document))
        }
        let status = try StatusDocument(document)
        guard !status.lanes.isEmpty else { return Console.printOutput("There is no sink.\n") }
        Console.printOutput(LaneTable.text(status, isDetailed: true, on: .current))
      }
    }

    /// Returns the part of the status about sinks.
    private static func sinks(of status: JSONValue) -> JSONValue {
      let body = StatusPayload.shape.body
      var sinks = JSONObject()
      for name in [body.lanes.name, body.analytics.name, body.outcomes.name] {
        sinks[name] = status[name] ?? .null
      }
      return .object(sinks)
    }
  }

  /// Selects a sink and the output format.
  struct Choice: ParsableArguments {
    @Argument(help: "The sink's name.", completion: Completions.sinks)
    var sink: String

    @OptionGroup var options: AnswerOptions

    /// Requests a change of the sink, and prints a text after the sink's name.
    ///
    /// - Parameter verb: the last segment of the request's path.
    fileprivate func request(_ verb: String, printing text: String) async throws {
      let path = "/v1/sinks/\(ServiceClient.segment(sink))/\(verb)"
      try await options.show {
        try await $0.write(.POST, path)
      } as: { answer throws(CommandError) in
        "\(try Answer<PausingPayload>(answer).sink.printable) \(text)\n"
      }
    }
  }

  /// Pauses the dispatch to a sink.
  struct PauseCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "pause", abstract: "Dispatch nothing to a sink until it is resumed.",
      discussion: """
        The sink's deliveries wait, even after a restart, and no other sink takes over. Deliveries \
        in flight finish. Deliveries that expire during the pause are dropped.
        """)

    @OptionGroup var choice: Choice

    func run() async throws {
      try await reporting {
        try await choice.request(
          "pause", printing: "is paused: its deliveries wait until it is resumed")
      }
    }
  }

  /// Resumes the dispatch.
  struct ResumeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "resume", abstract: "Resume the dispatch to a sink.",
      discussion: """
        The gates are evaluated again for the waiting deliveries. A webhook that was disabled by \
        a 410 response sends again.
        """)

    @OptionGroup var choice: Choice

    func run() async throws {
      try await reporting { try await choice.request("resume", printing: "is resumed") }
    }
  }
}
