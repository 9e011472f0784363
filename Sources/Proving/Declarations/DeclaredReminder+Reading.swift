import CivilTime
import Reminders

extension DeclaredReminder {
  init(_ reminder: Reminder, _ catalog: Catalog, _ names: EventNames) {
    self.reminder = reminder
    category = catalog.categories[reminder.category]
    let types = reminder.trigger.causes.compactMap { names[$0] }
    causes = types
    isAboutThings =
      reminder.trigger.hasThings
      && types.contains { catalog.event($0)?.identifierField != nil }
    endings = Self.endings(of: reminder, names)
    let copies = Set(catalog.events.filter(\.isCopy).map { Symbol($0.type) })
    isForOthers = reminder.trigger.causes.contains(where: copies.contains)
    begin = reminder.terms?.from.flatMap { names[$0.event] }
    bound = Self.bound(of: reminder, catalog, names)
  }

  private static func endings(of reminder: Reminder, _ names: EventNames) -> [Ending] {
    func endings(_ conditions: [EventCondition], isForDate: Bool) -> [Ending] {
      conditions.compactMap { condition in
        names[condition.event].map {
          Ending(type: $0, isPerThing: condition.isPerEntity, isForDate: isForDate)
        }
      }
    }
    return endings(
      reminder.trigger.endings + (reminder.terms?.upcoming?.cancelledBy ?? []), isForDate: false)
      + endings((reminder.terms?.unless ?? []) + reminder.trigger.pauses, isForDate: true)
  }

  private static func bound(
    of reminder: Reminder, _ catalog: Catalog, _ names: EventNames
  ) -> AnnouncedField? {
    guard let (event, field) = boundField(of: reminder), let type = names[event],
      let declared = catalog.event(type)?.fields.first(where: { Symbol($0.name) == field })
    else { return nil }
    return declared.kind == .instant ? AnnouncedField(type: type, field: declared.name) : nil
  }

  /// Returns the field that `upcoming`, the trigger or a distance in each text names; nil if none
  /// does. The field may also contain a date.
  private static func boundField(of reminder: Reminder) -> (event: Symbol, field: Symbol)? {
    if let upcoming = reminder.terms?.upcoming { return (upcoming.event.event, upcoming.field) }
    if case .items(let trigger) = reminder.trigger {
      if trigger.isPast { return nil }
      switch trigger.timing {
      case .hoursBefore(let field, _), .datesBefore(let field, _, _):
        return (trigger.event, field)
      case .spansBefore(let field, let spans):
        return spans.allSatisfy { $0 == .fixed(.zero) } ? nil : (trigger.event, field)
      case .after: break
      }
    }
    // A text with the distance to an instant is meant to be read before that instant.
    guard let cause = reminder.trigger.causes.first else { return nil }
    return reminder.distanceField.map { (cause, $0) }
  }
}

extension DeclaredReminder {
  /// Returns whether the reminder announces the instants of a type of event: the reminder is sent
  /// before them, or each of its texts contains one.
  func announces(_ type: String) -> Bool {
    if isLead { return bound?.type == type }
    return causes.contains(type) && reminder.messages.allSatisfy(\.namesInstant)
  }
}

extension MessageTemplate {
  /// Whether a text contains a part of an instant.
  fileprivate var namesInstant: Bool {
    (title.segments + body.segments).contains { segment in
      guard case .field(_, let form) = segment else { return false }
      switch form {
      case .date, .time, .weekday, .longDate, .distance: return true
      case .whole, .id, .firstName, .counted, .count: return false
      }
    }
  }
}

extension Trigger {
  /// Whether the occurrences belong to the things that the causing events name.
  fileprivate var hasThings: Bool {
    switch self {
    case .items, .after, .plan: return true
    case .calendar(let trigger):
      guard case .events(let events)? = trigger.series?.start else { return false }
      return events.contains(where: \.isPerEntity)
    case .milestone, .idle, .request: return false
    }
  }
}

extension Reminder {
  /// The field with the instant to which every message gives the distance, such as "in 2 h"; nil if
  /// a message gives no distance.
  fileprivate var distanceField: Symbol? {
    let fields = messages.map { $0.title.distanceField ?? $0.body.distanceField }
    return fields.contains(nil) ? nil : fields.first ?? nil
  }
}

extension Template {
  /// The field of the first distance in the text; nil if there is none.
  fileprivate var distanceField: Symbol? {
    for case .field(let field, .distance) in segments { return field }
    return nil
  }
}
