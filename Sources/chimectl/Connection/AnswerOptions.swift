import ArgumentParser
import JSON

/// Options for the connection and the output format.
struct AnswerOptions: ParsableArguments {
  @Flag(help: "Print the service's JSON.")
  var json = false

  @OptionGroup var connection: ConnectionOptions

  /// Sends a request, and prints the reply as JSON or as text.
  ///
  /// - Parameter timeout: the timeout of the reply in seconds, unless `--timeout` is given.
  @discardableResult
  func show(
    timeout: Double = ServiceClient.defaultTimeout,
    _ request: (ServiceClient) async throws -> JSONValue,
    as text: (JSONValue) throws(CommandError) -> String
  ) async throws -> JSONValue {
    let answer = try await connection.withClient(timeout: timeout, request)
    if json { Console.printJSON(answer) } else { Console.printOutput(try text(answer)) }
    return answer
  }
}

/// The options of commands whose text has tables.
struct TableOptions: ParsableArguments {
  @OptionGroup var answer: AnswerOptions

  @OptionGroup var layout: LayoutOptions
}

/// A command that requests one document and shows it as a table.
protocol DocumentCommand: AsyncParsableCommand {
  var options: TableOptions { get }

  /// The document's path, with its query.
  var path: String { get }

  static func text(_ document: JSONValue) throws(CommandError) -> String
}

extension DocumentCommand {
  func run() async throws {
    try await reporting(options.layout) {
      try await options.answer.show({ try await $0.document(path) }, as: Self.text)
    }
  }
}

/// The layout of tables on a terminal.
struct LayoutOptions: ParsableArguments {
  @Flag(help: "Keep each row on one line, regardless of the terminal's width.")
  var full = false
}
