import ArgumentParser

/// Reports many events.
struct EventsCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "events",
    abstract: "Report the events in a file, one JSON object a line.",
    discussion: """
      Lines that are refused are listed on standard error, and the others are taken in. After an \
      interruption the same file may be sent again: no event is taken in twice.
      """)

  @Argument(help: "The file; - is standard input.")
  var file: String

  @OptionGroup var connection: ConnectionOptions

  func run() async throws {
    try await reporting {
      let source = try LineSource(file: file)
      var tally = IntakeTally()
      try await connection.withClient { client in
        while let group = try source.next() {
          let answers = try await client.send(lines: group.bytes)
          Console.printError(try tally.add(answers, from: group.firstLine))
        }
      }
      Console.printOutput(tally.text + "\n")
      if tally.refused > 0 { throw ExitCode(Failure.Code.data.rawValue) }
    }
  }
}
