import CivilTime
import Engine
import HTTPTypes
import HummingbirdCore
import JSON
import Reminders

/// Explains why a notification is, was or would be sent at its time (rule V8), also as of a past
/// instant (rule L8). The functions that fire due occurrences also compute the explanation, on a
/// copy of the recipient.
struct ExplainRoute: Sendable {
  let service: any ReminderService
  /// The limit for questions about past instants.
  let work: HeavyWork
  let now: @Sendable () -> Instant

  var route: Route {
    Route(.get, "/v1/recipients/{recipient}/explain", .explain, answer: .recipient(answer))
  }

  private func answer(_ call: Call, _ name: String) async throws -> Response {
    let parameters = call.parameters
    guard let notification = parameters["notification"] else {
      return try await explain(call, name)
    }
    if let extraName = parameters.keys.filter({ $0 != "notification" }).min() {
      throw Problem(
        .invalidParameter, "\(extraName) cannot be combined with notification; leave it out",
        path: extraName)
    }
    return try await explain(name, past: notification)
  }

  // MARK: - Pending and possible occurrences

  private func explain(_ call: Call, _ name: String) async throws -> Response {
    let instant = try call.instant("asOf")
    let now = instant ?? now()
    let (question, channel) = (try Self.question(call, now: now), try call.channel())
    guard let instant else {
      let recipient = try await service.recipient(named: name)
      let explanations = try Self.explain(question, recipient, at: now, by: service.planner)
      return Self.response(Explanations(recipient: name, explanations: explanations), channel)
    }
    let past = try await work.past(
      ReplayedRecipientQuery(of: name, at: instant), of: name, call)
    let explanations = try Self.explain(question, past.recipient, at: now, by: past.planner)
    return Self.response(
      Explanations(
        recipient: name, explanations: explanations, unknownParts: past.unknownParts), channel)
  }

  private static func explain(
    _ question: Question, _ recipient: Recipient, at now: Instant, by planner: Planner
  ) throws(Problem) -> [Explanation] {
    let answer: Result<[Explanation], UnfinishedPlan>
    do {
      answer = try recipient.answer { (recipient) throws(Refusal) in
        try recipient.explain(question, now: now, planner: planner)
      }
    } catch {
      throw Problem(.invalidParameter, error.description, path: error.path)
    }
    return try answer.mapError(Problem.init).get()
  }

  /// - Parameter channel: the channel whose explanations are first.
  private static func response(
    _ explained: Explanations, _ channel: Reminders.Channel?
  ) -> Response {
    var explained = explained
    if let channel {
      explained.explanations =
        explained.explanations.filter { $0.channels.contains(channel) }
        + explained.explanations.filter { !$0.channels.contains(channel) }
    }
    return Response(ExplanationsPayload.self, explained)
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
    let extraNames = parameters.keys.filter { !["scheduled", "channel", "asOf"].contains($0) }
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
