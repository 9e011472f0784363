import Access
import CivilTime
import Engine
import HTTPTypes
import HummingbirdCore
import JSON
import Reminders

/// Lists the outcomes of notifications of all recipients, for apps that follow them (rule M6).
struct OutcomesRoute: Sendable {
  let service: any ReminderService

  var route: Route { Route(.get, "/v1/outcomes", .outcomes, answer: .support(list)) }

  private func list(_ call: Call) async throws -> Response {
    var query = OutcomesQuery(
      after: try PageBounds.number(after: call.parameters["after"]), limit: try call.limit())
    query.readsMessages = try call.isSet("texts")
    // Support staff read texts of one recipient at a time (rule H11).
    if query.readsMessages { try call.caller?.check(.administration) }
    return Response(OutcomePagePayload.self, try await service.result(of: query))
  }
}

struct OutcomePagePayload: Payload {
  typealias Value = OutcomePage
  static let shape = PayloadShape(Self())

  let outcomes = Member("outcomes", .list(.payload(OutcomePayload.self))) { page in
    page.records.map { OutcomePayload.Value(record: $0, messages: page.messages) }
  }
  let next = Member("next", .text, "The \"after\" of the next page, also at the end") {
    "\($0.next)"
  }
}

struct OutcomePayload: Payload {
  struct Value {
    let record: AnalyticsRecord
    /// The members of the outcome, as they are stored in the record.
    let values: JSONObject
    /// The notification's texts; nil if they were not requested, or if there is no such
    /// notification.
    let message: Message?

    init(record: AnalyticsRecord, messages: [String: Message]) {
      self.record = record
      values = record.values
      message = values["notification"]?.stringValue.flatMap { messages[$0] }
    }

    func text(_ name: String) -> String? { values[name]?.stringValue }

    func texts(_ name: String) -> [String] {
      values[name]?.arrayValue?.compactMap(\.stringValue) ?? []
    }
  }

  static let shape = PayloadShape(Self())

  let id = Member("id", .text) { "\($0.record.number)" }
  let recipient = Member("recipient", .recipient) { $0.record.recipient }
  let time = Member("time", .instant) { $0.record.event.time }
  let state = Member(
    "state", .word(NotificationOutcome.State.allCases.map(\.rawValue))
  ) { $0.text("state") ?? "" }
  let notification = Member("notification", optional: .text, "Absent while it is held") {
    $0.text("notification")
  }
  let reminder = Member("reminder", .text) { $0.text("reminder") ?? "" }
  let category = Member("category", .text) { $0.text("category") ?? "" }
  let channels = Member("channels", .list(.text)) { $0.texts("channels") }
  let reasons = Member("reasons", .list(.text), "The gates that held or dropped it") {
    $0.texts("reasons")
  }
  let action = Member("action", optional: .text, "The action that was chosen; only of acted") {
    $0.text("action")
  }
  let title = Member("title", optional: .text) { $0.message?.title }
  let body = Member("body", optional: .text) { $0.message?.body }
}

extension Operation {
  static let outcomes = Operation(
    identifier: "outcomes", summary: "Outcomes of notifications of all recipients, in order",
    details: """
      Each decision about an occurrence and each state of a notification is an outcome, if the \
      configuration has "outcomes: true". A client continues with "next", and gets each outcome \
      at least once.
      """,
    parameters: Parameter.page + [
      .query("texts", .boolean, "Whether titles and bodies are included; for administrators")
    ],
    answers: [
      Answer(
        "A page of outcomes", .of(OutcomePagePayload.self),
        example: [
          "outcomes": [
            [
              "id": "12", "recipient": "u1", "time": "2026-03-02T21:00:00.000Z",
              "state": "accepted", "notification": "k3x-17", "reminder": "daily-checkin-reminder",
              "category": "CHECKIN", "channels": ["push"], "reasons": [],
            ]
          ], "next": "12",
        ])
    ])
}
