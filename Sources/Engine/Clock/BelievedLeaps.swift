import CivilTime

/// The leaps ahead of the wall clock that were believed (rule T6), the latest last: should the
/// clock come back, what they let pass is opened again.
struct BelievedLeaps: Hashable, Sendable {
  struct Leap: Hashable, Sendable {
    /// When the engine did something last before it.
    var origin: Instant
    /// What the clock said when it was believed.
    var arrival: Instant
    /// By how much the clock was ahead of the time that had passed.
    var lead: TimeSpan
    /// The last notification that was recorded before it.
    var notification: Int64
  }

  /// How many are remembered: a clock that leaps more often says nothing of any time.
  private static let most = 8

  private(set) var leaps: [Leap] = []

  mutating func add(_ leap: Leap) {
    leaps.append(leap)
    if leaps.count > Self.most { leaps.removeFirst() }
  }

  /// Takes out the leaps that the clock takes back: from where they led to, by more than half of
  /// each. Less is a correction of a clock that was right about the rest.
  ///
  /// - Returns: to where everything is to be opened again.
  mutating func takeBack(from latest: Instant, to now: Instant) -> Rewind {
    let step = latest - now
    var rewind = Rewind(to: now)
    leaps.removeAll { leap in
      guard now < leap.arrival, step + step > leap.lead else { return false }
      rewind.add(Rewind(to: leap.origin, after: leap.notification))
      return true
    }
    return rewind
  }
}

/// To where a clock that was set back opens again what it had let pass.
struct Rewind: Hashable, Sendable {
  private(set) var instant: Instant
  /// What was dropped by later notifications than this one was dropped by the wrong clock.
  private(set) var notification: Int64

  init(to instant: Instant, after notification: Int64 = .max) {
    (self.instant, self.notification) = (instant, notification)
  }

  /// Whether a leap is taken back, and not only a step.
  var isOfLeap: Bool { notification < .max }

  mutating func add(_ other: Rewind) {
    instant = min(instant, other.instant)
    notification = min(notification, other.notification)
  }
}

// MARK: - Notes

extension BelievedLeaps {
  /// Four numbers for each leap.
  var note: String {
    leaps.flatMap {
      [$0.origin.milliseconds, $0.arrival.milliseconds, $0.lead.milliseconds, $0.notification]
    }.map(String.init).joined(separator: " ")
  }

  init(note: String) {
    var numbers = note.split(separator: " ").compactMap { Int64($0) }[...]
    while numbers.count >= 4 {
      let leap = Array(numbers.prefix(4))
      numbers = numbers.dropFirst(4)
      leaps.append(
        Leap(
          origin: Instant(milliseconds: leap[0]), arrival: Instant(milliseconds: leap[1]),
          lead: TimeSpan(milliseconds: leap[2]), notification: leap[3]))
    }
  }
}

extension Rewind {
  var note: String { "\(instant.milliseconds) \(notification)" }

  init?(note: String) {
    let numbers = note.split(separator: " ").compactMap { Int64($0) }
    guard numbers.count == 2 else { return nil }
    self.init(to: Instant(milliseconds: numbers[0]), after: numbers[1])
  }
}
