import API
import ArgumentParser
import JSON
import NIOHTTP1

/// Hands one delivery to a sink and shows what it answers.
struct SinkTestCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "test", abstract: "Hand one delivery to a sink, and show what it answers.",
    discussion: """
      Also while it is paused or takes nothing. Nothing of it is recorded, whatever it says, and \
      no other sink takes over. To send a notification the whole way, see chimectl test. The exit \
      code is 1 if the sink does not take it.
      """)

  @Argument(help: "The sink's name.", completion: Known.sinks)
  var sink: String

  @Option(
    help: "push, email, sms or inapp; the first that it carries, if left out.",
    completion: Known.channels)
  var channel: String?

  @Option(
    help: "Whose addresses it goes to, for a sink that goes by people's own.",
    completion: Known.recipients)
  var recipient: String?

  @OptionGroup var words: TestWords

  @Option(help: "How many seconds the sink has to answer, from 1 to 50.")
  var wait = 15

  @OptionGroup var options: AnswerOptions

  func run() async throws {
    try await reporting {
      var order = words.order
      if let channel { order["channel"] = .string(channel) }
      if let recipient { order["recipient"] = .string(recipient) }
      let path = "/v1/sinks/\(ServiceClient.segment(sink))/test?wait=\(wait)"
      let answer = try await options.show(
        patience: Double(wait) + 10, { [order] in try await $0.write(.POST, path, order) },
        as: Self.text)
      if try Answer<SinkTestPayload>(answer).verdict != "delivered" { throw ExitCode(1) }
    }
  }

  /// "webhook: retry, 503 in 20 ms, busy".
  static func text(_ answer: JSONValue) throws(Failure) -> String {
    let said = Answer<SinkTestPayload>(answer)
    let duration = try said.milliseconds.map { "in \($0) ms" }
    let pause = try said.retryAfter.map { "not before \($0) have passed" }
    let parts = [
      try said.verdict, [try said.status, duration].compactMap(\.self).joined(separator: " "),
      try said.reason ?? "", try said.excerpt ?? "", pause ?? "",
    ]
    return "\(try said.sink): ".printable
      + parts.filter { !$0.isEmpty }.joined(separator: ", ").printable + "\n"
  }
}
