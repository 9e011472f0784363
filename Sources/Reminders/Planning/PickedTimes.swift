import CivilTime

/// Times that are picked at random in a window of each local date (rule G25).
package struct PickedTimes: Hashable, Sendable {
  /// The reminder whose name the picks follow. A repetition has the picks of the reminder that it
  /// repeats.
  let reminder: Symbol
  let start: TimeSource
  let end: TimeSource
  /// The number of times on a date.
  package let count: CountsSource
  /// The minimum distance between two times of a date, in minutes.
  let apart: Int

  /// The maximum number of times on a date.
  static let countMax = 24

  /// Returns the first and the last time of the window. If the end of the window is not after the
  /// start, the window ends with the date.
  func window(_ settings: Settings) -> (start: LocalTime, end: LocalTime) {
    let (start, end) = (start.time(settings), end.time(settings))
    return (start, end > start ? end : LocalTime(minuteOfDay: 1_439) ?? end)
  }

  /// Returns the wanted number of times on a date, from 0 to `countMax`.
  func wantedCount(_ settings: Settings) -> Int {
    min(max(Int(clamping: count.numbers(settings).first ?? 0), 0), Self.countMax)
  }

  /// Returns how many times, at most `wanted`, a window of so many minutes can hold.
  func fittingCount(_ wanted: Int, in length: Int) -> Int {
    min(wanted, max(length, 0) / apart + 1)
  }

  /// Returns distinct minutes from 0 to `length`, ascending, of which any two are at least `apart`
  /// minutes apart. Each possible choice has the same probability.
  ///
  /// - Parameters:
  ///   - count: the number of minutes, at most the result of `fittingCount`.
  ///   - seed: the number that determines the choice.
  func pick(_ count: Int, in length: Int, seed: UInt64) -> [Int] {
    // Each choice corresponds to a set of `count` numbers below `numberCount`: its minutes without
    // the required distances.
    let numberCount = max(length, 0) - (count - 1) * (apart - 1) + 1
    let numbers = Self.numbers(count, below: numberCount, seed: seed)
    return numbers.enumerated().map { index, number in number + index * (apart - 1) }
  }

  /// Returns a set of `count` numbers from 0 to `limit` - 1, ascending, by Floyd's algorithm: each
  /// set has the same probability.
  private static func numbers(_ count: Int, below limit: Int, seed: UInt64) -> [Int] {
    var numbers: [Int] = []
    for last in max(limit - count, 0)..<max(limit, 0) {
      let bits = mixed(seed &+ UInt64(last))
      let number = Int(bits.multipliedFullWidth(by: UInt64(last + 1)).high)
      numbers.append(numbers.contains(number) ? last : number)
    }
    return numbers.sorted()
  }
}

/// A picked time that has become due.
struct DuePick: Sendable {
  /// The key of the pick's occurrence.
  let key: Int64
  /// The local time at which the pick was due. A local time keeps the distances of a date in a new
  /// zone.
  let time: LocalTime

  var date: LocalDate { LocalDate(daysSinceEpoch: Int(key / 1_440)) }
  /// The position of the pick on its date, from 0.
  var number: Int { Int(key % 1_440) }
}

extension PlanningContext {
  /// Returns the picked instants of a local date, ascending. They follow from the recipient, the
  /// reminder, the date and the window. The window is measured in elapsed time, so a change of
  /// clocks lengthens or shortens it.
  func picks(_ picked: PickedTimes, on date: LocalDate) -> [Instant] {
    let window = picked.window(settings)
    let start = zone.instant(of: date, at: window.start)
    let span = zone.instant(of: date, at: window.end) - start
    let length = Int(span.milliseconds / TimeSpan.minutes(1).milliseconds)
    let count = picked.fittingCount(picked.wantedCount(settings), in: length)
    guard count > 0 else { return [] }
    let number = UInt64(UInt32(bitPattern: date.daysSinceEpoch))
    let seed = mixed(facts.seed.bits ^ mixed(UInt64(picked.reminder.code) << 32 | number))
    return picked.pick(count, in: length, seed: seed).map { start + .minutes($0) }
  }

  /// Returns whether a pick is far enough from the latest pick of its date that has become due.
  /// After a change of settings, the two may be too near (rule G25).
  func isApart(
    _ pick: Instant, number: Int, on date: LocalDate, _ picked: PickedTimes, from latest: DuePick?
  ) -> Bool {
    guard let latest, latest.date == date, number > latest.number else { return true }
    return pick - zone.instant(of: date, at: latest.time) >= .minutes(picked.apart)
  }

  /// Returns the latest pick that is finished or has become due; nil if none is remembered.
  func latestPick(_ picked: PickedTimes, _ progress: Progress) -> DuePick? {
    var latest = progress.finished(picked.reminder).flatMap { finished in
      finished.pickedTime.map { DuePick(key: finished.key, time: $0) }
    }
    for entry in progress.inProgress
    where entry.reminder == picked.reminder && progress.hasBecomeDue(entry) {
      let pick = DuePick(key: entry.key, time: zone.local(at: entry.unsnoozedInstant).time)
      if latest.map({ $0.key < pick.key }) ?? true { latest = pick }
    }
    return latest
  }

  /// Returns the local time of a picked occurrence; nil for other occurrences.
  func pickedTime(of entry: Progress.InProgress, _ reminder: Reminder) -> LocalTime? {
    reminder.trigger.isPicked ? zone.local(at: entry.unsnoozedInstant).time : nil
  }

  /// Returns a clause about the window from which an occurrence's time was picked. If a change of
  /// settings has left the date with too few times, the clause reports only that change.
  ///
  /// - Parameter number: the position of the time on its date, from 0.
  func pickWords(_ picked: PickedTimes, on date: LocalDate, number: Int) -> String {
    let window = picked.window(settings)
    let (count, wanted) = (picks(picked, on: date).count, picked.wantedCount(settings))
    guard number < count else { return "picked at random before a setting changed" }
    let missing = count < wanted ? ", which has no room for \(wanted)" : ""
    return "picked at random between \(window.start) and \(window.end)\(missing), "
      + "\(number + 1) of \(count), at least \(TimeSpan.minutes(picked.apart)) apart"
  }
}
