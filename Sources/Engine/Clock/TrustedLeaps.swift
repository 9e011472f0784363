import CivilTime
import Store

/// The large forward jumps (leaps) of the wall clock that were trusted, newest last (rule T11). If
/// the clock is set back, the occurrences that expired because of a leap are decided again.
struct TrustedLeaps: Hashable, Sendable {
  struct Leap: Hashable, Sendable {
    /// The time of the last engine cycle before the leap.
    var origin: Instant
    /// The wall clock's time when the leap was trusted.
    var arrival: Instant
    /// How far the clock was ahead of the elapsed time.
    var lead: TimeSpan
    /// The newest notification recorded before the leap.
    var notification: Int64
  }

  /// The maximum number of leaps that are remembered. A clock that leaps more often is useless.
  private static let countMax = 8

  private(set) var leaps: [Leap] = []

  mutating func add(_ leap: Leap) {
    leaps.append(leap)
    if leaps.count > Self.countMax { leaps.removeFirst() }
  }

  /// Removes the leaps that a step back undoes. A step undoes a leap to a time after `now`, if the
  /// step is more than half as long as the leap. A smaller step is a correction of a clock that was
  /// otherwise right.
  ///
  /// - Parameter step: how far the clock was set back.
  /// - Returns: the undone leaps, with the instant from which occurrences are decided again.
  mutating func undo(by step: TimeSpan, to now: Instant) -> Rewind {
    var undone: [Leap] = []
    leaps.removeAll { leap in
      guard now < leap.arrival, step + step > leap.lead else { return false }
      undone.append(leap)
      return true
    }
    return Rewind(at: now, undoing: undone)
  }
}

extension TrustedLeaps {
  /// How long after its arrival a trusted leap still counts as doubtful. Retention computes the
  /// ages of data as if doubtful leaps were wrong, so it removes nothing too early.
  private static let probation = TimeSpan.days(7)

  /// Returns the age from which data may be removed. Ages are computed as if all doubtful leaps
  /// were wrong, because removed data cannot be restored.
  ///
  /// - Parameter span: the retention.
  func age(beyond span: TimeSpan, now: Instant) -> Age {
    Age(before: earliest(now) - span, now: now)
  }

  /// Returns what the current time would be if all doubtful leaps were wrong.
  private func earliest(_ now: Instant) -> Instant {
    leaps.filter { $0.arrival <= now && now - $0.arrival < Self.probation }
      .reduce(now) { $0 - $1.lead }
  }
}

/// The return of recipients to an earlier instant after the clock was set back: their occurrences
/// since then are decided again.
struct Rewind: Hashable, Sendable {
  /// A leap that was undone: when the clock was ahead, and by how much.
  private struct Lead: Hashable, Sendable {
    /// The wall clock's time when the leap was trusted.
    var arrival: Instant
    /// How far the clock was ahead.
    var span: TimeSpan
  }

  /// The wall clock's time directly after it was set back.
  private(set) var returnTime: Instant
  /// The instant from which occurrences are decided again.
  private(set) var instant: Instant
  /// The newest notification recorded before the undone leaps. Occurrences that were dropped after
  /// this notification were dropped because of the wrong clock. `Int64.max` if no leap was undone.
  private(set) var notification: Int64
  private var leads: [Lead]

  /// - Parameter leaps: the leaps that the step undoes; empty if it undoes none.
  init(at returnTime: Instant, undoing leaps: [TrustedLeaps.Leap] = []) {
    self.returnTime = returnTime
    instant = leaps.reduce(returnTime) { min($0, $1.origin) }
    notification = leaps.reduce(.max) { min($0, $1.notification) }
    leads = leaps.map { Lead(arrival: $0.arrival, span: $0.lead) }
  }

  /// Whether a leap was undone.
  var undoesLeap: Bool { notification < .max }

  /// Extends the rewind after the clock was set back again.
  mutating func add(_ other: Rewind) {
    returnTime = other.returnTime
    instant = min(instant, other.instant)
    notification = min(notification, other.notification)
    leads += other.leads
  }

  /// Converts a time by the wrong clock to the right clock; nil if the time is not after the return
  /// and so needs no correction.
  func corrected(_ time: Instant) -> Instant? {
    guard time > returnTime else { return nil }
    let lead = leads.filter { $0.arrival <= time }.reduce(TimeSpan.zero) { $0 + $1.span }
    return max(instant, min(time - lead, returnTime))
  }
}

// MARK: - Notes

extension TrustedLeaps {
  /// The text that is stored: four numbers for each leap.
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
  /// The text that is stored: three numbers, and two for each leap.
  var note: String {
    let numbers = [returnTime.milliseconds, instant.milliseconds, notification]
    return (numbers + leads.flatMap { [$0.arrival.milliseconds, $0.span.milliseconds] })
      .map(String.init).joined(separator: " ")
  }

  init?(note: String) {
    let numbers = note.split(separator: " ").compactMap { Int64($0) }
    guard numbers.count >= 3 else { return nil }
    returnTime = Instant(milliseconds: numbers[0])
    instant = Instant(milliseconds: numbers[1])
    notification = numbers[2]
    leads = stride(from: 3, to: numbers.count - 1, by: 2).map { index in
      Lead(
        arrival: Instant(milliseconds: numbers[index]),
        span: TimeSpan(milliseconds: numbers[index + 1]))
    }
  }
}
