package import CivilTime

/// The rule that determines a reminder's occurrences (rule G1).
package enum Trigger: Sendable {
  /// Occurrences on chosen days at local times (`every`).
  case calendar(CalendarTrigger)
  /// One occurrence after the latest event (`after`).
  case after(AfterTrigger)
  /// One occurrence for each streak that has lasted a number of days (`on` with `milestones`).
  case milestone(MilestoneTrigger)
  /// Occurrences for each entity of an event, or for each event without an identifier (`on`,
  /// `before`, `past`).
  case items(ItemTrigger)
  /// One occurrence after a time without an event (`idle`).
  case idle(IdleTrigger)
  /// An occurrence for each notification that apps request in the reminder's category.
  case request
  /// A series of occurrences for each entity, by the plan that its event carries.
  case plan(PlanTrigger)
}

/// A trigger that yields occurrences on chosen days at local times.
package struct CalendarTrigger: Sendable {
  package var times: TimesSource
  package var days: DaySelection
  /// The event that ends the reminder permanently.
  package var until: EventCondition?
  /// The event that interrupts the reminder, and the number of local dates until the reminder
  /// resumes.
  package var pause: Pause?
  /// Whether the time follows the recipient's habits (rule M3).
  package var isSmart = ToggleSource.fixed(false)
  /// The start of the reminder and the choice of its dates; nil if all dates count.
  package var series: Series?

  package struct Pause: Sendable {
    package var event: EventCondition
    /// The number of local dates from the date of the event to that of the resumption.
    package var days: Int
  }
}

/// A trigger that yields one occurrence after the latest event that counts.
package struct AfterTrigger: Sendable {
  package var event: Symbol
  /// Whether only an event with a new highest number counts.
  package var onlyHighest: Bool
  package var delay: Delay
  /// The event's number at or above which the reminder stops; nil if no number stops it.
  package var below: Int64?
  /// Events that cancel the occurrence if they are later than the event that planned it.
  package var cancelledBy: [EventCondition]
  /// The selection of the events that count; nil if all events count.
  var match: EventSelection?
  /// The type under which facts keep the event with the highest number; nil if they do not keep it.
  var peakType: Symbol?

  /// Returns the identifier of the entity that an item's event is about; nil if the event has none.
  func identifier(of item: Item) -> String? {
    item.identifier ?? match?.identifier(of: item)
  }
}

/// The delay after an event.
package enum Delay: Sendable {
  /// The delay is an elapsed time, independent of clock changes (rule T3).
  case elapsed(SpanSource)
  /// The delay ends at a local time on the next local date.
  case nextDate(TimeSource)
  /// The delay ends when the clock next shows a local time.
  case nextTime(TimeSource)
  /// The delay ends at a local time, a number of local dates later.
  case dates(CountsSource, TimeSource)
}

/// A trigger that yields one occurrence for each streak that has lasted a number of days. The
/// milestone may be reported or predicted (rule I4).
package struct MilestoneTrigger: Sendable {
  package var days: Int64
  /// The event that reports the milestone.
  package var reportedBy: Symbol
  /// The time from the report to the reported occurrence. The predicted occurrence has no delay.
  package var delay: TimeSpan
  /// The events that start a streak.
  package var since: [Symbol]
  /// The event that postpones predicted milestones, and the span of the postponement.
  package var freeze: Freeze?

  package struct Freeze: Sendable {
    package var event: Symbol
    package var span: SpanSource
  }
}

/// A trigger that yields a series of occurrences for each entity of an event (rule G15).
package struct PlanTrigger: Sendable {
  package var event: Symbol
  /// The event's field with the plan; with the date of the anniversaries if `anniversaryLead` is
  /// set.
  package var field: Symbol
  /// The number of dates from an occurrence to the anniversary of the field's date (rule G22); nil
  /// if the field has a plan.
  package var anniversaryLead: Int?
  /// The daily times of an entity whose event has no plan, or the times on anniversaries. If nil,
  /// an entity without a plan has no occurrences.
  package var defaultTimes: TimesSource?
  /// The event that ends an entity's series permanently.
  package var until: EventCondition?
  /// The event that interrupts a series, and the number of local dates until the series resumes.
  package var pause: CalendarTrigger.Pause?
  /// Events that end a series until the entity's event is reported again.
  package var cancelledBy: [EventCondition]
}

/// A trigger that yields one or several occurrences for each entity of an event, or for each event
/// without an identifier.
package struct ItemTrigger: Sendable {
  package var event: Symbol
  package var timing: Timing
  /// Events that cancel the occurrence if they are later than the event that planned it.
  package var cancelledBy: [EventCondition]
  /// Whether the occurrences follow the instant or date in the event (`past`) rather than precede
  /// it.
  package var isPast = false
  /// Whether the distances are declared in weeks, so that texts give the number of weeks.
  package var countsWeeks = false

  package enum Timing: Sendable {
    /// The occurrence is a delay after the event.
    case after(Delay)
    /// The occurrences are one or several numbers of elapsed hours before an instant in the event.
    /// They are after that instant if `isPast`.
    case hoursBefore(field: Symbol, CountsSource)
    /// The occurrences are spans of elapsed time before an instant in the event. They are after
    /// that instant if `isPast`.
    case spansBefore(field: Symbol, [SpanSource])
    /// The occurrences are at a local time, some numbers of local dates before a date in the event
    /// or the date of its instant. They are after that date if `isPast`.
    case datesBefore(field: Symbol, CountsSource, TimeSource)
  }
}

extension ItemTrigger.Timing {
  /// The event's field with the instant or date from which the timing counts; nil for the time of
  /// the event.
  var field: Symbol? {
    switch self {
    case .after: nil
    case .hoursBefore(let field, _), .spansBefore(let field, _), .datesBefore(let field, _, _):
      field
    }
  }
}

/// A trigger that yields one occurrence when none of certain events has happened for a number of
/// days or hours (rule T3).
package struct IdleTrigger: Sendable {
  /// The events that must not have happened.
  package var events: [Symbol]
  /// The number of units without such an event.
  package var count: CountsSource
  /// The unit of `count`: one day or one hour.
  package var unit: TimeSpan
  /// The factor of `count`. A declaration with `times` yields a reminder for each factor.
  package var factor: Int64
}

/// The dates of a calendar reminder.
package enum DaySelection: Sendable {
  case week(DaysSource)
  case month(MonthDays)
  case year(YearDays)
  case other(OtherCalendarDays)

  package func dates(_ settings: Settings) -> ChosenDates {
    switch self {
    // The mask removes other bits. A value may have them if it was stored when the parameter had
    // another kind.
    case .week(let source): .week(source.bits(settings) & 0b111_1111)
    case .month(let days): .month(days)
    case .year(let days): .year(days)
    case .other(let days): .other(days)
    }
  }
}

/// A selection with the recipient's settings applied.
package enum ChosenDates: Sendable {
  /// Days of the week, as bits of `Weekday.bit`.
  case week(Int64)
  case month(MonthDays)
  case year(YearDays)
  case other(OtherCalendarDays)

  /// The last date that can be selected; nil if there is none.
  var last: LocalDate? {
    if case .other(let days) = self { days.calendar.knownDates.upperBound } else { nil }
  }

  package var isEmpty: Bool {
    switch self {
    case .week(let bits): bits == 0
    case .month(let days): days.isEmpty
    case .year(let days): days.isEmpty
    case .other(let days): days.isEmpty
    }
  }

  package func contains(_ date: LocalDate) -> Bool {
    switch self {
    case .week(let bits): bits & date.weekday.bit != 0
    case .month(let days): days.contains(date)
    case .year(let days): days.contains(date)
    case .other(let days): days.contains(date)
    }
  }
}

/// Days of the month from 1 to 31, the last day, and weekdays by their ordinal in the month. A day
/// beyond the end of a month means its last day.
package struct MonthDays: Hashable, Sendable {
  /// The ordinals of a weekday in a month.
  package static let ordinals = ["first", "second", "third", "fourth", "last"]
  private static let last = 32
  /// The days: bit n is day n, and bit `last` is the last day.
  private var bits: UInt64 = 0
  /// The weekdays, with seven bits for each ordinal.
  private var weekdays: UInt64 = 0

  package init() {}

  package var isEmpty: Bool { bits == 0 && weekdays == 0 }

  package mutating func insert(day: Int) {
    bits |= 1 << UInt64(day & 31)
  }

  package mutating func insertLast() {
    bits |= 1 << UInt64(Self.last)
  }

  /// - Parameter ordinal: the index in `ordinals`.
  package mutating func insert(_ weekday: Weekday, ordinal: Int) {
    weekdays |= UInt64(weekday.bit) << UInt64(7 * ordinal)
  }

  package func contains(_ date: LocalDate) -> Bool {
    if weekdays != 0, containsWeekday(of: date) { return true }
    guard bits != 0 else { return false }
    if bits >> UInt64(date.day) & 1 == 1 { return true }
    // On the last day of a month, `last` and the days that this month lacks count too.
    return (date + 1).day == 1 && bits >> UInt64(date.day) != 0
  }

  private func containsWeekday(of date: LocalDate) -> Bool {
    let bit = UInt64(date.weekday.bit)
    let week = (date.day - 1) / 7
    if week < 4, weekdays >> UInt64(7 * week) & bit != 0 { return true }
    return weekdays >> UInt64(7 * 4) & bit != 0 && (date + 7).month != date.month
  }
}

/// Days of the year. In a year without 29 February, that day means 28 February.
package struct YearDays: Hashable, Sendable {
  /// The days of each month, 1 to 12: bit n is day n.
  private var months = [UInt32](repeating: 0, count: 13)

  package init() {}

  package var isEmpty: Bool { months.allSatisfy { $0 == 0 } }

  package mutating func insert(month: Int, day: Int) {
    months[month] |= 1 << UInt32(day)
  }

  package func contains(_ date: LocalDate) -> Bool {
    let (_, month, day) = date.yearMonthDay
    if months[month] >> UInt32(day) & 1 == 1 { return true }
    return month == 2 && day == 28 && months[2] >> 29 & 1 == 1 && (date + 1).day == 1
  }
}

/// The topics of a reminder's messages, among which recipients choose.
package struct Topics: Hashable, Sendable {
  /// The index of the setting with the recipient's choice.
  package let setting: Int
  /// The available topics.
  package let words: [String]

  /// Returns the chosen topics, one bit for each.
  package func chosen(_ settings: Settings) -> Int64 {
    settings[setting] & (1 << Int64(words.count) - 1)
  }
}

extension Reminder {
  /// Returns the indices of the messages about any of these topics, and of the messages without a
  /// topic.
  func messages(about topics: Int64) -> [UInt8] {
    messages.indices.filter { messages[$0].topic.map { $0 & topics != 0 } ?? true }
      .map { UInt8(truncatingIfNeeded: $0) }
  }
}

extension Trigger {
  /// Returns whether the occurrences of both triggers have keys of the same kind, so that one
  /// reminder can repeat the other.
  func hasSameKeys(as other: Trigger) -> Bool {
    switch (self, other) {
    case (.calendar(let one), .calendar(let two)):
      one.times.keyKind == two.times.keyKind && one.times.picked == two.times.picked
    case (.after(let one), .after(let two)): one.event == two.event
    case (.items(let one), .items(let two)): one.event == two.event
    case (.plan(let one), .plan(let two)):
      one.event == two.event && one.field == two.field
        && one.anniversaryLead == two.anniversaryLead
    default: false
    }
  }
}

extension Trigger {
  /// Whether the times are picked at random.
  var isPicked: Bool {
    if case .calendar(let trigger) = self { trigger.times.picked != nil } else { false }
  }
}

extension TimesSource {
  /// The picked times; nil if the times are not picked.
  var picked: PickedTimes? { if case .picked(let picked) = self { picked } else { nil } }

  /// The number that distinguishes the occurrences of one date in their keys.
  fileprivate enum KeyKind { case none, minute, position }

  fileprivate var keyKind: KeyKind {
    switch self {
    case .one: .none
    case .fixed, .setting, .spread: .minute
    case .picked: .position
    }
  }
}
