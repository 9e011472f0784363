import CivilTime

/// The speeds of a run: slower while something happens, faster while nothing does.
struct FastPace: CustomStringConvertible {
  /// The speed near an event or an outcome.
  ///
  /// The limit of lateness is a minute of the clock (rule T8), which is 120 ms of real time at 500
  /// times the speed.
  let busy: Int64
  /// The speed between events and outcomes.
  let idle: Int64

  var description: String { "\(busy) to \(idle) times its speed" }

  private static let before = TimeSpan.minutes(1)
  private static let after = TimeSpan.minutes(2)

  /// Returns the stretches of a run.
  ///
  /// - Parameter instants: the instants of all events and outcomes, in any order.
  func stretches(
    from start: Instant, through end: Instant, near instants: some Sequence<Instant>
  ) -> [FastClock.Stretch] {
    var stretches: [FastClock.Stretch] = []
    var instantReached = start
    for instant in instants.sorted() where instant + Self.after > instantReached {
      let begin = instant - Self.before
      if begin > instantReached { stretches.append(FastClock.Stretch(end: begin, rate: idle)) }
      instantReached = instant + Self.after
      if let last = stretches.last, last.rate == busy {
        stretches[stretches.count - 1].end = instantReached
      } else {
        stretches.append(FastClock.Stretch(end: instantReached, rate: busy))
      }
    }
    if end > instantReached { stretches.append(FastClock.Stretch(end: end, rate: idle)) }
    // Slow again, while the service ends.
    stretches.append(FastClock.Stretch(end: max(instantReached, end) + .hours(1), rate: busy))
    return stretches
  }
}
