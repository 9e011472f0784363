package import CivilTime

/// A local time that is fixed by the catalog or set by the recipient.
package enum TimeSource: Hashable, Sendable {
  case fixed(LocalTime)
  /// The index of a setting with a time.
  case setting(Int)

  package func time(_ settings: Settings) -> LocalTime {
    switch self {
    case .fixed(let time): time
    case .setting(let index): settings.time(index)
    }
  }
}

/// The times of day of a reminder.
package enum TimesSource: Sendable {
  case one(TimeSource)
  /// Several times, as the code of a `NumberList` of minutes.
  case fixed(Int64)
  /// The index of a setting with several times, as the code of a `NumberList` of minutes.
  case setting(Int)
  /// A number of times, spread evenly between two times of day.
  case spread(CountsSource, from: TimeSource, to: TimeSource)
  /// Times that differ from date to date.
  case picked(PickedTimes)

  /// Returns the times of day as minutes since midnight, ascending and distinct; none if they
  /// differ from date to date.
  package func minutes(_ settings: Settings) -> [Int] {
    switch self {
    case .one(let time): [time.time(settings).minuteOfDay]
    case .fixed(let code): Self.sorted(NumberList(code: code).numbers)
    case .setting(let index): Self.sorted(NumberList(code: settings[index]).numbers)
    case .spread(let count, let start, let end):
      Self.spread(
        Int(clamping: count.numbers(settings).first ?? 0), start.time(settings).minuteOfDay,
        end.time(settings).minuteOfDay)
    case .picked: []
    }
  }

  /// Returns whether each selected date has a time.
  func hasTimes(_ settings: Settings) -> Bool {
    guard case .picked(let picked) = self else { return !minutes(settings).isEmpty }
    return picked.wantedCount(settings) > 0
  }

  /// The maximum number of times in a day. More than one an hour would not be useful.
  private static let spreadMax = 24

  /// Returns the `count` minutes, at most `spreadMax`, that divide the time between two minutes of
  /// the day into equal parts. The two minutes are not among them.
  private static func spread(_ count: Int, _ one: Int, _ other: Int) -> [Int] {
    let count = min(max(count, 0), spreadMax)
    let (start, length) = (min(one, other), abs(other - one))
    return sorted((0..<count).map { start + length * ($0 + 1) / (count + 1) })
  }

  private static func sorted(_ minutes: [Int]) -> [Int] {
    Set(minutes.filter((0..<1_440).contains)).sorted()
  }
}

/// Days of the week that are fixed by the catalog or set by the recipient, as bits of
/// `Weekday.bit`.
package enum DaysSource: Sendable {
  case fixed(Int64)
  /// The index of a setting with days of the week.
  case setting(Int)

  package func bits(_ settings: Settings) -> Int64 {
    switch self {
    case .fixed(let bits): bits
    case .setting(let index): settings[index]
    }
  }
}

/// A Boolean that is fixed by the catalog or set by the recipient.
package enum ToggleSource: Sendable {
  case fixed(Bool)
  /// The index of a switch.
  case setting(Int)

  package func isOn(_ settings: Settings) -> Bool {
    switch self {
    case .fixed(let isOn): isOn
    case .setting(let index): settings.isOn(index)
    }
  }
}

/// Whole numbers that are fixed by the catalog or set by the recipient.
package enum CountsSource: Hashable, Sendable {
  case fixed([Int64])
  /// The index of a setting with one number.
  case count(Int)
  /// The index of a setting with several numbers, as the code of a `NumberList`.
  case counts(Int)

  /// Returns the numbers, ascending and distinct.
  package func numbers(_ settings: Settings) -> [Int64] {
    switch self {
    case .fixed(let numbers): Set(numbers).sorted()
    case .count(let index): [settings[index]]
    case .counts(let index):
      Set(NumberList(code: settings[index]).numbers.map(Int64.init)).sorted()
    }
  }
}
