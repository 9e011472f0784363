import API
import ArgumentParser
import CivilTime
import JSON

/// The title and body of a test notification; the service has defaults.
struct TestWords: ParsableArguments {
  @Option(help: "The title of the test notification.")
  var title: String?

  @Option(help: "The body of the test notification.")
  var body: String?

  var request: JSONObject {
    var request = JSONObject()
    if let title { request["title"] = .string(title) }
    if let body { request["body"] = .string(body) }
    return request
  }
}

/// Sends a test notification and shows its steps.
struct TestCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "test",
    abstract: "Send a test notification, and show each step as it happens.",
    discussion: "chimectl test u1 --channel push")

  @Argument(help: "The recipient's id.", completion: Completions.recipients)
  var recipient: String

  @Option(help: "push, email, sms or inapp.", completion: Completions.channels)
  var channel: String

  @OptionGroup var words: TestWords

  @Option(help: "The maximum wait for the final result, from 0 to 50 seconds.")
  var wait = 15

  @Flag(help: "Print the service's lines of JSON.")
  var json = false

  @OptionGroup var connection: ConnectionOptions

  func run() async throws {
    try await reporting {
      var request = words.request
      request["channel"] = .string(channel)
      let path = "/v1/recipients/\(ServiceClient.segment(recipient))/test?wait=\(wait)"
      try await connection.withClient { [request] client in
        try await client.lines(of: path, request) { line throws(CommandError) in
          Console.printOutput(
            json
              ? String(decoding: JSONWriter.canonical(line), as: UTF8.self) + "\n"
              : try Self.text(line) + "\n")
        }
      }
    }
  }

  /// Returns a text such as "sent to webhook" or "webhook: retry, 503 in 20 ms, busy".
  static func text(_ document: JSONValue) throws(CommandError) -> String {
    let line = Answer<TestLinePayload>(document)
    let (sink, reason) = (try line.sink ?? "", try line.reason ?? "")
    let notification = try line.notification ?? ""
    let text =
      switch try line.step {
      case .unreachable: "not sent: \(reason)"
      case .decided: try "\(notification) is sent by \(line.channel ?? ""): " + route(line)
      case .dispatched: "sent to \(sink)"
      case .attempted: try line.attempt.map(attempt) ?? ""
      case .next: "next attempt by \(sink) at \(try line.at?.description ?? "") (\(reason))"
      case .delivered: "delivered by \(sink)"
      case .deadLetter: "a dead letter: \(reason)"
      case .inbox: "in the inbox"
      case .waiting:
        "not finished yet; see chimectl explain ID --notification \(notification)"
      }
    return text.printable
  }

  private static func route(_ line: Answer<TestLinePayload>) throws(CommandError) -> String {
    let sinks = try line.route ?? []
    return sinks.isEmpty ? "the inbox only" : sinks.joined(separator: ", then ")
  }

  private static func attempt(_ attempt: Answer<AttemptPayload>) throws(CommandError) -> String {
    let answer = attempt.answer
    let duration = try answer.milliseconds.map { "in \($0) ms" }
    let response = [try answer.status, duration].compactMap(\.self)
    let parts = [
      try answer.verdict, response.joined(separator: " "), try answer.reason ?? "",
      try answer.excerpt ?? "",
    ]
    return try "\(attempt.target.sink): "
      + parts.filter { !$0.isEmpty }.joined(separator: ", ")
  }
}
