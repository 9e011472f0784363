import API
import ArgumentParser
import CivilTime
import Glibc
import JSON

/// Shows what goes out to a recipient as it goes out.
struct WatchCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "watch",
    abstract: "Show what goes out to a recipient, as it goes out.",
    discussion: """
      chimectl watch u1
      chimectl watch u1 --json | jq .title

      Until Control-C. While the service is away it waits, and then goes on where it was: nothing \
      is missing and nothing comes twice. It does not keep the place when it ends; --after goes on \
      behind a notification, by the id that chimectl notifications --json shows.
      """)

  @Argument(help: "The recipient's id.", completion: Known.recipients)
  var recipient: String

  @Option(help: "The channels, with commas between: push, email, sms, inapp.")
  var channels = "inapp,push"

  @Option(help: ArgumentHelp("Begin behind this one, not now.", valueName: "id"))
  var after: String?

  @Flag(help: "Print each delivery as JSON, on a line of its own.")
  var json = false

  @OptionGroup var connection: ConnectionOptions

  func run() async throws {
    // There is nothing to clean up, and each line is written in one go.
    for ending in [SIGINT, SIGTERM] { signal(ending) { _ in _exit(0) } }
    try await reporting {
      try await connection.withClient { try await follow($0) }
    }
  }

  private func follow(_ client: ServiceClient) async throws {
    var events = ServerSentEvents(place: after)
    var heard = 0
    while true {
      do throws(Failure) {
        try await client.follow(path, &events) { event throws(Failure) in try show(event) }
      } catch {
        guard error.isPassing, events.blocks > 0 else { throw error }
        if events.blocks > heard { Console.printError("The service is away; waiting for it.\n") }
        heard = events.blocks
      }
      try await Task.sleep(for: events.retry ?? .seconds(2))
    }
  }

  private var path: String {
    "/v1/recipients/\(ServiceClient.segment(recipient))/stream"
      + "?channels=\(ServiceClient.segment(channels))"
  }

  private func show(_ event: ServerSentEvent) throws(Failure) {
    guard event.name == "notification" else { return try Self.check(event) }
    Console.passOn(json ? event.data + "\n" : try Self.text(event.data))
  }

  /// What is the end for good.
  private static func check(_ event: ServerSentEvent) throws(Failure) {
    guard event.name == "end", try Answer<StreamEndPayload>(json(event.data)).reason == .erased
    else { return }
    throw Failure(.data, "the recipient was erased")
  }

  /// "2026-03-02T21:00:00.000Z  push  CHECKIN  Daily check-in: How was your day?"
  static func text(_ data: String) throws(Failure) -> String {
    let delivery = Answer<DeliveryPayload>(try json(data))
    let (title, body) = (try delivery.title, try delivery.body)
    let parts = [
      try delivery.at.description, try delivery.channel.padded(to: 5), try delivery.category,
      body.isEmpty ? title : "\(title): \(body)",
    ]
    return parts.joined(separator: "  ").printable + "\n"
  }

  private static func json(_ data: String) throws(Failure) -> JSONValue {
    if let json = try? JSONParser.parse(data) { return json }
    throw Failure(.protocolError, "the service sent something that is not JSON")
  }
}
