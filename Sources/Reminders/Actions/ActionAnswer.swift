package import CivilTime
package import JSON

/// A recipient's answer to a notification by one of the notification's actions (rule H28): the
/// event that the answer reports, and the event that takes the answer back.
package struct ActionAnswer: Sendable {
  /// An event without its envelope.
  package struct AnswerEvent: Hashable, Sendable {
    package let type: String
    package let data: JSONObject

    package init(type: String, data: JSONObject) {
      (self.type, self.data) = (type, data)
    }
  }

  /// The reason why a notification cannot be answered.
  package enum Obstacle: Error, Hashable, Sendable {
    /// The notification was not delivered or has expired, or its occurrence no longer exists.
    case isOver
    /// The catalog no longer declares the action or its reminder.
    case isUnknown
  }

  package let action: NotificationAction
  /// The event that the answer reports.
  package let fact: AnswerEvent
  /// The event that takes the answer back; nil if the answer cannot be undone.
  package let undo: AnswerEvent?
  /// The identity of the answer, equal for all notifications of an occurrence and its repetitions.
  package let identity: [String]
  /// The end of a snooze; nil for other actions.
  package let snoozeEnd: Instant?

  /// - Parameter name: the name of the action.
  package init(
    _ name: String, to past: PastNotification, of recipient: Recipient, planner: Planner,
    now: Instant
  ) throws(Obstacle) {
    let reminder = try Self.reminder(of: past, planner, now: now)
    guard let action = reminder.actions.first(where: { $0.name == name }) else {
      throw .isUnknown
    }
    let context = PlanningContext(facts: recipient.facts, planner: planner)
    if case .items = reminder.trigger, context.occurrence(of: reminder, key: past.key) == nil {
      throw .isOver
    }
    let occurrence: JSONObject = [
      "reminder": .string(planner.catalog.name(of: reminder)), "occurrence": .string("\(past.key)"),
    ]
    var end: Instant?
    switch action.effect {
    case .event(let event, let undo):
      let details = context.subject(of: reminder, key: past.key).details
      guard let data = event.data(from: details) else { throw .isOver }
      fact = AnswerEvent(type: event.type, data: data)
      self.undo = undo.flatMap { event in
        event.data(from: details).map { AnswerEvent(type: event.type, data: $0) }
      }
    case .snooze(let span):
      end = now + span
      fact = AnswerEvent(
        type: "pending.snoozed",
        data: occurrence.adding(["delivered": true, "until": .string((now + span).description)]))
      undo = AnswerEvent(type: "pending.cancelled", data: occurrence)
    case .settings(let changes):
      fact = context.preferences(changes.map { ($0.path, $0.value) })
      undo = context.preferences(changes.map { ($0.path, context.value(of: $0.path)) })
    }
    self.action = action
    snoozeEnd = end
    identity = [
      recipient.name, planner.catalog.chainName(of: reminder), "\(past.key)", "\(past.round)", name,
    ]
  }

  /// Returns the actions of a notification; empty if it cannot be answered.
  package static func actions(
    of past: PastNotification, planner: Planner, now: Instant
  ) throws(Obstacle) -> [NotificationAction] {
    try reminder(of: past, planner, now: now).actions
  }

  private static func reminder(
    of past: PastNotification, _ planner: Planner, now: Instant
  ) throws(Obstacle) -> Reminder {
    guard past.outcome == .delivered, now <= past.expiry else { throw .isOver }
    guard let reminder = planner.catalog.reminder(past.reminder) else { throw .isUnknown }
    return reminder
  }
}

extension ActionEvent {
  /// Returns the event's data, with fields copied from the event that the occurrence follows; nil
  /// if fields are needed and the occurrence no longer follows an event.
  fileprivate func data(from details: Details?) -> JSONObject? {
    guard !fields.isEmpty else { return [:] }
    guard let details else { return nil }
    var data = JSONObject()
    for field in fields {
      let detail = details.values.first { $0.field == Symbol(field) }
      data[field] = detail?.value.json
    }
    return data
  }
}

extension Detail.Value {
  /// The value as events report it; nil for values that actions and messages to other people do not
  /// report.
  var json: JSONValue? {
    switch self {
    case .text(let text): .string(text)
    case .instant(let instant): .string(instant.description)
    case .date(let date): .string(date.description)
    case .number(let number): .integer(number)
    case .decimal(let number): .number(number)
    case .flag(let flag): .bool(flag)
    case .person, .place, .tally, .plan: nil
    }
  }
}

extension PlanningContext {
  /// Returns a change of preferences, as an event reports it.
  fileprivate func preferences(_ values: [(Symbol, Int64)]) -> ActionAnswer.AnswerEvent {
    var document = JSONObject()
    for (path, value) in values {
      guard let index = catalog.settings.index(of: path) else { continue }
      let definition = catalog.settings.definitions[index]
      document.set(definition.kind.value(of: value), at: definition.path)
    }
    return ActionAnswer.AnswerEvent(type: "preferences.updated", data: document)
  }

  fileprivate func value(of path: Symbol) -> Int64 {
    catalog.settings.index(of: path).map { settings[$0] } ?? 0
  }
}

extension Catalog {
  /// Returns the name of the reminder that a reminder repeats, or else its own.
  fileprivate func chainName(of reminder: Reminder) -> String {
    let first = reminder.repeated.flatMap { self.reminder($0) } ?? reminder
    return name(of: first)
  }
}

extension JSONObject {
  fileprivate func adding(_ others: JSONObject) -> JSONObject {
    var object = self
    for member in others { object[member.key] = member.value }
    return object
  }
}
