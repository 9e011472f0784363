package import CivilTime

/// Finds the delivery that makes the service crash, among all deliveries in flight at its crashes,
/// and quarantines it (rule D9).
///
/// All deliveries in flight at a crash are suspects until they are answered. The next start
/// dispatches suspects separately. Suspects of one crash are in batches of the square root of the
/// sink's window; suspects of two crashes are alone. So at the third crash each sink has at most
/// one suspect in flight, even if it had 32,768 at the first crash.
///
/// Suspects of two crashes are dispatched last, when the service has run for a while. So other
/// deliveries proceed between two crashes. A service that is killed again and again soon after its
/// start, for other reasons, never dispatches these suspects.
package enum Suspicion {
  /// The number of crashes at which a delivery is quarantined.
  package static let deathsMax = 3

  /// The time from a start until it dispatches the suspects of two crashes.
  private static let wait = TimeSpan.seconds(5)
  /// The pause between two of these suspects, so that suspects of different sinks are not in flight
  /// together.
  private static let gap = TimeSpan.milliseconds(50)

  /// The reason of a quarantined delivery, for operators.
  package static let reason = "the service died \(deathsMax) times while the delivery was in flight"

  /// Returns the maximum number of deliveries in a batch with a suspect of `deaths` crashes.
  ///
  /// - Parameter window: the sink's maximum for other batches.
  package static func batchMax(deaths: Int, window: Int) -> Int {
    switch deaths {
    case ...0: window
    case 1: max(1, Int(Double(window).squareRoot()))
    default: 1
    }
  }

  /// Returns when an individual suspect may be dispatched. Its position counts from 0 over all
  /// sinks.
  package static func due(_ position: Int, start: Instant) -> Instant {
    start + wait + TimeSpan(milliseconds: gap.milliseconds * Int64(position))
  }
}
