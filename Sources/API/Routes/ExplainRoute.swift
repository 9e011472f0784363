import CivilTime
import Engine
import HTTPTypes
import HummingbirdCore
import JSON
import Reminders

/// Explains why a notification is, was or would be sent at its time (rule V8). The functions that
/// fire due occurrences also compute the explanation, on a copy of the recipient.
struct ExplainRoute: Sendable {
  let service: any ReminderService
  let now: @Sendable () -> Instant

  var route: Route {
    Route(.get, "/v1/recipients/{recipient}/explain", .explain, answer: .recipient(answer))
  }

  private func answer(_ call: Call, _ name: String) async throws -> Response {
    let parameters = call.parameters
    guard let notification = parameters["notification"] else {
      return try await explain(
        name, try Self.question(call, now: now()), first: try call.channel())
    }
    if let extraName = parameters.keys.filter({ $0 != "notification" }).min() {
      throw Problem(
        .invalidParameter, "\(extraName) cannot be combined with notification; leave it out",
        path: extraName)
    }
    return try await explain(name, past: notification)
  }

  // MARK: - Pending and possible occurrences

  /// - Parameter channel: the channel whose explanations are first.
  private func explain(
    _ name: String, _ question: Question, first channel: Reminders.Channel?
  ) async throws -> Response {
    let recipient = try await service.recipient(named: name)
    let answer: Result<[Explanation], UnfinishedPlan>
    let (planner, now) = (service.planner, now())
    do {
      answer = try recipient.answer { (recipient) throws(Refusal) in
        try recipient.explain(question, now: now, planner: planner)
      }
    } catch {
      throw Problem(.invalidParameter, error.description, path: error.path)
    }
    var explanations = try answer.mapError(Problem.init).get()
    if let channel {
      explanations =
        explanations.filter { $0.channels.contains(channel) }
        + explanations.filter { !$0.channels.contains(channel) }
    }
    return Response(
      ExplanationsPayload.self, Explanations(recipient: recipient.name, explanations: explanations))
  }

  private static func question(
    _ call: Call, now: Instant
  ) throws(Problem) -> Question {
    let parameters = call.parameters
    if let question = try occurrenceQuestion(parameters) { return question }
    switch (parameters["reminder"], parameters["category"]) {
    case (let reminder?, nil):
      guard parameters["at"] == nil else {
        throw Problem(
          .invalidParameter,
          "at cannot be combined with reminder, which has its own time; leave it out",
          path: "at")
      }
      return .pending(reminder: reminder)
    case (nil, let category?):
      return .hypothetical(category: category, at: try call.instant("at") ?? now)
    default:
      throw Problem(
        .invalidParameter,
        "for a pending occurrence give reminder=NAME or scheduled=ID, for a past notification "
          + "notification=ID, for a possible one category=NAME and at=TIME")
    }
  }

  /// Reads the parameter `scheduled`; returns nil if it is missing.
  private static func occurrenceQuestion(
    _ parameters: [String: String]
  ) throws(Problem) -> Question? {
    guard let identifier = parameters["scheduled"] else { return nil }
    let extraNames = parameters.keys.filter { !["scheduled", "channel"].contains($0) }
    if let extraName = extraNames.min() {
      throw Problem(
        .invalidParameter, "\(extraName) cannot be combined with scheduled; leave it out",
        path: extraName)
    }
    let parts = identifier.split(separator: "~", omittingEmptySubsequences: false)
    guard parts.count > 1, let key = parts.last.flatMap({ Int64($0) }) else {
      throw Problem(
        .invalidParameter, "scheduled must be an id from /scheduled or /ahead",
        path: "scheduled")
    }
    let name = parts.dropLast().joined(separator: "~")
    return .occurrence(reminder: name, key: key)
  }

  // MARK: - Past notifications

  private func explain(_ name: String, past identifier: String) async throws -> Response {
    let history = try await history(of: name, identifier)
    let planner = service.planner
    let explanation: PastExplanation
    do {
      explanation = try await service.work(.people) {
        history.recipient.explain(history.notification, events: history.events, planner: planner)
      }
    } catch {
      throw Problem(error)
    }
    let past = ExplainedNotification(
      explanation: explanation, deliveries: history.deliveries, digest: history.digest)
    return Response(ExplanationsPayload.self, Explanations(recipient: name, past: [past]))
  }

  private func history(
    of name: String, _ identifier: String
  ) async throws(Problem) -> History {
    switch try await service.result(of: NotificationQuery(of: name, identifier)) {
    case .found(let history): return history
    case .unknownRecipient: throw Problem.unknown(recipient: name)
    case .unknownNotification:
      throw Problem(
        .unknownNotification,
        "\"\(name.shortened)\" has no notification \"\(identifier.shortened)\"; give the id "
          + "of a delivery, which the journal has as CHIME_NOTIFICATION "
          + "(journalctl CHIME_RECIPIENT=ID --output=verbose)", path: "notification")
    }
  }
}
