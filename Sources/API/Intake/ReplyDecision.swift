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
  case stopped, started, help
  /// The sender is known, and the text means nothing.
  case unmatched
  /// No recipient has the sender's number.
  case unknown
  /// A request without a valid proof, or that cannot be read.
  case refused
}

/// What a reply means, and the events that report it (rule D14).
struct ReplyDecision {
  private(set) var outcome = ReplyOutcome.unknown
  private(set) var events: [JSONValue] = []
  private let reply: ServiceReply
  private let sink: String

  init(
    _ reply: ServiceReply, from subjects: [ReplySubjectsQuery.Subject], by sink: String,
    planner: Planner, now: Instant
  ) {
    (self.reply, self.sink) = (reply, sink)
    guard !subjects.isEmpty else { return }
    switch Reply(reply.text).command {
    case .stop: switchMessages(to: false, .stopped, of: subjects)
    case .start: switchMessages(to: true, .started, of: subjects)
    case .help: outcome = .help
    case nil: answer(subjects, planner, now)
    }
  }

  /// Switches text messages of everyone with the number on or off.
  private mutating func switchMessages(
    to isOn: Bool, _ outcome: ReplyOutcome, of subjects: [ReplySubjectsQuery.Subject]
  ) {
    self.outcome = outcome
    for subject in subjects {
      add("preferences.updated", ["channels": .object(["sms": .bool(isOn)])], of: subject.recipient)
    }
  }

  /// Chooses an action of a notification that can still be answered. A name or a title may be of
  /// any such notification, other words are for the latest one.
  private mutating func answer(
    _ subjects: [ReplySubjectsQuery.Subject], _ planner: Planner, _ now: Instant
  ) {
    outcome = .unmatched
    let text = Reply(reply.text)
    let open = subjects.flatMap { subject in
      subject.notifications.map { OpenNotification($0, of: subject.recipient, planner, now) }
    }
    .filter { !$0.actions.isEmpty }.sorted { $0.notification.at > $1.notification.at }
    var chosen = open.first.flatMap { latest in
      text.action(among: latest.actions).map { (latest, $0) }
    }
    if chosen == nil {
      chosen =
        open.lazy.compactMap { entry in
          text.namedAction(among: entry.actions).map { (entry, $0) }
        }.first
    }
    guard let (entry, action) = chosen,
      let answer = try? ActionAnswer(
        action.name, to: entry.notification, of: entry.recipient, planner: planner, now: now)
    else {
      let latest = open.first?.recipient ?? subjects[0].recipient
      return add("reply.unmatched", nil, of: latest)
    }
    outcome = .answered
    add(answer.fact.type, answer.fact.data, of: entry.recipient, answer.eventIdentifier)
  }

  private struct OpenNotification {
    let notification: PastNotification
    let recipient: Recipient
    let actions: [NotificationAction]

    init(
      _ notification: PastNotification, of recipient: Recipient, _ planner: Planner, _ now: Instant
    ) {
      (self.notification, self.recipient) = (notification, recipient)
      actions = (try? ActionAnswer.actions(of: notification, planner: planner, now: now)) ?? []
    }
  }

  /// - Parameter identifier: the event's id; nil for one of the reply and the recipient.
  private mutating func add(
    _ type: String, _ data: JSONObject?, of recipient: Recipient, _ identifier: String? = nil
  ) {
    let own = [sink, reply.id, recipient.name]
    var event: JSONObject = [
      "specversion": "1.0", "id": .string(identifier ?? ActionAnswer.identifier(of: own)),
      "source": .string(Event.ownSource), "type": .string(type),
      "subject": .string(recipient.name),
    ]
    if let data { event["data"] = .object(data) }
    events.append(.object(event))
  }
}
