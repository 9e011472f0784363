import CivilTime
import Engine
import HTTPTypes
import HummingbirdCore
import JSON
import Reminders
import Store

/// Lists the latest notifications of all recipients, sent or not, with names and reasons but no
/// texts. Texts can be read only for one recipient at a time (rule H11).
struct FeedRoute: Sendable {
  static let path = "/v1/notifications"

  let service: any ReminderService

  var route: Route { Route(.get, Self.path, .feed, answer: .support(list)) }

  private func list(_ call: Call) async throws -> Response {
    let page = try await service.result(of: FeedQuery(call))
    return Response(FeedPayload.self, page)
  }
}

extension FeedQuery {
  fileprivate init(_ call: Call) throws(Problem) {
    self.init()
    limit = try call.limit()
    reminder = call.parameters["reminder"]
    category = call.parameters["category"]
    channel = try call.channel()
    states = try call.states("outcome")
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
  let recipient = Member("recipient", .recipient) { $0.notification.recipient }
  let reminder = Member("reminder", .text) { $0.notification.reminder }
  let category = Member("category", .text) { $0.notification.category }
  let at = Member("at", .instant) { $0.notification.groupRecord.at }
  let planned = Member("planned", .instant) { $0.notification.groupRecord.planned }
  let outcome = Member("outcome", .word) { $0.state }
  let reasons = Member("reasons", .reasons) { $0.notification.groupRecord.reasons }
  let deliveries = Member("deliveries", .list(.payload(FeedDeliveryPayload.self))) {
    $0.deliveries.map(FeedDeliveryPayload.Value.init)
  }
  let missed = Member(
    "missed", optional: .count, "The number of consecutive missed occurrences, including this one"
  ) { $0.notification.runLength > 1 ? $0.notification.runLength : nil }
}

struct FeedDeliveryPayload: Payload {
  struct Value {
    let history: DeliveryHistory
    let sink: String?
  }

  static let shape = PayloadShape(Self())

  let channel = Member("channel", .channel) { $0.history.channel }
  let outcome = Member("outcome", .word) { $0.history.state }
  let sink = Member("sink", orNull: .text, "The current or last sink") { $0.sink }
  let obstacle = Member("obstacle", optional: .text, "The error of the sink") {
    $0.history.obstacle
  }
}

extension Operation {
  static let feed = Operation(
    identifier: "feed", summary: "Notifications of all recipients, the latest first",
    details: """
      Each entry is a notification on a channel group, without its title and text. A search \
      examines a limited number of entries, so a page may end before it is full; "next" continues \
      the search.
      """,
    parameters: [
      .query("reminder", .text, "Only notifications of this reminder"),
      .query("category", .text, "Only notifications of this category"),
      .query("channel", .word(Channel.allCases.map(\.name)), "Only notifications on this channel"),
      .query(
        "outcome", .word(NotificationState.words),
        "Only notifications with this current outcome"),
      .query("sink", .text, "Only notifications whose current or last sink is this one"),
    ] + Parameter.page,
    answers: [
      Answer("A page of notifications", .of(FeedPayload.self))
    ])
}
