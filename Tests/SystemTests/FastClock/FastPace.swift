import CivilTime

/// The speeds of a run: slower while something happens, faster while nothing does.
struct FastPace: CustomStringConvertible {
  /// The speed near an event or an outcome.
  ///
  /// The limit of lateness is a minute of the clock (rule T8), which is 120 ms of real time at 500
  /// times the speed.
  let busyRate: Int64
  /// The speed between events and outcomes.
  let idleRate: Int64

  var description: String { "\(busyRate) to \(idleRate) times real time" }

  /// The clock is slow from this span before an instant…
  private static let marginBefore = TimeSpan.minutes(1)
  /// … until this span after it.
  private static let marginAfter = TimeSpan.minutes(2)

  /// Returns the stretches of a run.
  ///
  /// - Parameter instants: the instants of all events and outcomes, in any order.
  func stretches(
    from start: Instant, through end: Instant, near instants: some Sequence<Instant>
  ) -> [FastClock.Stretch] {
    var stretches: [FastClock.Stretch] = []
    var instantReached = start
    for instant in instants.sorted() where instant + Self.marginAfter > instantReached {
      let begin = instant - Self.marginBefore
      if begin > instantReached { stretches.append(FastClock.Stretch(end: begin, rate: idleRate)) }
      instantReached = instant + Self.marginAfter
      if let last = stretches.last, last.rate == busyRate {
        stretches[stretches.count - 1].end = instantReached
      } else {
        stretches.append(FastClock.Stretch(end: instantReached, rate: busyRate))
      }
    }
    if end > instantReached { stretches.append(FastClock.Stretch(end: end, rate: idleRate)) }
    // The clock is slow again while the service ends.
    stretches.append(FastClock.Stretch(end: max(instantReached, end) + .hours(1), rate: busyRate))
    return stretches
  }
}
