package import CivilTime

/// What makes a reminder's occurrences (rule G1).
package enum Trigger: Sendable {
  case calendar(CalendarTrigger)
  case after(AfterTrigger)
  case milestone(MilestoneTrigger)
  case items(ItemTrigger)
  case idle(IdleTrigger)
  /// What apps request in the reminder's category.
  case request
}

/// On chosen days at local times.
package struct CalendarTrigger: Sendable {
  package var times: TimesSource
  package var days: DaySelection
  /// The event that ends it for good.
  package var until: EventCondition?
  /// The event that interrupts it, and on which local date after it is taken up again.
  package var pause: Pause?
  /// Whether the time follows the recipient's habits (rule M3).
  package var isSmart = ToggleSource.fixed(false)
  /// From when on it runs, and which dates count; nil where all do.
  package var series: Series?

  package struct Pause: Sendable {
    package var event: EventCondition
    package var days: Int
  }
}

/// Once after the latest event that counts.
package struct AfterTrigger: Sendable {
  package var event: Symbol
  /// Only an event whose number is higher than any before counts.
  package var onlyHighest: Bool
  package var delay: Delay
  /// Ends when the highest number is no longer below this.
  package var below: Int64?
  /// Events that cancel it when they are later than its own.
  package var cancelledBy: [EventCondition]
  /// The events that count; nil if all do.
  var match: EventSelection?
}

/// How long after an event.
package enum Delay: Sendable {
  /// So much elapsed time later, whatever the clocks do (rule T3).
  case elapsed(SpanSource)
  /// At a local time on the local date after the event's.
  case nextDate(TimeSource)
  /// The first time after the event that clocks show a local time.
  case nextTime(TimeSource)
  /// At a local time so many local dates after the event's.
  case dates(CountsSource, TimeSource)
}

/// Once for each streak when it has lasted so many days, whether reported or foreseen (rule I4).
package struct MilestoneTrigger: Sendable {
  package var days: Int64
  /// The event that reports it, and how long after the report it goes out.
  package var reportedBy: Symbol
  package var delay: TimeSpan
  /// The events that start a streak.
  package var since: [Symbol]
  /// The event that puts off what a streak foresees, and by how much.
  package var freeze: Freeze?

  package struct Freeze: Sendable {
    package var event: Symbol
    package var span: SpanSource
  }
}

/// For each thing that an event speaks of.
package struct ItemTrigger: Sendable {
  package var event: Symbol
  package var timing: Timing
  /// Events that cancel it when they are later than its own.
  package var cancelledBy: [EventCondition]
  /// Whether what its timing has before an instant comes as long after it.
  package var isPast = false

  package enum Timing: Sendable {
    /// So long after the event.
    case after(Delay)
    /// So many hours of elapsed time before an instant that the event carries, one or several.
    case hoursBefore(field: Symbol, CountsSource)
    /// The same for spans of elapsed time.
    case spansBefore(field: Symbol, [SpanSource])
    /// At a local time so many local dates before that of an instant that the event carries.
    case datesBefore(field: Symbol, CountsSource, TimeSource)
  }
}

/// Once when none of some events has happened for so many days or hours (rule T3).
package struct IdleTrigger: Sendable {
  package var events: [Symbol]
  package var count: CountsSource
  /// A day or an hour.
  package var unit: TimeSpan
  /// The rung of the ladder: so many times the days.
  package var factor: Int64
}

/// The dates on which a calendar reminder goes out.
package enum DaySelection: Sendable {
  case week(DaysSource)
  case month(MonthDays)
  case year(YearDays)

  package func dates(_ settings: Settings) -> ChosenDates {
    switch self {
    // A value stored when the parameter was of another kind may have other bits.
    case .week(let source): .week(source.bits(settings) & 0b111_1111)
    case .month(let days): .month(days)
    case .year(let days): .year(days)
    }
  }
}

/// The same with the recipient's settings looked up.
package enum ChosenDates: Sendable {
  case week(Int64)
  case month(MonthDays)
  case year(YearDays)

  package var isEmpty: Bool {
    switch self {
    case .week(let bits): bits == 0
    case .month(let days): days.isEmpty
    case .year(let days): days.isEmpty
    }
  }

  package func contains(_ date: LocalDate) -> Bool {
    switch self {
    case .week(let bits): bits & date.weekday.bit != 0
    case .month(let days): days.contains(date)
    case .year(let days): days.contains(date)
    }
  }
}

/// Days of the month from 1 to 31, and the last one; and days of the week by their place in the
/// month. A day that a month does not have is its last.
package struct MonthDays: Hashable, Sendable {
  /// The places that a day of the week may have in a month.
  package static let ordinals = ["first", "second", "third", "fourth", "last"]
  private static let last = 32
  private var bits: UInt64 = 0
  /// Seven bits for each of the ordinals.
  private var weekdays: UInt64 = 0

  package init() {}

  package var isEmpty: Bool { bits == 0 && weekdays == 0 }

  package mutating func insert(day: Int) {
    bits |= 1 << UInt64(day & 31)
  }

  package mutating func insertLast() {
    bits |= 1 << UInt64(Self.last)
  }

  /// - Parameter ordinal: the place of a word among the ordinals.
  package mutating func insert(_ weekday: Weekday, ordinal: Int) {
    weekdays |= UInt64(weekday.bit) << UInt64(7 * ordinal)
  }

  package func contains(_ date: LocalDate) -> Bool {
    if weekdays != 0, containsWeekday(of: date) { return true }
    guard bits != 0 else { return false }
    if bits >> UInt64(date.day) & 1 == 1 { return true }
    return (date + 1).day == 1 && bits >> UInt64(date.day) != 0
  }

  private func containsWeekday(of date: LocalDate) -> Bool {
    let bit = UInt64(date.weekday.bit)
    let place = (date.day - 1) / 7
    if place < 4, weekdays >> UInt64(7 * place) & bit != 0 { return true }
    return weekdays >> UInt64(7 * 4) & bit != 0 && (date + 7).month != date.month
  }
}

/// Days of the year; 29 February is 28 February in a year that does not have it.
package struct YearDays: Hashable, Sendable {
  /// A bit for each day of each month.
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

/// What a reminder's messages are about, of which a person chooses some.
package struct Topics: Hashable, Sendable {
  /// The setting of the choice.
  package let setting: Int
  /// What there is to choose from.
  package let words: [String]

  /// The topics that a person has chosen, a bit for each.
  package func chosen(_ settings: Settings) -> Int64 {
    settings[setting] & (1 << Int64(words.count) - 1)
  }
}

extension Reminder {
  /// The indices of the messages about some topics.
  func messages(about topics: Int64) -> [UInt8] {
    messages.indices.filter { messages[$0].topic.map { $0 & topics != 0 } ?? true }
      .map { UInt8(truncatingIfNeeded: $0) }
  }
}

extension Trigger {
  /// Whether the occurrences of both triggers have the same keys.
  func hasKeys(of other: Trigger) -> Bool {
    switch (self, other) {
    case (.calendar(let one), .calendar(let two)): one.times.isOne == two.times.isOne
    case (.after(let one), .after(let two)): one.event == two.event
    case (.items(let one), .items(let two)): one.event == two.event
    default: false
    }
  }
}

extension TimesSource {
  fileprivate var isOne: Bool { if case .one = self { true } else { false } }
}
