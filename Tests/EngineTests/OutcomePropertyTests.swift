import CivilTime
import JSON
import Reminders
import Store
import TestSupport
import Testing

@testable import Engine

/// Rules T7 and T10: every occurrence that comes due ends with a record, unless the recipient
/// cancels it. The schema prevents a second record.
@Suite struct OutcomePropertyTests {
  /// - Parameter isReduced: Whether the catalog lacks two of the reminders.
  private static func catalog(isReduced: Bool) -> String {
    let removed = """
        gone: {category: NOTE, group: notes, on: {event: ping, delay: 2h}, expires: 2d,
          messages: [{title: Gone, body: b}]}
        gone-daily: {category: NOTE, group: notes, every: {day: {at: "18:00"}}, expires: 12h,
          messages: [{title: Gone daily, body: b}]}
      """
    return """
      catalog: notes
      events:
        ping: {thing: identifier}
        booked: {visit: identifier, at: instant}
      categories:
        NOTE: {title: Notes, channels: {push: true}}
      groups: {notes: {enabled: true}}
      reminders:
        daily: {category: NOTE, group: notes, every: {day: {at: "12:00"}}, expires: 12h,
          messages: [{title: Daily, body: b}]}
        once: {category: NOTE, group: notes, on: {event: ping, delay: 1h}, expires: 2d,
          messages: [{title: Once, body: b}]}
        visit: {category: NOTE, group: notes, before: {event: booked, at: at, by: 3h}, expires: 3h,
          messages: [{title: Visit, body: b}]}
      \(isReduced ? "" : removed)
      """
  }

  private static let names = ["amina", "bilal", "chadia"]

  /// An occurrence that is due or in progress, in one round of sending.
  private struct OpenOccurrence: Hashable {
    var reminder: Symbol
    var key: Int64
    var round: Int64
    var planned: Instant
    var isRepeating = false

    func matches(_ entry: Progress.InProgress) -> Bool {
      reminder == entry.reminder && key == entry.key && round == entry.round
    }
  }

  /// Returns the recipient's occurrences that are in progress or come due by an instant.
  private func openOccurrences(_ stage: Stage, _ name: String, by end: Instant) throws -> Set<
    OpenOccurrence
  > {
    guard let recipient = try stage.stored(name)?.recipient else { return [] }
    let held = recipient.progress.inProgress.map {
      OpenOccurrence(
        reminder: $0.reminder, key: $0.key, round: $0.round,
        planned: $0.originalInstant ?? $0.planned)
    }
    let due = recipient.pending(now: stage.now, planner: stage.planner).filter { pending in
      pending.planned <= end
        && !held.contains { $0.reminder == pending.reminder && $0.key == pending.key }
    }
    return Set(
      held
        + due.map {
          OpenOccurrence(
            reminder: $0.reminder, key: $0.key, round: 0, planned: $0.planned,
            isRepeating: stage.planner.catalog.reminder($0.reminder)?.isRepeating ?? false)
        })
  }

  /// Returns the occurrences that are neither in progress nor cancelled nor recorded.
  private func lostOccurrences(
    _ occurrences: Set<OpenOccurrence>, _ stage: Stage, _ name: String
  ) throws -> [OpenOccurrence] {
    let stored = try #require(try stage.stored(name))
    let progress = stored.recipient.progress
    return try occurrences.filter { occurrence in
      let isCancelled = progress.cancelled.contains {
        $0.reminder == occurrence.reminder && $0.key == occurrence.key
      }
      if isCancelled || progress.inProgress.contains(where: occurrence.matches) { return false }
      // A run of missed occurrences is one record with the key of the last occurrence.
      let keys = (0..<(occurrence.isRepeating ? 40 : 1)).map { occurrence.key + $0 }
      let recorded = try stage.core().store.commit {
        try $0.notifications(
          of: keys.map {
            OccurrenceKey(
              occurrence.reminder, $0, row: stored.row, .interrupting, round: occurrence.round)
          })
      }
      return recorded.allSatisfy { $0 == nil }
    }
  }

  /// A service whose recipients report random events, and which restarts at random.
  private struct Life {
    let stage: Stage
    let planners: [Planner]
    var random: SplitMix64
    var count = 0

    mutating func report(of name: String) throws {
      count += 1
      let soon = stage.now + .minutes(random.int(in: 60..<1_200))
      let (type, data): (String, JSONValue) =
        switch random.int(in: 0..<9) {
        case 0, 1: ("ping", ["thing": .string("\(count)")])
        case 2, 3: ("booked", ["visit": .string("\(count)"), "at": .string(soon.description)])
        case 4: ("pending.snoozed", ["reminder": .string(reminder()), "for": "PT3H"])
        case 5: ("pending.cancelled", ["reminder": .string(reminder())])
        case 6: ("vacation.started", ["until": .string(String(soon.description.prefix(10)))])
        case 7: ("vacation.ended", [:])
        default:
          ("notification.requested", ["category": "NOTE", "title": "Hello", "body": "You."])
        }
      try stage.take(type, data, of: name)
    }

    private mutating func reminder() -> String {
      let declared = ["daily", "once", "visit", "gone"].filter {
        stage.planner.catalog.reminder(Symbol($0)) != nil
      }
      return random.pick(declared)
    }

    /// Lets time pass, perhaps with a restart, a crash or another catalog.
    ///
    /// - Returns: The instant of the catalog change; nil if there was none.
    mutating func passTime(to end: Instant) throws -> Instant? {
      let start = stage.now
      var change: Instant?
      switch random.int(in: 0..<8) {
      case 0: try stage.restart(at: end)
      case 1: try stage.crash()
      case 2:
        try stage.plan(with: random.pick(planners))
        change = start
      case 3:
        try stage.restart(planner: random.pick(planners))
        change = start
      case 4:
        try stage.restart(planner: random.pick(planners), at: end)
        change = end
      default: break
      }
      try stage.run(to: end)
      return change
    }
  }

  private func setPreferences(_ stage: Stage) throws {
    let preferences: JSONValue = [
      "quietHours": ["enabled": true, "start": "11:00", "end": "16:00"],
      "caps": ["perDay": 3, "minInterval": "PT30M"],
    ]
    for name in Self.names { try stage.take("preferences.updated", preferences, of: name) }
  }

  @Test(arguments: Seeds.all)
  func `T7: every occurrence that comes due ends with a record`(seed: UInt64) throws {
    let planners = try [false, true].map {
      try Fixtures.planner(catalog: Self.catalog(isReduced: $0))
    }
    let stage = try Stage(planner: planners[0], at: "2026-03-02 00:00")
    try setPreferences(stage)
    var life = Life(stage: stage, planners: planners, random: SplitMix64(seed: seed))
    let removed = [Symbol("gone"), Symbol("gone-daily")]
    for step in 0..<120 {
      let end = stage.now + .minutes(life.random.int(in: 1..<900))
      // An event may move or cancel occurrences, so it is reported before the expected occurrences
      // are listed.
      if life.random.isOne(of: 2) { try life.report(of: life.random.pick(Self.names)) }
      let expected = try Self.names.map { try openOccurrences(stage, $0, by: end) }
      let change = try life.passTime(to: end)
      for (expected, name) in zip(expected, Self.names) {
        let lost = try lostOccurrences(expected, stage, name).filter {
          // T10: a removed reminder's occurrences that are planned after the change have no record.
          !removed.contains($0.reminder) || $0.planned <= change ?? end
        }
        #expect(lost.isEmpty, "seed \(seed), step \(step), \(name): \(lost)")
      }
    }
  }
}
