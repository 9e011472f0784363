package import CivilTime
package import Reminders

/// Runs the planning and the gates of the service on a virtual clock: no store, no sinks, no
/// network, and the same decisions (rule L1).
///
/// Recipients do not influence one another, so each is run on its own through one window of time
/// after another; the entries of a window are sorted and handed out, and memory stays bounded by
/// the recipients and one window.
package struct Simulation {
  /// Calls something with each number below a count and returns when all of that has returned;
  /// in any order, and from as many threads as it likes.
  package typealias Loop = (_ count: Int, _ body: @Sendable (Int) -> Void) -> Void

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
    let told = Self.withCopies(sieve.taken, planner.catalog)
    actors = Dictionary(grouping: told) { ExactText($0.event.recipient) }
      .sorted { Self.isBefore($0.key, $1.key) }
      .enumerated().map { Actor(name: $1.key.text, place: $0, events: $1.value) }
  }

  /// The events with what others are told of them (rule G5).
  private static func withCopies(
    _ events: [Actor.StampedEvent], _ catalog: Catalog
  ) -> [Actor.StampedEvent] {
    var reports: [ExactText: LatestReports] = [:]
    return events.flatMap { stamped in
      let (event, name) = (stamped.event, ExactText(stamped.event.recipient))
      var copies = event.copies
      if case .erasure = event.content { reports[name] = nil }
      if catalog.mayWithdraw(event) {
        copies += catalog.withdrawals(by: event, after: reports[name]?[event])
        reports[name, default: LatestReports()].note(event, order: stamped.order)
      }
      return [stamped] + copies.map { Actor.StampedEvent(event: $0, order: stamped.order) }
    }
  }

  /// Names in the order of text; of two that are the same there and are written in other bytes, in
  /// that of their bytes.
  private static func isBefore(_ name: ExactText, _ other: ExactText) -> Bool {
    name.text == other.text ? name < other : name.text < other.text
  }

  /// What was not taken in, by its time; what a recipient refuses is known when the run is over.
  package var refused: [RefusedEvent] {
    (repetitions + actors.flatMap(\.refused)).sorted { $0.event.time < $1.event.time }
  }

  /// Runs to the end and hands out the timeline window by window, in order.
  ///
  /// - Parameter loop: by which recipients are run, a hundred or so at a time; what is handed out
  ///   does not depend on it.
  /// - Throws: what `emit` throws, and `UnfinishedPlan` if a recipient's planning does not end.
  package mutating func run(
    by loop: Loop = { count, body in (0..<count).forEach(body) },
    emit: ([TimelineEntry]) throws -> Void
  ) throws {
    guard let start = actors.earliest({ $0.nextTime }) else { return }
    var window = Window(start: start)
    var entries: [TimelineEntry] = []
    while window.end < until {
      window.advance(until: until)
      // The last window takes in its end: `until` is the last instant, not the first left out.
      let limit = window.end < until ? window.end : window.end + .milliseconds(1)
      let added = actors.run(to: limit, planner: planner, by: loop)
      if let unfinished = actors.lazy.compactMap(\.unfinished).first { throw unfinished }
      window.adapt(to: added.reduce(0) { $0 + $1.count })
      for share in added { entries += share }
      entries = entries.inOrder()
      let final = window.end < until ? actors.earliest({ $0.oldestOpen }) ?? limit : limit
      let rest = entries.firstIndex { $0.at >= final }.map { Array(entries[$0...]) } ?? []
      entries.removeLast(rest.count)
      try emit(entries)
      entries = rest
    }
  }
}

/// How far everyone is run before it is somebody else's turn: as far as memory allows, for each
/// turn has to fetch the recipient's facts anew.
private struct Window {
  private(set) var end: Instant
  private var days = 1

  /// Between how many entries a window holds, if it can.
  private static let wanted = 8_192...65_536

  init(start: Instant) {
    end = start - .milliseconds(1)
  }

  mutating func advance(until: Instant) {
    end = min(end + .days(days), until)
  }

  mutating func adapt(to count: Int) {
    if count < Self.wanted.lowerBound { days = min(days * 2, 64) }
    if count > Self.wanted.upperBound { days = max(days / 2, 1) }
  }
}
