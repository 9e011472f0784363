package import CivilTime

/// A declared rule that plans notifications for a recipient. A class, so that going through a
/// catalog's reminders for each of a herd copies nothing.
package final class Reminder: Sendable {
  /// Its stable identifier, such as `daily-checkin-reminder`.
  package let identifier: String
  package let symbol: Symbol
  /// The index of its category in the catalog.
  package let category: Int
  /// The setting that switches its group on and off.
  package let isEnabled: Int
  package let trigger: Trigger
  /// How long after its planned instant it may still go out (rule T7).
  package let expires: TimeSpan
  package let messages: [Message]
  /// Whether it happens again and again: of several missed occurrences only the latest goes out.
  package let isRepeating: Bool

  /// Whether no two of its occurrences are planned for the same instant, or pending at once.
  var isSingleAtAnInstant: Bool {
    if case .request = trigger { false } else { true }
  }

  package convenience init(
    identifier: String, category: Int, isEnabled: Int, trigger: Trigger, expires: TimeSpan,
    messages: [Message]
  ) {
    self.init(
      identifier: identifier, symbol: Symbol(identifier), category: category,
      isEnabled: isEnabled, trigger: trigger, expires: expires, messages: messages)
  }

  /// What apps request to be said in a category.
  convenience init(requestedIn category: Category, index: Int) {
    self.init(
      identifier: Self.requested, symbol: Symbol("\(Self.requested) \(category.name)"),
      category: index, isEnabled: BuiltInSetting.master.rawValue, trigger: .request,
      expires: .days(1), messages: [])
  }

  /// What everything that apps request is called in timelines.
  package static let requested = "notification.requested"

  private init(
    identifier: String, symbol: Symbol, category: Int, isEnabled: Int, trigger: Trigger,
    expires: TimeSpan, messages: [Message]
  ) {
    self.identifier = identifier
    self.symbol = symbol
    self.category = category
    self.isEnabled = isEnabled
    self.trigger = trigger
    self.expires = expires
    self.messages = messages
    isRepeating = if case .calendar = trigger { true } else { false }
  }
}

/// What makes a reminder's occurrences.
package enum Trigger: Sendable {
  case calendar(CalendarTrigger)
  case after(AfterTrigger)
  case milestone(MilestoneTrigger)
  /// What apps request in the reminder's category.
  case request
}

/// On chosen days at a local time.
package struct CalendarTrigger: Sendable {
  package var time: TimeSource
  package var days: DaysSource
  /// The event that ends it for good.
  package var until: Symbol?
  /// The event that interrupts it, and on which local date after it is taken up again.
  package var pause: Pause?

  package struct Pause: Sendable {
    package var event: Symbol
    package var days: Int
  }
}

/// Once after an event.
package struct AfterTrigger: Sendable {
  package var event: Symbol
  /// Only an event whose number is higher than any before counts.
  package var onlyHighest: Bool
  package var delay: Delay
  /// Ends when the highest number is no longer below this.
  package var below: Int64?
  /// Events that cancel it when they are later than its own.
  package var cancelledBy: [Symbol]

  package enum Delay: Sendable {
    /// So much elapsed time later, whatever the clocks do (rule T3).
    case elapsed(TimeSpan)
    /// At a local time on the local date after the event's.
    case nextDate(TimeSource)
  }
}

/// Once for each streak when it has lasted so many days, whether reported or foreseen (rule I4).
package struct MilestoneTrigger: Sendable {
  package var days: Int64
  /// The event that reports it, and how long after the report it goes out.
  package var reportedBy: Symbol
  package var delay: TimeSpan
  /// The events that start a streak.
  package var since: [Symbol]
}

/// A local time that a catalog fixes or a person sets.
package enum TimeSource: Sendable {
  case fixed(LocalTime)
  case setting(Int)

  package func time(_ settings: Settings) -> LocalTime {
    switch self {
    case .fixed(let time): time
    case .setting(let index): settings.time(index)
    }
  }
}

/// Days of the week that a catalog fixes or a person sets, as bits of `Weekday.bit`.
package enum DaysSource: Sendable {
  case fixed(Int64)
  case setting(Int)

  package func bits(_ settings: Settings) -> Int64 {
    switch self {
    case .fixed(let bits): bits
    case .setting(let index): settings[index]
    }
  }
}
