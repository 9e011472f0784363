import ArgumentParser

/// Reports many events.
struct EventsCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "events",
    abstract: "Report the events in a file, one JSON object a line.",
    discussion: """
      Lines that are refused are listed on standard error, and the others are taken in. After an \
      interruption the same file may be sent again: no event is taken in twice. With --json each \
      answer of the service is a line of standard output, by the line of the file. The exit code \
      is 65 if lines were refused, or 75 if all of these may be taken in later.
      """)

  @Argument(help: "The file; - is standard input.")
  var file: String

  @Flag(help: "Print the service's answer to each event as JSON, on a line of its own.")
  var json = false

  @OptionGroup var connection: ConnectionOptions

  func run() async throws {
    try await reporting {
      let source = try LineSource(file: file)
      var tally = IntakeTally()
      let progress = Progress(isShown: !json && Console.showsProgress)
      try await connection.withClient { client in
        while let group = try source.next() {
          let answers = try await client.send(lines: group.bytes)
          if json {
            let numbered = IntakeTally.numbered(answers, from: group.firstLine)
            Console.printOutput(numbered.map { "\($0)\n" }.joined())
          }
          let refusals = try tally.add(answers, from: group.firstLine)
          if !json, !refusals.isEmpty {
            progress.clear()
            Console.printError(refusals)
          }
          progress.show(source.progress + tally.text)
        }
      }
      progress.clear()
      if !json { Console.printOutput(tally.text + "\n") }
      if let code = tally.failure { throw ExitCode(code.rawValue) }
    }
  }
}
