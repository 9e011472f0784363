import CivilTime
import JSON
import TestSupport

/// Hundreds of pending occurrences of one person (rule H6).
struct Burst {
  /// The events that plan the occurrences.
  enum Load: CaseIterable {
    /// Requests by an app, up to nearly the limit of 1,000 pending requests.
    case requests
    /// Bookings, which stay below the limit of 256 open entities.
    case visits
  }

  /// The distribution of the occurrences over the run.
  enum Spread: CaseIterable {
    /// The occurrences are due at random instants.
    case apart
    /// The occurrences are due at one instant.
    case together
    /// The occurrences are due at random instants, and those due in the first days are held until
    /// one instant.
    case held
  }

  let load: Load
  let spread: Spread
  /// The number of events, each of which plans an occurrence.
  let count: Int

  init(_ random: inout SplitMix64) {
    load = random.pick(Load.allCases)
    spread = random.pick(Spread.allCases)
    count = random.int(in: load == .requests ? 200..<900 : 100..<240)
  }
}

extension Diary {
  /// Adds the burst's events at three instants near the beginning.
  mutating func add(_ burst: Burst) throws {
    let name = names[0]
    if burst.spread == .held {
      let until = (start + .days(6)).description.prefix(10)
      try add(name, start + .hours(1), "vacation.started", ["until": .string(String(until))])
    }
    for number in 0..<burst.count {
      let time = start + .hours(2 + 3 * (number % 3))
      let at = burst.spread == .together ? start + .days(4) : self.time(afterDays: 2)
      switch burst.load {
      case .requests: try addRequest(name, time, at: at)
      case .visits: try addVisit(name, time, at: at + .days(1))
      }
    }
    sort()
  }

  private mutating func time(afterDays days: Int) -> Instant {
    let length = Int((until - start).milliseconds)
    return start + .milliseconds(random.int(in: min(days * 86_400_000, length / 2)..<length))
  }
}
