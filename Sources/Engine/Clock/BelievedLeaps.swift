import CivilTime
import Store

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
  /// - Parameter step: by how much the clock was set back.
  /// - Returns: to where everything is to be opened again.
  mutating func takeBack(by step: TimeSpan, to now: Instant) -> Rewind {
    var back: [Leap] = []
    leaps.removeAll { leap in
      guard now < leap.arrival, step + step > leap.lead else { return false }
      back.append(leap)
      return true
    }
    return Rewind(at: now, takingBack: back)
  }
}

extension BelievedLeaps {
  /// For how long a leap may turn out to have been wrong before what is old by it is removed.
  private static let probation = TimeSpan.days(7)

  /// What is old enough to be removed: what a wrong clock takes for old cannot be brought back.
  ///
  /// - Parameter span: for how long it is kept.
  func age(beyond span: TimeSpan, now: Instant) -> Age {
    Age(before: earliest(now) - span, now: now)
  }

  /// What time it is if none of the latest leaps was right.
  private func earliest(_ now: Instant) -> Instant {
    leaps.filter { $0.arrival <= now && now - $0.arrival < Self.probation }
      .reduce(now) { $0 - $1.lead }
  }
}

/// To where a clock that was set back opens again what it had let pass.
struct Rewind: Hashable, Sendable {
  /// From where on a clock was ahead, and by how much.
  private struct Lead: Hashable, Sendable {
    var arrival: Instant
    var span: TimeSpan
  }

  /// What the clock said when it was set back.
  private(set) var returned: Instant
  private(set) var instant: Instant
  /// What was dropped by later notifications than this one was dropped by the wrong clock.
  private(set) var notification: Int64
  private var leads: [Lead]

  /// - Parameter leaps: the leaps that the clock takes back; none if it is only a step.
  init(at returned: Instant, takingBack leaps: [BelievedLeaps.Leap] = []) {
    self.returned = returned
    instant = leaps.reduce(returned) { min($0, $1.origin) }
    notification = leaps.reduce(.max) { min($0, $1.notification) }
    leads = leaps.map { Lead(arrival: $0.arrival, span: $0.lead) }
  }

  /// Whether a leap is taken back, and not only a step.
  var isOfLeap: Bool { notification < .max }

  /// Goes back further, for a clock that is set back again.
  mutating func add(_ other: Rewind) {
    returned = other.returned
    instant = min(instant, other.instant)
    notification = min(notification, other.notification)
    leads += other.leads
  }

  /// What a time that the wrong clock gave is by the right one; nil for one that is past by both.
  func corrected(_ time: Instant) -> Instant? {
    guard time > returned else { return nil }
    let lead = leads.filter { $0.arrival <= time }.reduce(TimeSpan.zero) { $0 + $1.span }
    return max(instant, min(time - lead, returned))
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
  /// Three numbers, and two for each leap.
  var note: String {
    let own = [returned.milliseconds, instant.milliseconds, notification]
    return (own + leads.flatMap { [$0.arrival.milliseconds, $0.span.milliseconds] })
      .map(String.init).joined(separator: " ")
  }

  init?(note: String) {
    let numbers = note.split(separator: " ").compactMap { Int64($0) }
    guard numbers.count >= 3 else { return nil }
    returned = Instant(milliseconds: numbers[0])
    instant = Instant(milliseconds: numbers[1])
    notification = numbers[2]
    leads = stride(from: 3, to: numbers.count - 1, by: 2).map { place in
      Lead(
        arrival: Instant(milliseconds: numbers[place]),
        span: TimeSpan(milliseconds: numbers[place + 1]))
    }
  }
}
