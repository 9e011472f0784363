package import CivilTime

/// Runs the planning and the gates of the service on a virtual clock, without a store, sinks or
/// network. The decisions are the same as the service's (rule L1).
///
/// Recipients do not influence each other, except in `SimulatedGroups`. So in each window of time,
/// one recipient after another is simulated. Then the window's entries are sorted and emitted. So
/// memory is needed only for the recipients and one window.
package struct Simulation {
  /// Calls `body` with each number below `count`, in any order and from any number of threads.
  /// Returns when all calls have returned.
  package typealias Loop = (_ count: Int, _ body: @Sendable (Int) -> Void) -> Void

  private let planner: Planner
  /// The last instant that is simulated.
  private let until: Instant
  private var recipients: [SimulatedRecipient]
  private var groups: SimulatedGroups
  /// The events that were refused because another event has their id.
  private let conflicts: [RefusedEvent]

  /// - Parameters:
  ///   - events: the events in any order. Each event is ingested at its time, and events with equal
  ///     times in the given order.
  ///   - until: the last instant that is simulated.
  package init(planner: Planner, events: [Event], until: Instant) {
    self.planner = planner
    self.until = until
    let stamped = events.enumerated().map {
      SimulatedRecipient.StampedEvent(event: $1, order: Int64($0))
    }
    let ordered = stamped.filter { $0.event.time <= until }.sorted { $0.stamp < $1.stamp }
    let eventFilter = RepeatedEventFilter(ordered)
    conflicts = eventFilter.refused
    let allEvents = Self.withCopies(eventFilter.accepted, planner.catalog)
    recipients = Dictionary(grouping: allEvents) { ExactText($0.event.recipient) }
      .sorted { Self.isBefore($0.key, $1.key) }
      .enumerated().map {
        SimulatedRecipient(name: $1.key.text, recipientIndex: $0, events: $1.value)
      }
    groups = SimulatedGroups(recipients.map(\.name), allEvents, planner.catalog)
  }

  /// Returns the events with their copies for other recipients, and with withdrawals (rules G5,
  /// G10).
  private static func withCopies(
    _ events: [SimulatedRecipient.StampedEvent], _ catalog: Catalog
  ) -> [SimulatedRecipient.StampedEvent] {
    var reports: [ExactText: LatestReports] = [:]
    return events.flatMap { stamped in
      let (event, name) = (stamped.event, ExactText(stamped.event.recipient))
      var copies = event.copies
      if case .erasure = event.content { reports[name] = nil }
      if catalog.mayWithdraw(event) {
        copies += catalog.withdrawals(by: event) { reports[name]?[event, $0] }
        reports[name, default: LatestReports()].note(event, order: stamped.order)
      }
      return [stamped]
        + copies.map {
          SimulatedRecipient.StampedEvent(event: $0, order: stamped.order, arrival: stamped.arrival)
        }
    }
  }

  /// Returns whether a name precedes another. Names are in the order of texts. Canonically
  /// equivalent names are in the order of their bytes.
  private static func isBefore(_ name: ExactText, _ other: ExactText) -> Bool {
    name.text == other.text ? name < other : name.text < other.text
  }

  /// The refused events, sorted by time. They are complete only after the run.
  package var refused: [RefusedEvent] {
    (conflicts + recipients.flatMap(\.refused)).sorted { $0.event.time < $1.event.time }
  }

  /// Runs to the end and emits the timeline in order, window by window.
  ///
  /// - Parameter loop: runs the recipients, about a hundred at a time. The order does not affect
  ///   the result.
  /// - Throws: the errors of `emit`, and `UnfinishedPlan` if a recipient's planning does not end.
  package mutating func run(
    by loop: Loop = { count, body in (0..<count).forEach(body) },
    emit: ([TimelineEntry]) throws -> Void
  ) throws {
    guard let start = recipients.earliest({ $0.nextTime }) else { return }
    var window = Window(start: start)
    var entries: [TimelineEntry] = []
    while window.end < until {
      window.advance(until: until)
      // The last window includes its end, because `until` is the last simulated instant.
      let limit = window.end < until ? window.end : window.end + .milliseconds(1)
      var newEntries = recipients.run(
        to: limit, planner: planner, except: groups.members, by: loop)
      newEntries.append(groups.run(&recipients, to: limit, planner: planner))
      if let unfinished = recipients.lazy.compactMap(\.unfinished).first { throw unfinished }
      window.adapt(to: newEntries.reduce(0) { $0 + $1.count })
      for share in newEntries { entries += share }
      entries = entries.inOrder()
      // An occurrence that is due, or that a gate holds, may still get an entry at its planned
      // instant.
      let completeBefore =
        window.end < until ? recipients.earliest({ $0.oldestOpen }) ?? limit : limit
      let remaining =
        entries.firstIndex { $0.at >= completeBefore }.map { Array(entries[$0...]) } ?? []
      entries.removeLast(remaining.count)
      try emit(entries)
      entries = remaining
    }
  }
}

/// The window of time in which one recipient after another is simulated. It is as long as memory
/// allows, because each switch to another recipient loads facts into the processor's caches.
private struct Window {
  /// The first instant after the window.
  private(set) var end: Instant
  /// The length of the next window.
  private var days = 1

  /// The desired number of entries in a window, to which its length is adapted.
  private static let entryCounts = 8_192...65_536

  init(start: Instant) {
    end = start - .milliseconds(1)
  }

  /// Moves the window to the following days, at most up to `until`.
  mutating func advance(until: Instant) {
    end = min(end + .days(days), until)
  }

  /// Adapts the length of the next window to the number of entries in this one.
  mutating func adapt(to count: Int) {
    if count < Self.entryCounts.lowerBound { days = min(days * 2, 64) }
    if count > Self.entryCounts.upperBound { days = max(days / 2, 1) }
  }
}
