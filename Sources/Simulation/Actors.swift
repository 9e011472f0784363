import CivilTime
import Reminders

extension [Actor] {
  /// How many are run by one thread at a time: enough that it counts, few enough that all cores
  /// have something to do until the end.
  private static let share = 128

  /// Runs everyone through everything before `end`; nobody influences another.
  ///
  /// - Returns: what comes of it, by actor.
  mutating func run(
    to end: Instant, planner: Planner, by loop: Simulation.Loop
  ) -> [[TimelineEntry]] {
    let shares = (count + Self.share - 1) / Self.share
    var entries = [[TimelineEntry]](repeating: [], count: shares)
    withUnsafeMutableBufferPointer { actors in
      entries.withUnsafeMutableBufferPointer { entries in
        // Each share is one thread's alone.
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

  /// The first of what each has one of at most; no actor is copied for it.
  func earliest(_ instant: (borrowing Actor) -> Instant?) -> Instant? {
    indices.reduce(nil) { first, index in
      guard let next = instant(self[index]) else { return first }
      return first.map { Swift.min($0, next) } ?? next
    }
  }
}
