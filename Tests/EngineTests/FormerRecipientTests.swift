import CivilTime
import JSON
import Reminders
import Store
import TestSupport
import Testing

@testable import Engine

/// Rule H32: queries about a past instant.
@Suite struct FormerRecipientTests {
  private func stage() throws -> Stage {
    let stage = try Stage(catalog: Fixtures.notes(), at: "2026-03-01 09:00")
    var retention = Retention()
    retention.events = .days(9)
    try stage.core().maintenance.pruning.retention = retention
    return stage
  }

  /// Returns the time of the daily note at a past instant, or the reason why it is not known.
  private func noteTime(_ stage: Stage, asOf time: String) throws -> String {
    switch try stage.query(FormerRecipientQuery(of: "amina", at: utc(time))) {
    case .known(let former):
      let context = PlanningContext(facts: former.facts, planner: former.planner)
      let document = PreferencesDocument(context).whole(at: try utc(time))
      return document["reminders"]?["notes"]?["time"]?.stringValue ?? "none"
    case .unknownRecipient: return "unknown recipient"
    case .unknown(let reason): return reason.description
    }
  }

  @Test func `H32: preferences follow the former facts and the former catalog`() throws {
    let stage = try stage()
    try stage.take("recipient.updated", ["locale": "de"])
    try stage.run(to: "2026-03-02 09:00")
    try stage.plan(with: Fixtures.planner(catalog: Fixtures.notes(at: "13:00")))
    try stage.run(to: "2026-03-03 09:00")
    try stage.take("preferences.updated", ["reminders": ["notes": ["time": "07:30"]]])
    try stage.run(to: "2026-03-04 09:00")
    #expect(try noteTime(stage, asOf: "2026-03-01 09:00") == "12:00")
    #expect(try noteTime(stage, asOf: "2026-03-02 08:59") == "12:00")
    #expect(try noteTime(stage, asOf: "2026-03-02 09:00") == "13:00")
    #expect(try noteTime(stage, asOf: "2026-03-03 08:59") == "13:00")
    #expect(try noteTime(stage, asOf: "2026-03-03 09:00") == "07:30")
  }

  /// The base has the removed report, and the answer is the same as before its removal.
  @Test func `H32: preferences whose report was removed are still known`() throws {
    let stage = try stage()
    try stage.take("preferences.updated", ["reminders": ["notes": ["time": "07:30"]]])
    try stage.run(to: "2026-03-02 09:00")
    try stage.take("preferences.updated", ["reminders": ["notes": ["time": "06:00"]]])
    #expect(try noteTime(stage, asOf: "2026-03-02 08:00") == "07:30")
    try stage.run(to: "2026-03-10 21:00")
    #expect(try stage.events().count == 1)
    #expect(try noteTime(stage, asOf: "2026-03-02 08:00") == "07:30")
    #expect(try noteTime(stage, asOf: "2026-03-02 09:00") == "06:00")
    try stage.run(to: "2026-03-12 09:00")
    #expect(
      try noteTime(stage, asOf: "2026-03-02 08:00")
        == "is before 2026-03-02T09:00:00.000Z, since when the recipient's facts are known")
  }

  @Test func `H32: an event that a clock ahead recorded counts once the clock is right`() throws {
    let stage = try stage()
    try stage.take("recipient.updated", ["locale": "de"])
    try stage.run(to: "2026-03-01 15:00")
    try stage.take("preferences.updated", ["reminders": ["notes": ["time": "07:30"]]])
    let query = FormerRecipientQuery(of: "amina", at: try utc("2026-03-01 13:00"))
    let answer = try query.answer(from: stage.core().questions, now: query.instant)
    guard case .known(let former) = answer else {
      Issue.record("the state is not known")
      return
    }
    let context = PlanningContext(facts: former.facts, planner: former.planner)
    let document = PreferencesDocument(context).whole(at: query.instant)
    #expect(document["reminders"]?["notes"]?["time"]?.stringValue == "07:30")
  }

  /// A clock that was ahead recorded the report. The next one was recorded and removed at the right
  /// time.
  @Test func `H32: a report to which only a removed one leads is known and exported`() throws {
    let stage = try stage()
    try stage.take("recipient.updated", ["locale": "de"])
    try stage.jump(to: "2026-06-01 09:00")
    try stage.take(
      "preferences.updated", ["reminders": ["notes": ["time": "07:30"]]],
      at: utc("2026-03-01 10:00"))
    try stage.jump(to: "2026-03-02 09:00")
    try stage.take("recipient.updated", ["locale": "ar"])
    try stage.run(to: "2026-03-12 21:00")
    #expect(try stage.events().isEmpty)
    #expect(try noteTime(stage, asOf: "2026-03-11 09:00") == "07:30")
    var types: [String] = []
    var cursor: ExportPage.Cursor? = .events(from: nil)
    while let next = cursor {
      let page = try #require(try stage.query(ExportQuery(of: "amina", next)))
      types += page.events.map(\.type)
      cursor = page.next
    }
    #expect(types == ["preferences.updated"])
  }

  @Test func `H32: an instant that is not known is refused with the reason`() throws {
    let stage = try stage()
    #expect(try noteTime(stage, asOf: "2026-03-01 09:00") == "unknown recipient")
    try stage.run(to: "2026-03-02 09:00")
    try stage.take("recipient.updated", ["locale": "de"])
    #expect(
      try noteTime(stage, asOf: "2026-03-02 09:01")
        == "is in the future; give a past instant")
    #expect(
      try noteTime(stage, asOf: "2026-03-01 10:00")
        == "is before 2026-03-02T09:00:00.000Z, since when the recipient's facts are known")
    #expect(
      try noteTime(stage, asOf: "2026-02-28 10:00")
        == "is before 2026-03-01T09:00:00.000Z, since when catalogs are recorded")
    try stage.take("recipient.deleted")
    #expect(try noteTime(stage, asOf: "2026-03-02 09:00") == "unknown recipient")
  }

  @Test func `H32: another release of the tz database is reported`() throws {
    let stage = try stage()
    try stage.take("recipient.updated", ["locale": "de"])
    let current = try #require(try known(stage))
    #expect(current.missingZones == nil)
    try stage.core().store.commit { transaction in
      let adoption = try #require(try transaction.adoptions().first)
      let older = Adoption(
        at: adoption.at, catalogs: adoption.catalogs, zones: "2019a",
        settings: adoption.settings)
      try transaction.record(older, text: stage.planner.catalog.storedText)
    }
    #expect(try known(stage)?.missingZones == "2019a")
  }

  /// The catalogs of 2 March can no longer be read, and those of 3 March read its events.
  @Test func `H32: an event that only a later catalog reads is counted as unknown`() throws {
    let stage = try stage()
    try stage.take("preferences.updated", ["reminders": ["notes": ["time": "07:30"]]])
    #expect(try known(stage)?.unreadableEventCount == 0)
    try stage.core().store.commit { transaction in
      let adoption = try #require(try transaction.adoptions().first)
      let unreadable = Adoption(
        at: try utc("2026-03-02 09:00"), catalogs: "gone", zones: adoption.zones,
        settings: adoption.settings)
      try transaction.record(unreadable, text: "no catalog")
      let next = Adoption(
        at: try utc("2026-03-03 09:00"), catalogs: adoption.catalogs, zones: adoption.zones,
        settings: adoption.settings)
      try transaction.record(next, text: stage.planner.catalog.storedText)
    }
    try stage.run(to: "2026-03-02 10:00")
    try stage.take("recipient.updated", ["locale": "de"])
    try stage.take("preferences.updated", ["reminders": ["notes": ["time": "06:00"]]])
    try stage.run(to: "2026-03-04 09:00")
    #expect(try noteTime(stage, asOf: "2026-03-04 09:00") == "06:00")
    #expect(try known(stage)?.unreadableEventCount == 1)
  }

  private func known(_ stage: Stage) throws -> FormerRecipient? {
    let answer = try stage.query(FormerRecipientQuery(of: "amina", at: stage.now))
    return if case .known(let former) = answer { former } else { nil }
  }
}
