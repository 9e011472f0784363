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
  package var until: Symbol?
  /// The event that interrupts it, and on which local date after it is taken up again.
  package var pause: Pause?
  /// Whether the time follows the recipient's habits (rule M3).
  package var isSmart = ToggleSource.fixed(false)
  /// From when on it runs, and which dates count; nil where all do.
  package var series: Series?

  package struct Pause: Sendable {
    package var event: Symbol
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
  package var cancelledBy: [Cancellation]
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

/// An event that takes back what another has announced.
package struct Cancellation: Hashable, Sendable {
  package let event: Symbol
  /// Whether it speaks of one thing alone: the one with the same identifier.
  package let isOfOne: Bool
  /// Whether it need not be the later of the two.
  package var isWhenever = false
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
  package var cancelledBy: [Cancellation]
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
