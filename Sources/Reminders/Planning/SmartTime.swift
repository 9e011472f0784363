package import CivilTime

/// The time of day at which a `smart` reminder goes out on a date, and how it was chosen (rule M3).
package struct SmartTime: Hashable, Sendable {
  /// An hour of the day, and how often notifications were opened in it.
  package struct Hour: Hashable, Sendable {
    package let time: LocalTime
    package let count: Int64
  }

  /// How many days before the date count.
  package static let days = 28
  /// How many opens must be known before they are gone by.
  package static let leastOpens: Int64 = 5

  package let time: LocalTime
  /// How often notifications were opened in those days.
  package let opens: Int64
  /// The hour opened most; nil while too few opens are known.
  package let favourite: Hour?
  /// The one that it goes by; nil where it goes by the declared time.
  package let chosen: Hour?

  /// Chooses the hour with the most opens that is not quiet. Of several it is the one nearest to
  /// the declared time, and of two as near the earlier.
  ///
  /// - Parameter counts: how often notifications were opened in each hour of the day.
  package init(_ counts: [Int64], declared: LocalTime, isQuiet: (LocalTime) -> Bool) {
    opens = counts.reduce(0, +)
    guard opens >= Self.leastOpens else {
      (time, favourite, chosen) = (declared, nil, nil)
      return
    }
    let hours = Self.ranked(counts, declared: declared)
    favourite = hours.first
    chosen = hours.first { !isQuiet($0.time) }
    time = chosen?.time ?? declared
  }

  private static func ranked(_ counts: [Int64], declared: LocalTime) -> [Hour] {
    let hours = counts.enumerated().compactMap { hour, count in
      count > 0 ? LocalTime(hour: hour, minute: 0).map { Hour(time: $0, count: count) } : nil
    }
    func distance(_ hour: Hour) -> Int { abs(hour.time.minuteOfDay - declared.minuteOfDay) }
    return hours.sorted {
      (-$0.count, distance($0), $0.time) < (-$1.count, distance($1), $1.time)
    }
  }

  /// How it was chosen, in a sentence.
  package var words: String {
    let span = "in \(Self.days) days"
    guard let favourite else {
      return "smart: opened \(opens) times \(span), of the \(Self.leastOpens) that are needed; "
        + "goes by the declared \(time)"
    }
    let most = "smart: opened most at \(favourite.time), \(favourite.count) of \(opens) \(span)"
    guard let chosen else {
      return most + ", but every hour of them is quiet; goes by the declared \(time)"
    }
    guard chosen != favourite else { return most }
    return most + ", which is quiet; of the others most at \(chosen.time), \(chosen.count)"
  }
}
