package import CivilTime
import Reminders

/// Computes the instant at which a failed attempt is repeated (rule D2). Standard Webhooks 1.0
/// defines the pauses.
package enum RetrySchedule {
  /// The pauses after the first failed attempt, after the second, and so on.
  private static let waits: [TimeSpan] = [
    .seconds(5), .minutes(5), .minutes(30), .hours(2), .hours(5), .hours(10), .hours(14),
    .hours(20), .hours(24),
  ]

  /// Returns the instant of the next attempt; nil after the last attempt of the schedule.
  ///
  /// - Parameters:
  ///   - attempts: the number of failed attempts, at least 1.
  ///   - requested: the pause that the sink requested, which can only lengthen the scheduled pause.
  ///   - notification: spreads the retries of many deliveries over a tenth of the pause, always in
  ///     the same way.
  package static func next(
    after attempts: Int, requested: TimeSpan?, notification: Int64, now: Instant
  ) -> Instant? {
    guard attempts >= 1, attempts <= waits.count else { return nil }
    let wait = max(waits[attempts - 1], requested ?? .zero)
    let share = mixed(UInt64(bitPattern: notification) &+ UInt64(attempts)) % 1000
    let jitter = wait.milliseconds / 10 * Int64(share) / 1000
    return now + wait + TimeSpan(milliseconds: jitter)
  }

  /// Returns the instant of the last attempt before the expiry if all attempts fail.
  package static func lastAttempt(from first: Instant, before expiry: Instant) -> Instant {
    var last = first
    for wait in waits {
      guard last + wait <= expiry else { break }
      last += wait
    }
    return last
  }

  /// The longest pause of a lane, after any number of outages.
  package static let longestPause = TimeSpan.minutes(1)

  /// Returns the upper limit of a lane's pause after an outage: 1 s, doubled at each further
  /// outage, at most 1 min.
  package static func pause(afterOutages count: Int) -> TimeSpan {
    min(longestPause, .seconds(1 << min(count - 1, 6)))
  }

  /// Returns a lane's pause: a random span from a tenth of a second to the limit. So lanes with the
  /// same service do not return to it together.
  ///
  /// - Parameter seed: the same seed gives the same pauses.
  package static func pause(afterOutages count: Int, seed: UInt64) -> TimeSpan {
    let maximum = UInt64(pause(afterOutages: count).milliseconds)
    let share = mixed(seed &+ UInt64(clamping: count)) % (maximum - 100 + 1)
    return TimeSpan(milliseconds: Int64(100 + share))
  }
}
