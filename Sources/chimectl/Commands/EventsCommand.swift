import ArgumentParser
import Glibc

/// Reports many events.
struct EventsCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "events",
    abstract: "Report the events in a file, one JSON object a line.",
    discussion: """
      Rejected lines are listed on standard error; all other lines are accepted. After an \
      interruption, send the same file again: an event is stored only once. With --json each reply \
      of the service is a line of standard output, with the line number in the file. The exit code \
      is 65 if lines were rejected, but 75 if all rejected lines can be accepted later.
      """)

  @Argument(help: "The file; - is standard input.")
  var file: String

  @Flag(help: "Print the service's reply to each event as a line of JSON.")
  var json = false

  @OptionGroup var connection: ConnectionOptions

  func run() async throws {
    try await reporting {
      let source = try LineSource(
        file: file, hint: "write each event as a JSON object on one line")
      var tally = EventResultCounts()
      let progress = Progress(isShown: !json && Console.showsProgress)
      try await connection.withClient { client in
        while let group = try source.next() {
          let answers = try await client.send(lines: group.bytes)
          if json {
            let numbered = EventResultCounts.numbered(answers, from: group.firstLine)
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
