import CivilTime
import Reminders

/// A reminder with the relations that rules and worlds need.
struct DeclaredReminder: Sendable {
  /// An event that cancels, ends or silences the reminder.
  struct Ending: Hashable, Sendable {
    /// The type of the event.
    let type: String
    /// Whether the event counts only for reminders about the same thing.
    let isPerThing: Bool
    /// Whether the event silences the reminder only for some dates (`unless`, `pause`).
    let isForDate: Bool
  }

  /// The field of an event whose instant a reminder announces.
  struct AnnouncedField: Hashable, Sendable {
    /// The type of the event.
    let type: String
    let field: String
  }

  let reminder: Reminder
  let category: Category
  /// The types of events that plan the reminder; empty if no event plans it.
  let causes: [String]
  /// Whether the reminder has notifications for each thing that its causes name.
  let isAboutThings: Bool
  let endings: [Ending]
  /// The type of the event that `from` names, before which the reminder has no occurrences; nil
  /// without `from`.
  let begin: String?
  /// Whether the reminder is for another recipient, whom its causes name.
  let isForOthers: Bool
  /// The field with the instant after which a notification no longer makes sense; nil if the
  /// reminder announces no instant.
  let bound: AnnouncedField?

  var name: String { reminder.identifier }
  /// The urgency that the reminder declares, or else that of its category.
  var urgency: Urgency { reminder.urgency ?? category.urgency }

  /// The channels on which the reminder may be sent.
  var channels: [Channel] {
    category.channels.map(\.channel).filter { reminder.channels.contains(ChannelSet($0)) }
  }

  /// Whether the reminder is sent before an instant that an event reports, with a lead above zero.
  var isLead: Bool {
    guard case .items(let trigger) = reminder.trigger, !trigger.isPast else { return false }
    switch trigger.timing {
    case .after: return false
    case .hoursBefore, .datesBefore: return true
    case .spansBefore(_, let spans): return !spans.allSatisfy { $0 == .fixed(.zero) }
    }
  }

  /// The largest number of times that the reminder is planned on a date for one cause.
  func timesADay(_ catalog: Catalog) -> Int {
    switch reminder.trigger {
    case .calendar(let trigger): Self.count(trigger.times, catalog.settings)
    case .plan: EntityPlan.timesMax
    case .items(let trigger): Self.count(trigger.timing)
    case .after, .milestone, .idle, .request: 1
    }
  }

  private static func count(_ times: TimesSource, _ schema: SettingsSchema) -> Int {
    switch times {
    case .one: return 1
    case .fixed(let code): return NumberList(code: code).numbers.count
    case .setting: return NumberList.countMax
    case .spread(let count, _, _):
      guard case .count(let index) = count, case .count(let range) = schema.definitions[index].kind
      else {
        return Int(clamping: count.numbers(Settings(schema: schema, registers: [])).max() ?? 1)
      }
      return Int(clamping: range.upperBound)
    }
  }

  private static func count(_ timing: ItemTrigger.Timing) -> Int {
    switch timing {
    case .after: 1
    case .hoursBefore(_, let counts), .datesBefore(_, let counts, _):
      if case .fixed(let numbers) = counts { numbers.count } else { NumberList.countMax }
    case .spansBefore(_, let spans): spans.count
    }
  }
}
