import API
import ArgumentParser
import CivilTime
import EventStreams
import Glibc
import JSON

/// Shows a recipient's notifications as they are sent.
struct WatchCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "watch",
    abstract: "Show a recipient's notifications as they are sent.",
    discussion: """
      chimectl watch u1
      chimectl watch u1 --json | jq .title

      The command runs until Control-C. While the service is unreachable, the command waits; then \
      it continues after the last notification, without gaps or repetitions. It stores no \
      position: to continue after a notification, use --after with the id that chimectl \
      notifications --json shows.
      """)

  @Argument(help: "The recipient's id.", completion: Completions.recipients)
  var recipient: String

  @Option(help: "The channels, separated by commas: push, email, sms, inapp.")
  var channels = "inapp,push"

  @Option(help: ArgumentHelp("Begin after this notification instead of now.", valueName: "id"))
  var after: String?

  @Flag(help: "Print each delivery as a line of JSON.")
  var json = false

  @OptionGroup var connection: ConnectionOptions

  func run() async throws {
    // Nothing needs clean-up, and each line is written immediately.
    for number in [SIGINT, SIGTERM] { signal(number) { _ in _exit(0) } }
    try await reporting {
      try await connection.withClient { try await follow($0) }
    }
  }

  private func follow(_ client: ServiceClient) async throws {
    var events = ServerSentEvents(lastEventID: after)
    var reportedBlocks = 0
    while true {
      do throws(CommandError) {
        try await client.follow(path, &events) { event throws(CommandError) in try show(event) }
      } catch {
        guard error.isTemporary, events.blocks > 0 else { throw error }
        // Report each loss of the connection once, not each attempt to connect again.
        if events.blocks > reportedBlocks {
          Console.printError("The service is unreachable; waiting for it.\n")
        }
        reportedBlocks = events.blocks
      }
      try await Task.sleep(for: events.retry ?? .seconds(2))
    }
  }

  private var path: String {
    "/v1/recipients/\(ServiceClient.segment(recipient))/stream"
      + "?channels=\(ServiceClient.segment(channels))"
  }

  private func show(_ event: ServerSentEvent) throws(CommandError) {
    guard event.name == "notification" else { return try Self.check(event) }
    Console.printPart(json ? event.data + "\n" : try Self.text(event.data))
  }

  /// Throws if the stream has ended permanently.
  private static func check(_ event: ServerSentEvent) throws(CommandError) {
    guard event.name == "end", try Answer<StreamEndPayload>(json(event.data)).reason == .erased
    else { return }
    throw CommandError(.data, "the recipient was erased")
  }

  /// Returns a text such as
  /// "2026-03-02T21:00:00.000Z  push  CHECKIN  Daily check-in: How was your day?".
  static func text(_ data: String) throws(CommandError) -> String {
    let delivery = Answer<DeliveryPayload>(try json(data))
    let (title, body) = (try delivery.title, try delivery.body)
    let parts = [
      try delivery.at.description, try delivery.channel.padded(to: 5), try delivery.category,
      body.isEmpty ? title : "\(title): \(body)",
    ]
    return parts.joined(separator: "  ").printable + "\n"
  }

  private static func json(_ data: String) throws(CommandError) -> JSONValue {
    if let json = try? JSONParser.parse(data) { return json }
    throw CommandError(.protocolError, "the service sent invalid JSON")
  }
}
