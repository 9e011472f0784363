package import CivilTime

/// Finds the delivery that the service dies of among all in flight at its death, and quarantines it
/// (rule D9).
///
/// All deliveries in flight at a death are suspects. The next start dispatches them separately:
/// after one death in batches of the square root of the sink's window, after two individually. So
/// at the third death each sink has at most one suspect, even if the first death had 32,768, and
/// the others have been answered before. Suspects of two deaths are dispatched last, when the
/// service has lived for a while. So other deliveries proceed between two deaths, and a service
/// that is soon killed again and again for other reasons never dispatches these suspects. Any
/// answer clears a delivery.
package enum Suspicion {
  /// The number of deaths at which a delivery is quarantined.
  package static let deathsMax = 3

  /// How long a start waits before it dispatches the suspects of two deaths.
  private static let wait = TimeSpan.seconds(5)
  /// The pause between two of them, so that those of different sinks are not in flight together.
  private static let gap = TimeSpan.milliseconds(50)

  package static let reason = "the service died \(deathsMax) times while the delivery was in flight"

  /// How many deliveries may be dispatched together with one that was in flight at deaths.
  package static func batchMax(deaths: Int, window: Int) -> Int {
    switch deaths {
    case ...0: window
    case 1: max(1, Int(Double(window).squareRoot()))
    default: 1
    }
  }

  /// When an individual suspect may be dispatched; positions count from 0 over all sinks.
  package static func due(_ position: Int, start: Instant) -> Instant {
    start + wait + TimeSpan(milliseconds: gap.milliseconds * Int64(position))
  }
}
