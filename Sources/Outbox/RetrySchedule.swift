package import CivilTime
import Reminders

/// When a failed attempt is repeated (rule D2; the waits are those of Standard Webhooks 1.0).
package enum RetrySchedule {
  private static let waits: [TimeSpan] = [
    .seconds(5), .minutes(5), .minutes(30), .hours(2), .hours(5), .hours(10), .hours(14),
    .hours(20), .hours(24),
  ]

  /// When to attempt again, or nil when it is time to give up.
  ///
  /// - Parameters:
  ///   - attempts: how many have failed, at least 1.
  ///   - wished: how long the sink asked to wait.
  ///   - notification: spreads the retries of many over a tenth of the wait, the same way each
  ///     time it is asked.
  package static func next(
    after attempts: Int, wished: TimeSpan?, notification: Int64, now: Instant
  ) -> Instant? {
    guard attempts >= 1, attempts <= waits.count else { return nil }
    let wait = max(waits[attempts - 1], wished ?? .zero)
    let share = mixed(UInt64(bitPattern: notification) &+ UInt64(attempts)) % 1000
    let jitter = wait.milliseconds / 10 * Int64(share) / 1000
    return now + wait + TimeSpan(milliseconds: jitter)
  }

  /// When the last attempt would be made that is in time, if all of them failed.
  package static func lastAttempt(from first: Instant, before expiry: Instant) -> Instant {
    var last = first
    for wait in waits {
      guard last + wait <= expiry else { break }
      last += wait
    }
    return last
  }

  /// How long a lane waits after its sink's outage at most, however many there were.
  package static let longestPause = TimeSpan.minutes(1)

  /// How long a lane waits after its sink's outage at most: 1 s, doubled each time, at most 1 min.
  package static func pause(afterOutages count: Int) -> TimeSpan {
    min(longestPause, .seconds(1 << min(count - 1, 6)))
  }

  /// How long it waits: anything up to that, so that many who lost the same peer do not come back
  /// together, but for a tenth of a second, which keeps the first pauses from being none.
  ///
  /// - Parameter seed: with the same seed the same pauses.
  package static func pause(afterOutages count: Int, seed: UInt64) -> TimeSpan {
    let most = UInt64(pause(afterOutages: count).milliseconds)
    let share = mixed(seed &+ UInt64(clamping: count)) % (most - 100 + 1)
    return TimeSpan(milliseconds: Int64(100 + share))
  }
}

/// How the delivery that the service dies of is found among all that were on their way when it
/// died, and set aside (rule D2).
///
/// Whatever was with a sink at a death is a suspect. At the next start the suspects go out on their
/// own: after one death by batches of the square root of the sink's window, after two each alone.
/// So the third death has one suspect for each sink at most, though the first had 32,768, and
/// whoever was merely near is answered for before. Suspects of two deaths go out last, when the
/// service has lived for a while: what else there is goes out between two deaths, and a service
/// that is killed again and again for other reasons never comes to them. An answer, of whatever
/// kind, clears a delivery.
package enum Suspicion {
  /// At so many deaths a delivery is set aside.
  package static let deathsMax = 3

  /// How long a start waits with the suspects of two deaths.
  private static let wait = TimeSpan.seconds(5)
  /// Between two of them, so that those of different sinks are not on their way together.
  private static let gap = TimeSpan.milliseconds(50)

  package static let reason = "the service died \(deathsMax) times while it was on its way"

  /// How many deliveries may be handed over together with one that has been there at deaths.
  package static func batchMax(deaths: Int, window: Int) -> Int {
    switch deaths {
    case ...0: window
    case 1: max(1, Int(Double(window).squareRoot()))
    default: 1
    }
  }

  /// When one of those that go out alone may do so, counted from 0 over all sinks.
  package static func due(_ position: Int, start: Instant) -> Instant {
    start + wait + TimeSpan(milliseconds: gap.milliseconds * Int64(position))
  }
}
