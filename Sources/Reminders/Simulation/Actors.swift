import CivilTime

extension [Actor] {
  /// The number of actors that a thread runs at a time. It is large enough to limit overhead, and
  /// small enough to keep all cores busy until the end.
  private static let share = 128

  /// Runs all actors through all instants before `end`. Actors do not influence each other.
  ///
  /// - Returns: the entries of each share.
  mutating func run(
    to end: Instant, planner: Planner, by loop: Simulation.Loop
  ) -> [[TimelineEntry]] {
    let shares = (count + Self.share - 1) / Self.share
    var entries = [[TimelineEntry]](repeating: [], count: shares)
    withUnsafeMutableBufferPointer { actors in
      entries.withUnsafeMutableBufferPointer { entries in
        // Only one thread uses each share.
        nonisolated(unsafe) let (actors, entries) = (actors, entries)
        loop(shares) { share in
          let first = share * Self.share
          for index in first..<Swift.min(first + Self.share, actors.count) {
            actors[index].run(to: end, planner: planner, entries: &entries[share])
          }
        }
      }
    }
    return entries
  }

  /// Returns the earliest of the actors' instants, without copying an actor.
  func earliest(_ instant: (borrowing Actor) -> Instant?) -> Instant? {
    indices.reduce(nil) { first, index in
      guard let next = instant(self[index]) else { return first }
      return first.map { Swift.min($0, next) } ?? next
    }
  }
}
