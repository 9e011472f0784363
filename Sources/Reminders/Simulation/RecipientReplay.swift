package import CivilTime

/// A recipient's past, decided again from stored data with the functions of the service (rule L4).
///
/// Events take effect when the service received them, and each planner decides from its adoption
/// on. A recipient whose events are all stored is replayed from the first one. Otherwise the replay
/// begins with the base of the removed events, and without the progress of that time.
package struct RecipientReplay {
  private let former: FormerFacts
  private var periods: PlannerPeriods
  /// The planner that decides at `end`.
  private var planner: Planner
  private var recipient: SimulatedRecipient
  /// The instant before which everything is decided.
  private var end: Instant
  /// When the replay begins.
  package let start: Instant
  /// Whether the replay began without the recipient's progress, such as what was sent before.
  package let hasUnknownProgress: Bool
  /// The numbers of the events that the catalogs could not read.
  private var unreadable: Set<Int64> = []

  /// Returns nil for a recipient without events.
  package init?(of former: FormerFacts, by periods: PlannerPeriods) {
    guard let start = former.start else { return nil }
    (self.former, self.periods, self.start, end) = (former, periods, start, start)
    planner = periods.planner(at: start)
    hasUnknownProgress = former.base.through != nil
    let next = hasUnknownProgress ? start + .milliseconds(1) : nil
    var unreadable: Set<Int64> = []
    let events = former.events(from: next, by: periods, unreadable: &unreadable)
    self.unreadable = unreadable
    if hasUnknownProgress, let base = former.facts(at: start, by: periods.planner) {
      recipient = SimulatedRecipient(
        continuing: Recipient(
          name: former.name, facts: base.facts, progress: Progress(cutoff: start)),
        events: events, planner: planner)
    } else {
      recipient = SimulatedRecipient(name: former.name, recipientIndex: 0, events: events)
    }
    recipient.instantsMax = Self.instantsMax
  }

  /// The number of events that the catalogs could not read, or that the recipient could not accept.
  package var refusedEventCount: Int {
    unreadable.count + former.base.unreadableCount + recipient.refused.count
  }

  /// The number of processed instants after which a replay stops: seconds of work, so that other
  /// recipients do not wait (rule H6).
  private static let instantsMax = 50_000

  /// The number of instants processed so far.
  package var instantCount: Int { recipient.instantCount }

  /// Whether the replay has decided everything: planning ended, and there were few instants.
  package var isComplete: Bool { recipient.unfinished == nil && !recipient.hasReachedLimit }

  /// The decisions since `recordDecisions`, in order.
  package var decisions: [ReplayedDecision] { recipient.recordedDecisions }

  /// The instants at which several events or adoptions arrived. Their order is not stored.
  var crowdedInstants: Set<Instant> {
    let instants = former.arrivals + periods.changes.map(\.start)
    return Set(Dictionary(grouping: instants) { $0 }.filter { $0.value.count > 1 }.keys)
  }

  /// The recipient after everything that was decided so far; nil before the first event that could
  /// be read.
  package var current: Recipient? { recipient.current }

  /// The occurrences that are due, held or planned next.
  var openOccurrences: Set<OccurrenceName> { recipient.openOccurrences }

  /// Begins to record decisions.
  package mutating func recordDecisions() { recipient.recordDecisions() }

  /// Decides everything before an instant.
  package mutating func run(to end: Instant) {
    for change in periods.changes where change.start >= self.end && change.start < end {
      advance(to: change.start)
      adopt(change.planner)
    }
    advance(to: end)
  }

  private mutating func advance(to end: Instant) {
    var entries: [TimelineEntry] = []
    recipient.run(to: end, planner: planner, entries: &entries)
    self.end = max(self.end, end)
  }

  private mutating func adopt(_ planner: Planner) {
    guard planner !== self.planner else { return }
    recipient.adopt(planner, after: self.planner, at: end)
    self.planner = planner
  }

  /// Returns the replay as it would continue if only the given planner had decided from now on. The
  /// events that follow are read by its catalogs.
  package func continued(by planner: Planner) -> RecipientReplay {
    var other = self
    other.periods.replace(from: end, by: planner)
    other.unreadable.subtract(former.orders(from: end))
    other.recipient.replaceNext(
      former.events(from: end, by: other.periods, unreadable: &other.unreadable))
    other.adopt(planner)
    return other
  }
}
