import ArgumentParser
import JSON

/// How the service is asked, and in what form its answer is shown.
struct AnswerOptions: ParsableArguments {
  @Flag(help: "Print the service's JSON.")
  var json = false

  @OptionGroup var connection: ConnectionOptions

  /// Asks something, and shows the answer as it came or in words.
  ///
  /// - Parameter patience: how many seconds the answer may take unless `--timeout` says so.
  @discardableResult
  func show(
    patience: Double = ServiceClient.patience, _ ask: (ServiceClient) async throws -> JSONValue,
    as text: (JSONValue) throws(Failure) -> String
  ) async throws -> JSONValue {
    let answer = try await connection.withClient(patience: patience, ask)
    if json { Console.printJSON(answer) } else { Console.printOutput(try text(answer)) }
    return answer
  }
}

/// The same where the words are a table.
struct TableOptions: ParsableArguments {
  @OptionGroup var answer: AnswerOptions

  @OptionGroup var layout: LayoutOptions
}

/// A command that asks the service for one document and shows that as a table.
protocol DocumentCommand: AsyncParsableCommand {
  var options: TableOptions { get }

  /// Of the document, with its query.
  var path: String { get }

  static func text(_ document: JSONValue) throws(Failure) -> String
}

extension DocumentCommand {
  func run() async throws {
    try await reporting(options.layout) {
      try await options.answer.show({ try await $0.document(path) }, as: Self.text)
    }
  }
}

/// How tables are laid out on a terminal.
struct LayoutOptions: ParsableArguments {
  @Flag(help: "Keep each row on one line, however narrow the terminal is.")
  var full = false
}
