/// An event type: the data that its events contain, and how facts remember them.
package struct EventSchema: Sendable {
  package enum Shape: Hashable, Sendable {
    case profile
    case preferences
    /// The name of a preset, whose switches the event sets.
    case preset
    case erasure
    case deviceRegistration, deviceRemoval, permission
    /// The link to the recipient's calendar was created or revoked.
    case calendarLink
    case vacationStart, vacationEnd
    case request, requestCancellation
    case cancellation, resumption, snooze
    case opening
    /// A device was in use.
    case sighting
    /// A device has received a notification, or a service reports the state of a delivery.
    case receipt, deliveryReport
    case relationAddition, relationRemoval
    /// An event without data, or with one whole number.
    case happening(NumberField?)
    /// An event with fields that a catalog declares.
    case report([Field])
  }

  package struct NumberField: Hashable, Sendable {
    /// The name of the field in the event's data.
    package let name: String
    /// The numbers that events may have.
    package let range: ClosedRange<Int64>
    package let memory: Memory
  }

  /// Determines which numbers of an event type a recipient's facts remember.
  package enum Memory: Sendable {
    /// The highest number, and the first event that reached it.
    case highest
    /// The latest report of each number.
    case each
  }

  package let type: String
  package let shape: Shape
  /// How many of the latest events without an identifier are remembered individually. Of events
  /// with an identifier, the latest for each entity is remembered.
  package var rememberedMax = 0
  /// The selections by which reminders with both `where` and `after` choose events of this type.
  var matches: [EventSelection] = []
  /// The type under which facts keep the event with the highest number; nil if they do not keep it.
  var peakType: Symbol?
  /// Whether a recipient's own token may report events of this type (rule E7).
  package var isOwnAct: Bool
  /// Whether events of this type are copies for other recipients, or withdrawals of copies. No app
  /// may report such events.
  package var isCopy = false
  /// Whether an event of this type has no effect on a recipient without facts. Such events are
  /// withdrawals (rule G10), messages about another person (rule G17), and changes of the link to a
  /// calendar.
  package var needsRecipient = false

  package init(type: String, shape: Shape, isOwnAct: Bool = false) {
    self.type = type
    self.shape = shape
    self.isOwnAct = isOwnAct
  }

  /// Creates the type of the copies of built-in events for other recipients.
  private init(copy type: String, shape: Shape) {
    self.init(type: type, shape: shape)
    isCopy = true
  }

  /// Creates a type of events that have no effect on a recipient without facts.
  private init(forKnown type: String, shape: Shape) {
    self.init(type: type, shape: shape)
    needsRecipient = true
  }

  /// The built-in types (rule E2), in the order in which they are listed.
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
    EventSchema(type: "device.seen", shape: .sighting),
    EventSchema(type: "permission.changed", shape: .permission),
    EventSchema(forKnown: "calendar.changed", shape: .calendarLink),
    EventSchema(type: "vacation.started", shape: .vacationStart),
    EventSchema(type: "vacation.ended", shape: .vacationEnd),
    EventSchema(type: "relation.added", shape: .relationAddition),
    EventSchema(type: "relation.removed", shape: .relationRemoval),
    EventSchema(copy: addedRelationCopy, shape: .relationAddition),
    EventSchema(copy: removedRelationCopy, shape: .relationRemoval),
    EventSchema(type: "notification.requested", shape: .request),
    EventSchema(type: "notification.cancelled", shape: .requestCancellation),
    EventSchema(type: "notification.opened", shape: .opening),
    EventSchema(type: "reply.received", shape: .happening(nil)),
    EventSchema(type: "reply.unmatched", shape: .happening(nil)),
    EventSchema(type: "notification.received", shape: .receipt),
    EventSchema(type: "delivery.reported", shape: .deliveryReport),
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
    /// Identifies the entity that the event is about.
    case identifier
    case instant
    /// A local date: the same calendar day in every zone (rule G20).
    case date
    case text
    case number
    case flag
    /// The person who caused the event. Recipients get no notification of their own acts (rule N2).
    case person
    case place
    /// A text of any length, of which only the beginning is stored.
    case preview
    /// Another recipient, whose facts get a copy of the event (rule G5).
    case recipient
    /// Elements that are counted by kind.
    case list([Tally.ObjectKind])
    /// The schedule of the event's entity.
    case plan
    /// A whole number within a range, remembered in the type's `Mark`.
    case rememberedNumber(NumberField)
  }

  /// The fields that messages and triggers can use.
  package var fields: [Field] {
    switch shape {
    case .happening(let field?):
      [Field(name: field.name, kind: .rememberedNumber(field), isRequired: true)]
    case .report(let fields): fields
    default: []
    }
  }

  package var identifierField: Field? {
    fields.first { $0.kind == .identifier }
  }

  /// Whether the events of the type have numbers, and each number may cause a separate
  /// notification. Such an event may be marked as `interactive` (rule I4).
  package var notifiesForEachNumber: Bool {
    guard rememberedMax == 0, case .happening(let field?) = shape else { return false }
    return field.memory == .each
  }

  /// Determines which numbers of this type facts remember; nil if its events have no numbers.
  package var memory: Memory? {
    for case .rememberedNumber(let number) in fields.map(\.kind) { return number.memory }
    return nil
  }
}
