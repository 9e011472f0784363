import ArgumentParser
import CivilTime
import JSON

/// Reports one event.
struct EventCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "event",
    abstract: "Report one event.",
    discussion: """
      chimectl event lesson.completed --recipient u1 day=3
      chimectl event preferences.updated --recipient u1 quietHours.enabled=true
      chimectl event recipient.updated --recipient u1 timezone=Europe/Paris phone:='"0049301"'
      """)

  @Argument(help: "The event's type, such as lesson.completed.", completion: Known.events)
  var type: String

  @Option(help: ArgumentHelp("Whom it is about.", valueName: "id"))
  var recipient: String

  @Option(help: "When it was true, such as 2026-03-02T21:00:00Z; now, if absent.")
  var time: Instant?

  @Option(help: "The event's id; sent again, the same event changes nothing. Random, if absent.")
  var id: String?

  @Option(help: "Who reports it.")
  var source = "chimectl"

  @Argument(
    help: ArgumentHelp(
      "The event's data: key=value, with numbers, true, false and null as in JSON; key:=JSON; "
        + "dots in the key lead into objects.", valueName: "key=value"))
  var data: [String] = []

  @Flag(help: "Print the service's JSON.")
  var json = false

  @OptionGroup var connection: ConnectionOptions

  func run() async throws {
    try await reporting {
      var generator = SystemRandomNumberGenerator()
      let event = EventDocument(
        identifier: id ?? EventDocument.identifier(using: &generator), source: source, type: type,
        recipient: recipient, time: time,
        data: try Assignment.data(data.map { text throws(Failure) in try Assignment(text) }))
      let answer = try await connection.withClient { try await $0.send(event) }
      if json { return Console.printJSON(answer) }
      let status = answer["status"]?.stringValue ?? "sent"
      Console.printOutput(Self.text(status: status, event) + "\n")
    }
  }

  /// "accepted lesson.completed of u1, id 0123".
  static func text(status: String, _ event: EventDocument) -> String {
    let text = "\(status) \(event.type) of \(event.recipient), id \(event.identifier)"
    let note = status == "duplicate" ? "; it was there before, nothing changed" : ""
    return (text + note).printable
  }
}

extension Instant: ExpressibleByArgument {}
