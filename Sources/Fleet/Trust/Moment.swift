package import CivilTime

/// What the clocks of a node say at once.
package struct Moment: Hashable, Sendable {
  /// CLOCK_BOOTTIME: it goes on while the machine sleeps, and nobody sets it. All that is measured
  /// is measured by this.
  package let sinceBoot: TimeSpan
  /// The wall clock, of which only is of interest how wrong it is.
  package let wall: Instant

  package init(sinceBoot: TimeSpan, wall: Instant) {
    (self.sinceBoot, self.wall) = (sinceBoot, wall)
  }
}
