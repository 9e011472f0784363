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
      return Response(FeedPayload.self, page)
    } catch {
      throw Problem(error)
    }
  }
}

extension FeedQuestion {
  fileprivate init(_ call: Call) throws(Problem) {
    self.init()
    limit = try call.limit()
    reminder = call.parameters["reminder"]
    category = call.parameters["category"]
    channel = try call.channel()
    state = try call.word("outcome")
    sink = call.parameters["sink"]
    if let text = call.parameters["after"] {
      after = try PageBounds.number(after: text)
    }
  }
}

struct FeedPayload: Payload {
  typealias Value = FeedPage
  static let shape = PayloadShape(Self())

  let notifications = Member("notifications", .list(.payload(FeedEntryPayload.self))) {
    $0.entries
  }
  let next = Member("next", orNull: .text) { $0.next.map(String.init) }
}

struct FeedEntryPayload: Payload {
  typealias Value = FeedPage.Entry
  static let shape = PayloadShape(Self())

  let id = Member("id", .text) { $0.identifier }
  let recipient = Member("recipient", .recipient) { $0.told.recipient }
  let reminder = Member("reminder", .text) { $0.told.reminder }
  let category = Member("category", .text) { $0.told.category }
  let at = Member("at", .instant) { $0.told.way.at }
  let planned = Member("planned", .instant) { $0.told.way.planned }
  let outcome = Member("outcome", .word) { $0.state }
  let reasons = Member("reasons", .reasons) { $0.told.way.reasons }
  let deliveries = Member("deliveries", .list(.payload(FeedDeliveryPayload.self))) {
    $0.deliveries.map(FeedDeliveryPayload.Value.init)
  }
  let missed = Member(
    "missed", optional: .count, "How many in a row were missed, this one included"
  ) { $0.told.runLength > 1 ? $0.told.runLength : nil }
}

struct FeedDeliveryPayload: Payload {
  struct Value {
    let history: DeliveryHistory
    let sink: String?
  }

  static let shape = PayloadShape(Self())

  let channel = Member("channel", .channel) { $0.history.channel }
  let outcome = Member("outcome", .word) { $0.history.state }
  let sink = Member("sink", orNull: .text, "Which has it, or had it last") { $0.sink }
  let obstacle = Member("obstacle", optional: .text, "What the sink said that did not take it") {
    $0.history.obstacle
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
      Answer("A page of them", .of(FeedPayload.self))
    ])
}
