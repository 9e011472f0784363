package import CivilTime
package import Reminders

/// The notifications that another catalog would have sent in the past days, compared with those of
/// the catalogs of that time, as far as planning and gates decide (rule L5).
package struct CatalogReplay: Sendable {
  package struct Count: Sendable {
    /// The number of changed notifications.
    package var notifications = 0
    /// The number of recipients of these notifications.
    package var people = 0
    /// The ids of up to 10 of the counted recipients.
    package var examples: [String] = []
  }

  /// A reminder on one channel.
  package struct Line: Sendable {
    /// The number of notifications that were sent, and that the other catalog sends.
    package fileprivate(set) var sent = (then: 0, now: 0)
    package fileprivate(set) var changes: [ReplayComparison.Change: Count] = [:]
  }

  /// The number of example recipients per change.
  private static let examplesMax = 10

  /// The start of the compared days.
  package let since: Instant
  /// The end of the compared days.
  package let now: Instant
  /// The number of notifications on one local date that is not too many.
  package let perDay: Int
  /// The number of selected recipients that this node counts.
  private let countedPeople: Int
  package private(set) var replayedCount = 0
  /// The number of replayed recipients with any change.
  package private(set) var changedCount = 0
  /// The number of examined recipients whose past is not known.
  package private(set) var leftOutCount = 0
  /// The number of replayed recipients whose removed events are known only as facts. What they were
  /// sent before the first stored event is not known.
  package private(set) var warmUpCount = 0
  /// The number of replayed recipients with events from before the first stored adoption, which are
  /// evaluated by the first stored catalogs.
  package private(set) var earlierCount = 0
  /// The number of events that only the other catalog refuses or cannot read.
  package private(set) var refusedEventCount = 0
  /// The number of events of the replayed recipients that no catalog can read or accept.
  package private(set) var lostEventCount = 0
  /// The earlier releases of the tz database, whose rules are not stored.
  package let missingZones: [String]
  package private(set) var lines: [ReplayComparison.Line: Line] = [:]
  /// The number of recipients with more than `perDay` notifications on a local date.
  package private(set) var busy = (then: 0, now: 0)
  /// The ids of up to 10 recipients who only with the other catalog get more than `perDay`
  /// notifications on a local date.
  package private(set) var busyExamples: [String] = []
  /// The number of instants that were replayed.
  private(set) var instantCount = 0

  init(since: Instant, now: Instant, perDay: Int, people: Int, missingZones: [String]) {
    (self.since, self.now, self.perDay) = (since, now, perDay)
    (countedPeople, self.missingZones) = (people, missingZones)
  }

  /// The number of recipients, of which `replayedCount` were replayed. Other nodes may own some.
  package var people: Int { max(countedPeople, replayedCount + leftOutCount) }

  /// Counts a recipient whose past is not known.
  mutating func leaveOut() { leftOutCount += 1 }

  /// Replays a recipient by the planners of that time and, from `since` on, by the other planner.
  ///
  /// - Returns: the reason why the recipient's past is not known; nil if it is.
  mutating func add(
    _ facts: FormerFacts, of person: String, _ periods: PlannerPeriods, adoptedSince: Instant,
    by planner: Planner
  ) -> UnknownPast? {
    guard var replay = RecipientReplay(of: facts, by: periods) else { return nil }
    guard !replay.hasUnknownProgress || replay.start < since else {
      leaveOut()
      return .early(start: replay.start)
    }
    replay.run(to: since)
    replay.recordDecisions()
    var other = replay.continued(by: planner)
    let prefixCount = replay.instantCount
    replay.run(to: now)
    other.run(to: now)
    instantCount += replay.instantCount + other.instantCount - prefixCount
    guard replay.isComplete, other.isComplete else {
      leaveOut()
      return .tooMuchWork
    }
    replayedCount += 1
    if replay.hasUnknownProgress { warmUpCount += 1 }
    if replay.start < adoptedSince { earlierCount += 1 }
    lostEventCount += replay.refusedEventCount
    refusedEventCount += max(0, other.refusedEventCount - replay.refusedEventCount)
    add(ReplayComparison(of: replay, with: other, planner.catalog.renaming), of: person)
    return nil
  }

  private mutating func add(_ comparison: ReplayComparison, of person: String) {
    if !comparison.changes.isEmpty { changedCount += 1 }
    for (line, sent) in comparison.sent {
      lines[line, default: Line()].sent.then += sent.then
      lines[line, default: Line()].sent.now += sent.now
    }
    for (change, number) in comparison.changes {
      var count = lines[change.line]?.changes[change] ?? Count()
      count.notifications += number
      count.people += 1
      if count.examples.count < Self.examplesMax { count.examples.append(person) }
      lines[change.line, default: Line()].changes[change] = count
    }
    let day = comparison.highestDay
    if day.then > perDay { busy.then += 1 }
    guard day.now > perDay else { return }
    busy.now += 1
    if day.then <= perDay, busyExamples.count < Self.examplesMax { busyExamples.append(person) }
  }
}
