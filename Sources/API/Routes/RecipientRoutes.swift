import CivilTime
import Engine
import HTTPTypes
import HummingbirdCore
import JSON
import Reminders

/// What may be asked about one recipient beside what is pending: why (rule V8), and what will come
/// (rule L2). Both are worked out from a copy of the recipient, by the functions that fire.
struct RecipientRoutes: Sendable {
  let service: any ReminderService
  let now: @Sendable () -> Instant

  private static let daysMax = 366
  private static let usualDays = 7

  var routes: [Route] {
    [
      Route(.get, "/v1/recipients/{recipient}/ahead", .ahead, answer: .recipient(ahead)),
      Route(.get, "/v1/recipients/{recipient}/explain", .explain, answer: .recipient(explain)),
    ]
  }

  // MARK: - Ahead

  private func ahead(_ call: Call, _ name: String) async throws -> Response {
    let recipient = try await service.known(name)
    let days = try Self.days(call.parameters["days"])
    let (planner, now) = (service.planner, now())
    let situation = Situation(facts: recipient.facts, planner: planner)
    let end = now + .days(days)
    let firings = recipient.ahead(from: now, through: end, planner: planner)
    return Response { writer in
      writer.beginObject()
      writer.member("recipient", recipient.name)
      writer.member("zone", situation.zone.name)
      writer.member("now", now.description)
      writer.member("through", end.description)
      writer.key(constant: "timeline")
      writer.beginArray()
      for firing in firings { firing.write(in: situation, to: &writer) }
      writer.endArray()
      writer.endObject()
    }
  }

  private static func days(_ text: String?) throws(Problem) -> Int {
    guard let text else { return usualDays }
    if let days = Int(text), (1...daysMax).contains(days) { return days }
    throw Problem(
      .invalidParameter,
      "days must be a number from 1 to \(daysMax); it is \"\(text.shortened)\"", path: "days")
  }

  // MARK: - Explain

  private func explain(_ call: Call, _ name: String) async throws -> Response {
    let recipient = try await service.known(name)
    let now = now()
    let question = try Self.question(call.parameters, now: now)
    let explanations: [Explanation]
    do {
      explanations = try recipient.explain(question, now: now, planner: service.planner)
    } catch {
      throw Problem(.invalidParameter, error.description, path: error.path)
    }
    return Response { writer in
      writer.beginObject()
      writer.member("recipient", recipient.name)
      writer.key(constant: "explanations")
      writer.beginArray()
      for explanation in explanations { explanation.write(to: &writer) }
      writer.endArray()
      writer.endObject()
    }
  }

  private static func question(
    _ parameters: [String: String], now: Instant
  ) throws(Problem) -> Question {
    switch (parameters["reminder"], parameters["category"]) {
    case (let reminder?, nil): return .pending(reminder: reminder)
    case (nil, let category?):
      guard let at = parameters["at"].map({ Instant($0) }) ?? now else {
        throw Problem(
          .invalidParameter, "at must be a time such as 2026-03-02T21:00:00Z", path: "at")
      }
      return .hypothetical(category: category, at: at)
    default:
      throw Problem(
        .invalidParameter,
        "ask about what is pending with reminder=NAME, or about what might be with "
          + "category=NAME and at=TIME")
    }
  }
}

extension ReminderService {
  /// The recipient, or the problem that there is none.
  func known(_ name: String) async throws(Problem) -> Recipient {
    let found: Recipient?
    do {
      found = try await recipient(name)
    } catch {
      throw Problem(error)
    }
    if let found { return found }
    throw Problem.unknown(recipient: name)
  }
}

extension Problem {
  static func unknown(recipient name: String) -> Problem {
    Problem(
      .unknownRecipient,
      "nothing is known of the recipient \"\(name.shortened)\"; "
        + "an event about them, such as recipient.updated, makes them known")
  }
}
