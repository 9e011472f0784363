import API
import ArgumentParser
import JSON
import NIOHTTP1

/// Sends one test delivery to a sink and shows its response.
struct SinkTestCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "test", abstract: "Send one test delivery to a sink, and show its response.",
    discussion: """
      This also works while the sink is paused or down. Nothing is recorded, and no other sink \
      takes over. The exit code is 1 if the sink does not accept the delivery. To test the whole \
      path of a notification, use the separate command "chimectl test".
      """)

  @Argument(help: "The sink's name.", completion: Completions.sinks)
  var sink: String

  @Option(
    help: "push, email, sms or inapp; by default the sink's first channel.",
    completion: Completions.channels)
  var channel: String?

  @Option(
    help: "The recipient whose address is used, for a sink that needs one.",
    completion: Completions.recipients)
  var recipient: String?

  @OptionGroup var words: TestWords

  @Option(help: "The timeout of the sink's response, from 1 to 50 seconds.")
  var wait = 15

  @OptionGroup var options: AnswerOptions

  func run() async throws {
    try await reporting {
      var request = words.request
      if let channel { request["channel"] = .string(channel) }
      if let recipient { request["recipient"] = .string(recipient) }
      let path = "/v1/sinks/\(ServiceClient.segment(sink))/test?wait=\(wait)"
      let answer = try await options.show(
        timeout: Double(wait) + 10, { [request] in try await $0.write(.POST, path, request) },
        as: Self.text)
      if try Answer<SinkTestPayload>(answer).verdict != "delivered" { throw ExitCode(1) }
    }
  }

  /// Returns a text such as "webhook: retry, 503 in 20 ms, busy".
  static func text(_ answer: JSONValue) throws(CommandError) -> String {
    let response = Answer<SinkTestPayload>(answer)
    let duration = try response.milliseconds.map { "in \($0) ms" }
    let pause = try response.retryAfter.map { "retry after \($0)" }
    let parts = [
      try response.verdict,
      [try response.status, duration].compactMap(\.self).joined(separator: " "),
      try response.reason ?? "", try response.excerpt ?? "", pause ?? "",
    ]
    return "\(try response.sink): ".printable
      + parts.filter { !$0.isEmpty }.joined(separator: ", ").printable + "\n"
  }
}
