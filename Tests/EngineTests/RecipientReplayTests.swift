import CivilTime
import JSON
import Reminders
import Store
import TestSupport
import Testing

@testable import Engine

/// Rule L4: a replay from the store decides as the service did.
@Suite struct RecipientReplayTests {
  /// The service reloads in the middle of the days, and restarts.
  @Test(arguments: Seeds.all)
  func `L4: a replay from the store decides as the service did`(seed: UInt64) throws {
    let planner = try Fixtures.planner()
    let population = try Population(seed: seed, isErasing: false, planner: planner)
    let other = try Fixtures.planner(
      catalog: Fixtures.text(of: "imanpath").replacing("\"21:00\"", with: "\"20:30\""))
    let stage = try Stage(planner: planner, at: "2026-01-01 00:00")
    let middle = population.start + .days(6)
    try stage.play(population) {
      guard stage.planner !== other, stage.now >= middle else { return }
      try stage.reload(other)
      try stage.restart()
    }
    #expect(stage.planner === other, "seed \(seed)")
    let timeline = try stage.timeline
    for name in Set(population.events.map(\.recipient)).sorted() {
      let replay = try stage.replay(of: name, through: population.until)
      #expect(replay.isComplete && !replay.hasUnknownProgress && replay.refusedEventCount == 0)
      expectSame(
        replay.timeline(of: name), timeline.filter { $0.contains(" \(name) ") },
        "seed \(seed), \(name)")
    }
    let audit = try stage.audit(since: "2026-01-01 00:00")
    #expect(audit.differenceCount == 0, "seed \(seed): \(audit.findings)")
    #expect(audit.excused.isEmpty && audit.followingCount == 0, "seed \(seed): \(audit.excused)")
    #expect(audit.occurrenceCount > 0 && audit.auditedCount == audit.people, "seed \(seed)")
  }

  /// A reload ends a held occurrence, and another one later is planned by the new catalog.
  @Test func `T10: a replay withdraws what the reload withdrew`() throws {
    let stage = try Stage(catalog: Fixtures.notes(at: "21:00"), at: "2026-03-02 09:00")
    try stage.take(
      "preferences.updated",
      ["quietHours": ["enabled": true, "start": "20:00", "end": "23:00"]])
    try stage.run(to: "2026-03-02 22:00")
    try stage.reload(try Fixtures.planner(catalog: Fixtures.notes(reminder: "other")))
    try stage.run(to: "2026-03-03 13:00")
    let replay = try stage.replay(of: "amina", through: stage.now)
    let timeline = replay.timeline(of: "amina")
    #expect(try timeline == stage.timeline)
    #expect(timeline.count == 2 && timeline[0].contains("withdrawn"), "\(timeline)")
  }

  /// One event arrives late, one too late, and one during a vacation.
  @Test func `L4: events take effect when they were received`() throws {
    let stage = try Stage(catalog: Fixtures.shortVisits(expires: "4h"), at: "2026-03-02 09:00")
    try stage.take("visit", ["visit": "a"], at: utc("2026-03-02 08:00"))
    try stage.run(to: "2026-03-02 09:01")
    try stage.take("visit", ["visit": "b"], at: utc("2026-03-02 03:00"))
    try stage.run(to: "2026-03-02 09:02")
    try stage.take("vacation.started", ["until": "2026-03-02"])
    try stage.run(to: "2026-03-02 09:03")
    try stage.take("visit", ["visit": "c"])
    try stage.run(to: "2026-03-02 10:00")
    try stage.take("vacation.ended")
    try stage.run(to: "2026-03-02 11:00")
    let replay = try stage.replay(of: "amina", through: stage.now)
    let timeline = replay.timeline(of: "amina")
    #expect(try timeline == stage.timeline)
    #expect(timeline.count == 2 && timeline.allSatisfy { $0.contains("> of") }, "\(timeline)")
  }
}

extension Stage {
  /// Removes events that are older than a number of days.
  func keepEvents(days: Int) throws {
    var retention = Retention()
    retention.events = .days(days)
    try core().maintenance.pruning.retention = retention
  }

  /// Plans with another catalog at an instant without events.
  func reload(_ planner: Planner) throws {
    try run(to: now + .milliseconds(1))
    try plan(with: planner)
  }

  /// Replays a recipient from the first stored event on.
  func replay(of name: String, through end: Instant) throws -> RecipientReplay {
    let (facts, planners) = try core().questions.readers.read { reader in
      let stored = try #require(try reader.recipient(named: name))
      return (
        try FormerFacts.stored(of: stored, in: reader, now: now),
        try FormerPlanners(current: planner, until: now, in: reader)
      )
    }
    let periods = try planners.periods(until: now).get()
    var replay = try #require(RecipientReplay(of: try facts.get(), by: periods))
    replay.recordDecisions()
    replay.run(to: end + .milliseconds(1))
    return replay
  }
}

extension RecipientReplay {
  /// The outcomes as `Stage.timeline` shows them.
  func timeline(of name: String) -> [String] {
    decisions.flatMap { decision -> [String] in
      let firing = decision.firing
      guard case .finished(let outcome) = firing.result, outcome != .bundled else { return [] }
      return firing.channels.channels.map { channel in
        let about = "\(name) \(decision.message.reminder) \(channel)"
        let reasons = firing.trace.isClear ? [] : firing.trace.reasons
        let message = decision.message.shown(on: channel, firing.hints)
        return outcome == .dropped
          ? "\(firing.planned) \(about) x of \(firing.planned) \(reasons)"
          : "\(firing.at) \(about) > of \(firing.planned) \(reasons) "
            + "\(message.title): \(message.body)"
      }
    }.sorted()
  }
}
