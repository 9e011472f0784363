package import CivilTime

/// The time of day of a `smart` reminder on a date, and the data from which it was chosen (rule
/// M3).
package struct SmartTime: Hashable, Sendable {
  /// An hour of the day with the number of notifications opened in it.
  package struct Hour: Hashable, Sendable {
    /// The beginning of the hour.
    package let time: LocalTime
    package let count: Int64
  }

  /// The number of days before the date on which opens count.
  package static let days = 28
  /// The minimum number of opens; with fewer, the declared time is used.
  package static let opensMin: Int64 = 5

  /// The time of day at which the reminder is planned.
  package let time: LocalTime
  /// The number of notifications opened on the last ``days`` days before the date.
  package let opens: Int64
  /// The hour with the most opens; nil if there are too few opens.
  package let favourite: Hour?
  /// The chosen hour; nil if the declared time is used.
  package let chosen: Hour?

  /// Chooses the hour with the most opens among the hours that are not quiet. If several hours have
  /// equally many, it chooses the nearest to the declared time, and the earlier of two equally
  /// near.
  ///
  /// - Parameter counts: the number of opened notifications in each hour of the day, from 0 to 23.
  package init(_ counts: [Int64], declared: LocalTime, isQuiet: (LocalTime) -> Bool) {
    opens = counts.reduce(0, +)
    guard opens >= Self.opensMin else {
      (time, favourite, chosen) = (declared, nil, nil)
      return
    }
    let hours = Self.ranked(counts, declared: declared)
    favourite = hours.first
    chosen = hours.first { !isQuiet($0.time) }
    time = chosen?.time ?? declared
  }

  /// Returns the hours with opens, the best first.
  private static func ranked(_ counts: [Int64], declared: LocalTime) -> [Hour] {
    let hours = counts.enumerated().compactMap { hour, count in
      count > 0 ? LocalTime(hour: hour, minute: 0).map { Hour(time: $0, count: count) } : nil
    }
    func distance(_ hour: Hour) -> Int { abs(hour.time.minuteOfDay - declared.minuteOfDay) }
    return hours.sorted {
      (-$0.count, distance($0), $0.time) < (-$1.count, distance($1), $1.time)
    }
  }

  /// A sentence about how the time was chosen.
  package var words: String {
    let span = "in \(Self.days) days"
    guard let favourite else {
      return "smart: opened \(opens) times \(span), \(Self.opensMin) are needed; "
        + "uses the declared \(time)"
    }
    let most = "smart: opened most at \(favourite.time), \(favourite.count) of \(opens) \(span)"
    guard let chosen else {
      return most + ", but all hours with opens are quiet; uses the declared \(time)"
    }
    guard chosen != favourite else { return most }
    return most + ", which is quiet; the next is \(chosen.time), \(chosen.count)"
  }
}
