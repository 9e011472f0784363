import CivilTime
import Cryptography
import Engine
import JSON
import Outbox
import Reminders

/// The meaning of a reply, as counted in metrics.
enum ReplyOutcome: String, CaseIterable, Sendable {
  /// An action of a notification was chosen.
  case answered
  /// The delivery service has sent the reply before.
  case repeated
  /// A command switched text messages off or on, or requested the help text.
  case stopped, started, help
  /// The text of a known sender means nothing, or the event for its meaning was refused.
  case unmatched
  /// No recipient has the sender's number.
  case unknown
  /// The request has no valid proof or cannot be read.
  case refused
}

/// The meaning of a reply, and the events that report it (rules D14, D15).
struct ReplyDecision {
  private(set) var outcome = ReplyOutcome.unknown
  /// The events that report the reply. They are submitted together, so that a request that is
  /// repeated after a crash finds all of them or none.
  private(set) var events: [JSONValue] = []
  /// The event among `events` with the effect of a new answer; nil if there is none. `events` apply
  /// only if it can be accepted.
  private(set) var answer: JSONValue?
  /// The event among `events` that reports that the answered notification was opened; nil if the
  /// reply gives no new answer.
  private(set) var opening: JSONValue?
  /// The event that records the reply instead if `answer` cannot be accepted.
  private(set) var unmatched: JSONValue?
  private let reply: ServiceReply
  /// The name of the sink, the adapter to the delivery service that sent the reply.
  private let sink: String

  init(
    _ reply: ServiceReply, _ command: Reply.Command?,
    from subjects: [ReplySubjectsQuery.Subject], by sink: String, planner: Planner, now: Instant
  ) {
    (self.reply, self.sink) = (reply, sink)
    guard !subjects.isEmpty else { return }
    switch command {
    case .stop: switchMessages(to: false, .stopped, of: subjects)
    case .start: switchMessages(to: true, .started, of: subjects)
    case .help: outcome = .help
    case nil: answer(subjects, planner, now)
    }
  }

  /// The id of the event that records the reply of a recipient; the same for a repeated request.
  private func identifier(of recipient: String) -> String {
    ActionAnswer.identifier(of: [sink, reply.id, recipient])
  }

  /// Switches text messages on or off for every recipient with the number. Also grants or denies
  /// the permission, because the switch does not apply to categories that are always on. Switching
  /// on reports the number again, which ends its suppression (rule D10).
  private mutating func switchMessages(
    to isOn: Bool, _ outcome: ReplyOutcome, of subjects: [ReplySubjectsQuery.Subject]
  ) {
    self.outcome = outcome
    for subject in subjects {
      let recipient = subject.recipient
      func identifier(_ part: String) -> String {
        ActionAnswer.identifier(of: [sink, reply.id, recipient.name, part])
      }
      add("preferences.updated", ["channels": .object(["sms": .bool(isOn)])], of: recipient)
      add(
        "permission.changed",
        ["channel": "sms", "status": .string(isOn ? "granted" : "denied")], of: recipient,
        identifier("permission"))
      if isOn, let number = recipient.facts.profile(.phone) {
        add(
          "recipient.updated", ["phone": .string(number)], of: recipient, identifier("phone"))
      }
    }
  }

  /// Chooses an action of a notification that can still be answered. A text that is the name or
  /// title of an action chooses in the latest notification for which this action was not chosen
  /// yet. Any other text chooses in the latest notification without an answer. If there is no such
  /// notification, the latest one that fits is used.
  ///
  /// A repeated reply chooses nothing, because another notification may be the latest now. Repeated
  /// commands need no such check: their events have the same ids.
  private mutating func answer(
    _ subjects: [ReplySubjectsQuery.Subject], _ planner: Planner, _ now: Instant
  ) {
    guard
      !subjects.contains(where: { $0.reportedEventIDs.contains(identifier(of: $0.recipient.name)) })
    else {
      outcome = .repeated
      return
    }
    let open = subjects.flatMap { subject in
      subject.notifications.compactMap { OpenNotification($0, of: subject, planner, now) }
    }
    .sorted { $0.at > $1.at }
    let text = Reply(reply.text)
    let latest = open.first { !$0.isAnswered } ?? open.first
    let named = open.flatMap { entry in entry.answers(namedBy: text).map { (entry, $0) } }
    let chosen =
      named.first { !$0.0.isReported($0.1) } ?? named.first
      ?? latest.flatMap { entry in entry.answer(chosenBy: text).map { (entry, $0) } }
    guard let (entry, answer) = chosen else {
      outcome = .unmatched
      return add("reply.unmatched", nil, of: latest?.recipient ?? subjects[0].recipient)
    }
    let report = event(
      answer.fact.type, answer.fact.data, of: entry.recipient.name, answer.eventIdentifier)
    outcome = .answered
    add("reply.received", nil, of: entry.recipient)
    guard !entry.isReported(answer) else { return }
    let opening = event(
      "notification.opened",
      ["notification": .string(entry.notification), "action": .string(answer.action.name)],
      of: entry.recipient.name,
      ActionAnswer.identifier(of: [sink, reply.id, entry.recipient.name, "opened"]))
    events += [report, opening]
    (self.answer, self.opening) = (report, opening)
    unmatched = event("reply.unmatched", nil, of: entry.recipient.name, nil)
  }

  /// A notification that can still be answered.
  private struct OpenNotification {
    /// The instant at which a sink accepted the text message, or else the decision's instant.
    let at: Instant
    /// The notification's id.
    let notification: String
    /// The recipient of the notification.
    private let subject: ReplySubjectsQuery.Subject
    /// The message's actions, in its order.
    private let offered: [OfferedAction]
    /// The answers that are possible, by the names of their actions.
    private let answers: [String: ActionAnswer]

    /// Returns nil if no answer is possible.
    init?(
      _ sms: ReplySubjectsQuery.SMSNotification, of subject: ReplySubjectsQuery.Subject,
      _ planner: Planner, _ now: Instant
    ) {
      (self.subject, at) = (subject, sms.at)
      notification = sms.notification.identifier
      offered = sms.notification.message.actions
      var answers: [String: ActionAnswer] = [:]
      for action in offered {
        let answer = try? ActionAnswer(
          action.name, to: sms.notification, of: subject.recipient, planner: planner, now: now)
        guard let answer, answer.snoozeEnd == nil || !sms.isDismissed else { continue }
        answers[action.name] = answer
      }
      guard !answers.isEmpty else { return nil }
      self.answers = answers
    }

    var recipient: Recipient { subject.recipient }

    /// Whether one of the actions was chosen before.
    var isAnswered: Bool { answers.values.contains(where: isReported) }

    /// Whether the event of an answer was reported before.
    func isReported(_ answer: ActionAnswer) -> Bool {
      subject.reportedEventIDs.contains(answer.eventIdentifier)
    }

    /// Returns the answer that a number, "yes" or "later" chooses; nil if there is none.
    func answer(chosenBy text: Reply) -> ActionAnswer? {
      let possible = offered.map { answers[$0.name] }
      if let number = text.number {
        return possible.indices.contains(number - 1) ? possible[number - 1] : nil
      }
      if text.isYes, let first = possible.first ?? nil, case .event = first.action.effect {
        return first
      }
      return text.isLater ? possible.compactMap(\.self).first { $0.snoozeEnd != nil } : nil
    }

    /// Returns the answers whose action has the text as its name or as a title. The title may be
    /// that of the current catalog or of the message.
    func answers(namedBy text: Reply) -> [ActionAnswer] {
      offered.compactMap { action in
        guard let answer = answers[action.name] else { return nil }
        return text.matches(title: action.title) || text.matches(answer.action) ? answer : nil
      }
    }
  }

  /// The event that records that the reply has no effect after all, because the event of its
  /// answer was refused at its arrival; nil if no answer was chosen.
  var refusal: JSONValue? {
    guard outcome == .answered, let name = events.first?["subject"]?.stringValue else { return nil }
    return event(
      "reply.unmatched", nil, of: name,
      ActionAnswer.identifier(of: [sink, reply.id, name, "refused"]))
  }

  /// - Parameter identifier: the event's id; nil for the event that records the reply.
  private mutating func add(
    _ type: String, _ data: JSONObject?, of recipient: Recipient, _ identifier: String? = nil
  ) {
    events.append(event(type, data, of: recipient.name, identifier))
  }

  private func event(
    _ type: String, _ data: JSONObject?, of recipient: String, _ identifier: String?
  ) -> JSONValue {
    var event: JSONObject = [
      "specversion": "1.0", "id": .string(identifier ?? self.identifier(of: recipient)),
      "source": .string(Event.ownSource), "type": .string(type),
      "subject": .string(recipient),
    ]
    if let data { event["data"] = .object(data) }
    return .object(event)
  }
}
