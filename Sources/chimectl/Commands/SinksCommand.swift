import API
import ArgumentParser
import JSON
import NIOHTTP1

/// Shows sinks, tests them, pauses them and lets them go on.
struct SinksCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "sinks",
    abstract: "Show sinks with what waits for them; test, pause and resume one.",
    subcommands: [
      ListCommand.self, PauseCommand.self, ResumeCommand.self, SinkTestCommand.self,
    ],
    defaultSubcommand: ListCommand.self)

  /// Shows the sinks.
  struct ListCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "list", abstract: "Show each sink and what waits for it.")

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
        Console.printOutput(LaneTable.text(status, isWhole: true, on: .current))
      }
    }

    /// What a status says of sinks.
    private static func sinks(of status: JSONValue) -> JSONValue {
      let body = StatusPayload.shape.body
      var sinks = JSONObject()
      for name in [body.lanes.name, body.analytics.name] { sinks[name] = status[name] ?? .null }
      return .object(sinks)
    }
  }

  /// Which sink, and how its answer is shown.
  struct Choice: ParsableArguments {
    @Argument(help: "The sink's name.", completion: Known.sinks)
    var sink: String

    @OptionGroup var options: AnswerOptions

    fileprivate func set(_ verb: String, _ text: String) async throws {
      let path = "/v1/sinks/\(ServiceClient.segment(sink))/\(verb)"
      try await options.show {
        try await $0.write(.POST, path)
      } as: { answer throws(Failure) in
        "\(try Answer<PausingPayload>(answer).sink.printable) \(text)\n"
      }
    }
  }

  /// Stops what is handed to a sink.
  struct PauseCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "pause", abstract: "Hand nothing to a sink until it is resumed.",
      discussion: """
        What is for it waits, through restarts as well; no other sink takes over. What it has \
        already it answers for. What expires meanwhile is not sent when it goes on.
        """)

    @OptionGroup var choice: Choice

    func run() async throws {
      try await reporting {
        try await choice.set("pause", "is paused: what is for it waits until it is resumed")
      }
    }
  }

  /// Goes on.
  struct ResumeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "resume", abstract: "Go on handing over to a sink.",
      discussion: "The gates are asked again about what has waited.")

    @OptionGroup var choice: Choice

    func run() async throws {
      try await reporting { try await choice.set("resume", "goes on") }
    }
  }
}
