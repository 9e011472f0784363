package import CivilTime
package import Reminders

/// Runs the planning and the gates of the service on a virtual clock: no store, no sinks, no
/// network, and the same decisions (rule L1).
///
/// Recipients do not influence one another, so each is run on its own through one window of time
/// after another; the entries of a window are sorted and handed out, and memory stays bounded by
/// the recipients and one window.
package struct Simulation {
  private let planner: Planner
  private let until: Instant
  private var actors: [Actor]
  private let repetitions: [RefusedEvent]

  /// - Parameters:
  ///   - events: in any order; each is taken at its time, equal times in the order given.
  ///   - until: the last instant that is simulated.
  package init(planner: Planner, events: [Event], until: Instant) {
    self.planner = planner
    self.until = until
    let stamped = events.enumerated().map { Actor.StampedEvent(event: $1, order: Int64($0)) }
    let ordered = stamped.filter { $0.event.time <= until }.sorted { $0.stamp < $1.stamp }
    let sieve = EventSieve(ordered)
    repetitions = sieve.refused
    let told = sieve.taken.flatMap { stamped in
      [stamped] + stamped.event.copies.map { Actor.StampedEvent(event: $0, order: stamped.order) }
    }
    actors = Dictionary(grouping: told) { ExactText($0.event.recipient) }
      .map { Actor(name: $0.text, events: $1) }
      .sorted { $0.name < $1.name }
  }

  /// What was not taken in, by its time; what a recipient refuses is known when the run is over.
  package var refused: [RefusedEvent] {
    (repetitions + actors.flatMap(\.refused)).sorted { $0.event.time < $1.event.time }
  }

  /// Runs to the end and hands out the timeline window by window, in order.
  ///
  /// - Throws: what `emit` throws.
  package mutating func run(emit: ([TimelineEntry]) throws -> Void) throws {
    let window = TimeSpan.days(1)
    guard let start = actors.compactMap(\.nextTime).min() else { return }
    var end = start - .milliseconds(1)
    var entries: [TimelineEntry] = []
    while end < until {
      end = min(end + window, until)
      // The last window takes in its end: `until` is the last instant, not the first left out.
      let limit = end < until ? end : end + .milliseconds(1)
      for index in actors.indices {
        actors[index].run(to: limit, planner: planner, entries: &entries)
      }
      entries.sort(by: TimelineEntry.isBefore)
      let final = end < until ? actors.compactMap(\.oldestOpen).min() ?? limit : limit
      let count = entries.firstIndex { $0.at >= final } ?? entries.count
      try emit(Array(entries[..<count]))
      entries.removeFirst(count)
    }
  }
}
