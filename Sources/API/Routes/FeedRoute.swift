import CivilTime
import Engine
import HTTPTypes
import HummingbirdCore
import JSON
import Reminders
import Store

/// What all people are told and are not, the latest first: names and reasons, but none of the
/// words, which are read where somebody answers for looking at one person.
struct FeedRoute: Sendable {
  static let path = "/v1/notifications"

  let service: any ReminderService

  var route: Route { Route(.get, Self.path, .feed, answer: .support(list)) }

  private func list(_ call: Call) async throws -> Response {
    let question = try FeedQuestion(call)
    do {
      let page = try await service.feed(question)
      return Response(json: page.write)
    } catch {
      throw Problem(error)
    }
  }
}

extension FeedQuestion {
  fileprivate init(_ call: Call) throws(Problem) {
    self.init()
    limit = try PageBounds.limit(call.parameters["limit"])
    reminder = call.parameters["reminder"]
    category = call.parameters["category"]
    channel = try call.word("channel", Channel.allCases.map(\.name)).flatMap { Channel(name: $0) }
    state = try call.word("outcome", NotificationState.allCases.map(\.rawValue))
      .flatMap { NotificationState(rawValue: $0) }
    sink = call.parameters["sink"]
    if let text = call.parameters["after"] {
      after = try PageBounds.number(after: text)
    }
  }
}

extension FeedPage {
  fileprivate func write(to writer: inout JSONWriter) {
    writer.beginObject()
    writer.key(constant: "notifications")
    writer.beginArray()
    for entry in entries { entry.write(to: &writer) }
    writer.endArray()
    writer.member("next", next.map { .string("\($0)") } ?? .null)
    writer.endObject()
  }
}

extension FeedPage.Entry {
  fileprivate func write(to writer: inout JSONWriter) {
    writer.beginObject()
    writer.member("id", identifier)
    writer.member("recipient", told.recipient)
    writer.member("reminder", told.reminder)
    writer.member("category", told.category)
    writer.member("at", told.way.at.description)
    writer.member("planned", told.way.planned.description)
    writer.member("outcome", state.rawValue)
    writer.member("reasons", .array(told.way.reasons.map { .string($0) }))
    writer.key(constant: "deliveries")
    writer.beginArray()
    for (history, sink) in deliveries { history.write(by: sink, to: &writer) }
    writer.endArray()
    if told.runLength > 1 { writer.member("missed", told.runLength) }
    writer.endObject()
  }
}

extension DeliveryHistory {
  fileprivate func write(by sink: String?, to writer: inout JSONWriter) {
    writer.beginObject()
    writer.member("channel", channel.name)
    writer.member("outcome", state.rawValue)
    writer.member("sink", sink.map { .string($0) } ?? .null)
    if let obstacle { writer.member("obstacle", obstacle) }
    writer.endObject()
  }
}

extension Operation {
  static let feed = Operation(
    identifier: "feed", summary: "What all people are told and are not, the latest first",
    details: """
      An entry for each way out of what was decided, without its title and its text. A page may \
      end before it is full, for a search looks only so far at a time; it goes on at next.
      """,
    parameters: [
      .query("reminder", .text, "Only this one's"),
      .query("category", .text, "Only this one's"),
      .query("channel", .word(Channel.allCases.map(\.name)), "Only what is for it"),
      .query(
        "outcome", .word(NotificationState.allCases.map(\.rawValue)),
        "Only that of which this has become so far"),
      .query("sink", .text, "Only what this sink has, or had last"),
    ] + Parameter.page,
    answers: [
      Answer(
        "A page of them",
        .object(.init("notifications", .list(entry)), .init("next", Schema.text.orNull)))
    ])

  private static let outcome = Schema.word(NotificationState.allCases.map(\.rawValue))

  private static let entry = Schema.object(
    .init("id", .text), .init("recipient", .recipient), .init("reminder", .text),
    .init("category", .text), .init("at", .instant), .init("planned", .instant),
    .init("outcome", outcome), .init("reasons", Component.reasons),
    .init(
      "deliveries",
      .list(
        .object(
          .init("channel", .word(Channel.allCases.map(\.name))), .init("outcome", outcome),
          .init("sink", Schema.text.orNull.described("Which has it, or had it last")),
          .optional("obstacle", .text.described("What the sink said that did not take it"))))),
    .optional("missed", .count.described("How many in a row were missed, this one included")))
}
