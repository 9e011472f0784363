import CivilTime
import Engine
import HTTPTypes
import HummingbirdCore
import JSON
import Reminders

/// Snoozes a delivered notification (rule N7): dismisses it and makes the same occurrence pending
/// again.
struct NotificationSnoozeRoute: Sendable {
  let service: any ReminderService
  let limits: APILimits
  let now: @Sendable () -> Instant

  /// The maximum time from now until the end of a snooze.
  private static let lengthMax = TimeSpan.days(366)

  var route: Route {
    Route(
      .post, "/v1/recipients/{recipient}/notifications/{notification}/snooze",
      .snoozeNotification, answer: .recipient(answer))
  }

  private func answer(_ call: Call, _ recipient: String) async throws -> Response {
    let identifier = call.segments[0]
    let body = try await call.body(SnoozeBody.self, within: limits)
    let now = now()
    let end = try Self.end(body, now: now)
    let history = try await historyOfDelivered(identifier, to: recipient)
    do {
      let events = try occurrences(of: history).map { occurrence in
        try event(occurrence, of: recipient, until: end, now: now)
      }
      let receipt = try await service.write(Write(events: events, dismissed: identifier))
      return Response(
        SnoozedPayload.self,
        SnoozedPayload.Value(end: end, consequences: try receipt.consequences()))
    } catch let refusal as Refusal {
      throw try Self.problem(refusal, identifier, body)
    } catch let unavailable as ServiceUnavailable {
      throw Problem(unavailable)
    }
  }

  /// Converts the refusal of an event. The problem names the request's members.
  private static func problem(
    _ refusal: Refusal, _ identifier: String, _ body: ReceivedBody<SnoozeBody>
  ) throws -> Problem {
    switch refusal.path {
    case Write.dismissedPath: Problem(notRecent: identifier)
    case "data.until":
      try body.until == nil
        ? Problem(.invalidBody, "for \(refusal.reason)", path: "for")
        : Problem(.invalidBody, "until \(refusal.reason)", path: "until")
    case "data.reminder", "data.occurrence":
      Problem(.unknownNotification, "the occurrence \(refusal.reason)")
    default: Problem(refusal)
    }
  }

  /// Returns the end of the snooze. A span begins now, because the notification was already
  /// delivered.
  private static func end(
    _ body: ReceivedBody<SnoozeBody>, now: Instant
  ) throws(Problem) -> Instant {
    let (name, end): (String, Instant)
    switch (try body.until, try body.for) {
    case (let until?, nil): (name, end) = ("until", until)
    case (nil, let span?): (name, end) = ("for", now + span)
    default:
      throw Problem(
        .invalidBody,
        "give either \"until\", such as 2026-03-02T21:00:00Z, or \"for\", such as 30m")
    }
    guard end > now, end < now + lengthMax else {
      throw Problem(.invalidBody, "\(name) must be in the future, and within a year", path: name)
    }
    return end
  }

  /// Returns the history of a notification. Throws if it was delivered neither alone nor in a
  /// digest.
  private func historyOfDelivered(
    _ identifier: String, to recipient: String
  ) async throws(Problem) -> History {
    switch try await service.result(of: NotificationQuery(of: recipient, identifier)) {
    case .unknownRecipient: throw Problem.unknown(recipient: recipient)
    case .found(let history) where history.notification.outcome != .dropped: return history
    case .found, .unknownNotification:
      throw Problem(
        .unknownNotification,
        "\"\(identifier.shortened)\" is not the id of a delivered notification of this recipient")
    }
  }

  /// Returns the occurrence of the notification, or the occurrences of a digest.
  private func occurrences(of history: History) -> [History.Member] {
    let (past, catalog) = (history.notification, service.planner.catalog)
    guard history.members.isEmpty else { return history.members }
    let name = catalog.reminder(past.reminder).map(catalog.name)
    return [History.Member(reminder: name ?? past.message.reminder, key: past.key)]
  }

  private func event(
    _ occurrence: History.Member, of recipient: String, until end: Instant, now: Instant
  ) throws(Refusal) -> Event {
    let data: JSONObject = [
      "reminder": .string(occurrence.reminder), "occurrence": .string("\(occurrence.key)"),
      "delivered": true, "until": .string(end.description),
    ]
    return try EventReader(planner: service.planner).event(
      [
        "specversion": "1.0", "id": .string(Event.newIdentifier()), "source": "chimed",
        "type": "pending.snoozed", "subject": .string(recipient), "data": .object(data),
      ], now: now)
  }
}

struct SnoozeBody: RequestPayload {
  static let shape = BodyShape(Self())

  let until = Member("until", optional: .instant)
  let `for` = Member("for", optional: .span)
}
