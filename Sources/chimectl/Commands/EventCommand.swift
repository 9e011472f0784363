import API
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
      chimectl event recipient.updated --recipient u1 timezone=Europe/Paris phone=+33123456789
      chimectl event recipient.updated --recipient u1 name:='"7"'
      """)

  @Argument(help: "The event's type, such as lesson.completed.", completion: Completions.events)
  var type: String

  @Option(
    help: ArgumentHelp("The recipient that the event is about.", valueName: "id"),
    completion: Completions.recipients)
  var recipient: String

  @Option(help: "The time of the event, such as 2026-03-02T21:00:00Z; by default now.")
  var time: Instant?

  @Option(help: "The event's id; by default random. Sending the same event again changes nothing.")
  var id: String?

  @Option(help: "The reporting app.")
  var source = "chimectl"

  @Argument(
    help: ArgumentHelp(
      "The event's data: key=value, where numbers, true, false and null are JSON; or key:=JSON. "
        + "Dots in the key are for nested objects.", valueName: "key=value"))
  var data: [String] = []

  @OptionGroup var options: AnswerOptions

  func run() async throws {
    try await reporting {
      var generator = SystemRandomNumberGenerator()
      let event = EventDocument(
        identifier: id ?? EventDocument.identifier(using: &generator), source: source, type: type,
        recipient: recipient, time: time,
        data: try Assignment.data(data.map { text throws(CommandError) in try Assignment(text) }))
      try await Assignment.advising(data) {
        try await options.show {
          try await $0.send(event)
        } as: { answer throws(CommandError) in
          let answer = Answer<EventAnswerPayload>(answer)
          let warnings = try answer.warnings ?? []
          return try Self.text(status: answer.status, event) + "\n"
            + warnings.map { "warning: \($0.printable)\n" }.joined()
        }
      }
    }
  }

  /// Returns a text such as "accepted lesson.completed of u1, id 0123".
  static func text(status: String, _ event: EventDocument) -> String {
    let text = "\(status) \(event.type) of \(event.recipient), id \(event.identifier)"
    let note = status == "duplicate" ? "; it was stored already, nothing changed" : ""
    return (text + note).printable
  }
}

extension Instant: ExpressibleByArgument {}

/// A CloudEvents 1.0 event to send (rule E1).
struct EventDocument {
  var identifier: String
  var source: String
  var type: String
  var recipient: String
  /// The event's time; nil for the time of arrival.
  var time: Instant?
  var data: JSONObject

  var bytes: [UInt8] {
    var writer = JSONWriter()
    writer.beginObject()
    writer.member("specversion", "1.0")
    writer.member("id", identifier)
    writer.member("source", source)
    writer.member("type", type)
    writer.member("subject", recipient)
    if let time { writer.member("time", time.description) }
    if !data.isEmpty { writer.member("data", .object(data)) }
    writer.endObject()
    return writer.bytes
  }

  /// A unique identifier: 128 random bits in hexadecimal.
  static func identifier(using generator: inout some RandomNumberGenerator) -> String {
    (0..<4).map { _ in
      let digits = String(UInt32.random(in: 0 ... .max, using: &generator), radix: 16)
      return String(repeating: "0", count: 8 - digits.count) + digits
    }.joined()
  }
}
