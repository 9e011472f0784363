package import CivilTime

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
