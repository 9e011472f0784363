import CivilTime
import JSON
import Reminders
import Store
import TestSupport
import Testing

@testable import Engine

/// Rule L4: random lives with limits, commands, vacations, requests and reloads, replayed from the
/// store.
@Suite struct ReplayLifePropertyTests {
  /// - Parameter isReduced: Whether the catalog lacks a reminder and has other times.
  private static func catalog(isReduced: Bool) -> String {
    let removed = """
        gone: {category: NOTE, group: notes, on: {event: ping, delay: 2h}, expires: 2d,
          messages: [{title: Gone, body: b}]}
      """
    let time = isReduced ? "13:00" : "12:00"
    return """
      catalog: notes
      events:
        ping: {thing: identifier}
        booked: {visit: identifier, at: instant}
      categories:
        NOTE: {title: Notes, channels: {push: true}}
      groups: {notes: {enabled: true}}
      reminders:
        daily: {category: NOTE, group: notes, every: {day: {at: "\(time)"}}, expires: 12h,
          messages: [{title: One, body: b}, {title: Two, body: b}]}
        once: {category: NOTE, group: notes, on: {event: ping, delay: 1h}, expires: 2d,
          messages: [{title: Once, body: b}, {title: Again, body: b}]}
        visit: {category: NOTE, group: notes, before: {event: booked, at: at, by: 3h}, expires: 3h,
          messages: [{title: Visit, body: b}]}
      \(isReduced ? "" : removed)
      """
  }

  private static let names = ["amina", "bilal", "chadia"]

  @Test(arguments: Seeds.all)
  func `L4: a random life is replayed as it was lived`(seed: UInt64) throws {
    let stage = try Self.live(seed: seed) { _ in }
    let timeline = try stage.timeline
    for name in Self.names {
      let replay = try stage.replay(of: name, through: stage.now)
      #expect(replay.isComplete && replay.refusedEventCount == 0, "seed \(seed), \(name)")
      expectSame(
        replay.timeline(of: name), timeline.filter { $0.contains(" \(name) ") },
        "seed \(seed), \(name)")
    }
    #expect(timeline.count > 50, "seed \(seed)")
    let audit = try stage.audit(since: "2026-03-02 00:00")
    #expect(audit.differenceCount == 0, "seed \(seed): \(audit.findings)")
    #expect(audit.excused.isEmpty && audit.followingCount == 0, "seed \(seed): \(audit.excused)")
    #expect(audit.occurrenceCount > 50, "seed \(seed)")
  }

  /// The coming days that the service showed at an instant.
  private struct Note {
    let name: String
    let at: Instant
    let firings: [String]

    init(of name: String, _ recipient: Recipient, at: Instant, by planner: Planner) {
      (self.name, self.at) = (name, at)
      firings = recipient.firingsAhead(from: at, through: at + .days(3), planner: planner)
        .firings.map { "\($0)" }
    }
  }

  /// The days ahead are noted during the life, and computed for the same instants at its end.
  @Test(arguments: Seeds.all)
  func `L8: the days ahead of a past instant are those that the service showed`(seed: UInt64) throws
  {
    var notes: [Note] = []
    let stage = try Self.live(seed: seed) { stage in
      try stage.run(to: stage.now)
      for name in Self.names {
        let recipient = try #require(try stage.stored(name)).recipient
        notes.append(Note(of: name, recipient, at: stage.now, by: stage.planner))
      }
    }
    for note in notes {
      let comment = "seed \(seed), \(note.name) at \(note.at)"
      let answer = try stage.query(ReplayedRecipientQuery(of: note.name, at: note.at))
      guard case .known(let past) = answer else {
        Issue.record("\(comment): \(answer)")
        continue
      }
      let again = Note(of: note.name, past.recipient, at: note.at, by: past.planner)
      expectSame(again.firings, note.firings, comment)
      #expect(past.lostEventCount == 0 && past.progressStart == nil, "\(comment)")
    }
    #expect(notes.count { !$0.firings.isEmpty } > 50, "seed \(seed)")
  }

  /// Lets three recipients live for weeks, with reloads, restarts and crashes.
  ///
  /// - Parameter observe: a function that is called from time to time.
  private static func live(
    seed: UInt64, observe: (Stage) throws -> Void
  ) throws -> Stage {
    let planners = try [false, true].map {
      try Fixtures.planner(catalog: Self.catalog(isReduced: $0))
    }
    let stage = try Stage(planner: planners[0], at: "2026-03-02 00:00")
    for name in Self.names {
      try stage.take(
        "preferences.updated",
        [
          "quietHours": ["enabled": true, "start": "11:00", "end": "16:00"],
          "caps": ["perDay": 3, "minInterval": "PT30M"],
        ], of: name)
    }
    var life = Life(stage: stage, random: SplitMix64(seed: seed))
    for number in 0..<120 {
      try stage.run(to: stage.now + .minutes(life.random.int(in: 1..<600)))
      switch life.random.int(in: 0..<12) {
      case 0: try stage.reload(life.random.pick(planners))
      case 1: try stage.restart()
      case 2: try stage.crash()
      default: try life.report(of: life.random.pick(Self.names))
      }
      if number.isMultiple(of: 4) { try observe(stage) }
    }
    try stage.run(to: stage.now + .days(3))
    return stage
  }

  /// Recipients who report random events. The service may refuse some.
  private struct Life {
    let stage: Stage
    var random: SplitMix64
    var count = 0

    mutating func report(of name: String) throws {
      count += 1
      // Events of one millisecond would be replayed as one request.
      try stage.run(to: stage.now + .milliseconds(1))
      let soon = stage.now + .minutes(random.int(in: 60..<1_200))
      let past = stage.now - .minutes(random.int(in: 0..<90))
      switch random.int(in: 0..<10) {
      case 0, 1: try stage.take("ping", ["thing": .string("\(count)")], of: name, at: past)
      case 2, 3:
        try stage.take(
          "booked", ["visit": .string("\(count)"), "at": .string(soon.description)], of: name)
      case 4:
        try stage.take(
          "pending.snoozed", ["reminder": .string(reminder()), "for": "PT3H"], of: name)
      case 5: try stage.take("pending.cancelled", ["reminder": .string(reminder())], of: name)
      case 6:
        let until = String(soon.description.prefix(10))
        try stage.take("vacation.started", ["until": .string(until)], of: name)
      case 7: try stage.take("vacation.ended", of: name)
      case 8: try snoozeDelivered(of: name)
      default:
        try stage.take(
          "notification.requested", ["category": "NOTE", "title": "Hello", "body": "You."],
          of: name)
      }
    }

    /// Snoozes the latest delivered notification, so that it is sent again.
    private func snoozeDelivered(of name: String) throws {
      let last = stage.delivered.last { $0.recipient == name && declared.contains($0.reminder) }
      guard let last else { return }
      try stage.take(
        "pending.snoozed",
        [
          "reminder": .string(last.reminder), "occurrence": .string("\(last.key)"),
          "delivered": true, "for": "1h",
        ], of: name)
    }

    /// The reminders of the current catalog.
    private var declared: [String] {
      ["daily", "once", "visit", "gone"].filter {
        stage.planner.catalog.reminder(Symbol($0)) != nil
      }
    }

    private mutating func reminder() -> String { random.pick(declared) }
  }
}
