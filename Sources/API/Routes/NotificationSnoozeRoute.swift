import CivilTime
import Engine
import HTTPTypes
import HummingbirdCore
import JSON
import Reminders

/// Says again, later, what was delivered (rule N4). A notification is what it is for ever, so it is
/// another that says the same: one that is requested for then.
struct NotificationSnoozeRoute: Sendable {
  let service: any ReminderService
  let limits: APILimits
  let now: @Sendable () -> Instant

  private static let lengthMax = TimeSpan.days(366)

  var route: Route {
    Route(
      .post, "/v1/recipients/{recipient}/notifications/{notification}/snooze",
      .snoozeNotification, answer: .recipient(answer))
  }

  private func answer(_ call: Call, _ recipient: String) async throws -> Response {
    let identifier = call.segments[0]
    let body = try await call.body(SnoozeBody.self, within: limits)
    let end = try Self.end(body, now: now())
    let told = try await delivered(identifier, to: recipient)
    do {
      let event = try request(told, of: recipient, at: end)
      let receipt = try await service.write(Write(events: [event], dismissed: identifier))
      return Response(
        SnoozedPayload.self,
        SnoozedPayload.Value(end: end, consequences: try receipt.consequences()))
    } catch let refusal as Refusal {
      let isGone = refusal.path == Write.dismissedPath
      throw isGone ? Problem(notRecent: identifier) : Problem(refusal)
    } catch let unavailable as ServiceUnavailable {
      throw Problem(unavailable)
    }
  }

  /// What was delivered counts from now.
  private static func end(
    _ body: GivenBody<SnoozeBody>, now: Instant
  ) throws(Problem) -> Instant {
    let (name, end): (String, Instant)
    switch (try body.until, try body.for) {
    case (let until?, nil): (name, end) = ("until", until)
    case (nil, let span?): (name, end) = ("for", now + span)
    default:
      throw Problem(
        .invalidBody,
        "needs one of \"until\", such as 2026-03-02T21:00:00Z, and \"for\", such as 30m")
    }
    guard end > now, end < now + lengthMax else {
      throw Problem(.invalidBody, "\(name) must lie ahead, and within a year", path: name)
    }
    return end
  }

  private func delivered(
    _ identifier: String, to recipient: String
  ) async throws(Problem) -> PastNotification {
    let answer: HistoryAnswer
    do {
      answer = try await service.history(of: recipient, notification: identifier)
    } catch {
      throw Problem(error)
    }
    switch answer {
    case .unknownRecipient: throw Problem.unknown(recipient: recipient)
    case .found(let history) where history.notification.outcome == .delivered:
      return history.notification
    case .found, .unknownNotification:
      throw Problem(
        .unknownNotification,
        "\"\(identifier.shortened)\" is not the id of something that this person was told")
    }
  }

  private func request(
    _ told: PastNotification, of recipient: String, at instant: Instant
  ) throws(Refusal) -> Event {
    let message = told.message
    var data: JSONObject = [
      "category": .string(message.category), "title": .string(message.title),
      "body": .string(message.body), "at": .string(instant.description),
    ]
    for name in ["deepLink", "actor"] { data[name] = message.detailsObject[name] }
    return try EventReader(planner: service.planner).event(
      [
        "specversion": "1.0", "id": .string(Event.newIdentifier()), "source": "chimed",
        "type": "notification.requested", "subject": .string(recipient), "data": .object(data),
      ], now: now())
  }
}

struct SnoozeBody: RequestPayload {
  static let shape = BodyShape(Self())

  let until = Member("until", optional: .instant)
  let `for` = Member("for", optional: .span)
}
