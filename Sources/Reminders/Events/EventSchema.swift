/// What an event type may carry and how its number is remembered.
package struct EventSchema: Sendable {
  package enum Shape: Hashable, Sendable {
    case profile
    case preferences
    /// Carries the name of a preset, whose switches it sets.
    case preset
    case erasure
    case deviceRegistration, deviceRemoval, permission
    case vacationStart, vacationEnd
    case request, requestCancellation
    case cancellation, resumption, snooze
    case opening
    /// Carries nothing, or one whole number under a name, within a range.
    case happening(NumberField?)
    /// Carries fields as a catalog declares them.
    case report([Field])
  }

  package struct NumberField: Hashable, Sendable {
    package let name: String
    package let range: ClosedRange<Int64>
    package let memory: Memory
  }

  /// Which of an event type's numbers a recipient's facts keep.
  package enum Memory: Sendable {
    /// The highest, and when it was first reached.
    case highest
    /// When each was last reported.
    case each
  }

  package let type: String
  package let shape: Shape
  /// How many of the latest are remembered each by itself; of events with an identifier it is one
  /// for each.
  package var kept = 0
  /// The matches that reminders wait for with `where` beside `after`.
  var matches: [EventSelection] = []
  /// Whether it happens by the person's own doing, so that their own token may report it (rule E7).
  package var isOwnAct: Bool
  /// Whether it is what others are told of an event, which no app reports itself.
  package var isCopy = false
  /// Whether it takes back the copy of an earlier event, from a person whom a later one names no
  /// more.
  package var isWithdrawal = false

  package init(type: String, shape: Shape, isOwnAct: Bool = false) {
    self.type = type
    self.shape = shape
    self.isOwnAct = isOwnAct
  }

  /// The types every service knows (rule E2), in the order in which they are shown.
  package static let builtIn: [EventSchema] = [
    EventSchema(type: "recipient.updated", shape: .profile),
    EventSchema(type: "recipient.deleted", shape: .erasure),
    EventSchema(type: "preferences.updated", shape: .preferences),
    EventSchema(type: "preset.applied", shape: .preset),
    EventSchema(
      type: "lesson.completed",
      shape: .happening(NumberField(name: "day", range: 1...30, memory: .highest)),
      isOwnAct: true),
    EventSchema(type: "checkin.completed", shape: .happening(nil), isOwnAct: true),
    EventSchema(type: "streak.started", shape: .happening(nil), isOwnAct: true),
    EventSchema(type: "relapse", shape: .happening(nil), isOwnAct: true),
    EventSchema(
      type: "milestone.reached",
      shape: .happening(NumberField(name: "days", range: 1...36_500, memory: .each)),
      isOwnAct: true),
    EventSchema(type: "device.registered", shape: .deviceRegistration),
    EventSchema(type: "device.removed", shape: .deviceRemoval),
    EventSchema(type: "permission.changed", shape: .permission),
    EventSchema(type: "vacation.started", shape: .vacationStart),
    EventSchema(type: "vacation.ended", shape: .vacationEnd),
    EventSchema(type: "notification.requested", shape: .request),
    EventSchema(type: "notification.cancelled", shape: .requestCancellation),
    EventSchema(type: "notification.opened", shape: .opening),
    EventSchema(type: "pending.cancelled", shape: .cancellation),
    EventSchema(type: "pending.resumed", shape: .resumption),
    EventSchema(type: "pending.snoozed", shape: .snooze),
  ]
}

extension EventSchema {
  /// A field of an event's data.
  package struct Field: Hashable, Sendable {
    package let name: String
    package let kind: FieldKind
    package let isRequired: Bool
  }

  package enum FieldKind: Hashable, Sendable {
    /// Events with the same one are about the same thing.
    case identifier
    case instant
    case text
    case number
    case flag
    /// Who did it; an event of a person's own doing is not told to them (rule N2).
    case person
    case place
    /// A text of any length, of which the beginning is kept.
    case preview
    /// Another person whom the service knows; a copy of the event is theirs.
    case recipient
    /// Things that are counted by their sort.
    case list([Tally.Sort])
    /// A whole number within a range, remembered as such.
    case kept(NumberField)
  }

  /// What a message or a trigger can name of the event.
  package var fields: [Field] {
    switch shape {
    case .happening(let field?):
      [Field(name: field.name, kind: .kept(field), isRequired: true)]
    case .report(let fields): fields
    default: []
    }
  }

  package var identifierField: Field? {
    fields.first { $0.kind == .identifier }
  }

  /// Whether each report of a number may be answered, so that it may say that the person is in the
  /// app (rule I4).
  package var isEachSaid: Bool {
    guard kept == 0, case .happening(let field?) = shape else { return false }
    return field.memory == .each
  }

  /// How the type's number is remembered, if it has one.
  package var memory: Memory? {
    for case .kept(let number) in fields.map(\.kind) { return number.memory }
    return nil
  }
}
