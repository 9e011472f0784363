import CivilTime
import JSON
import Outbox
import Reminders
import Store
import Systemd
import Testing

@testable import Engine

/// Rule L7: the audit of some recipients each night.
@Suite struct NightlyAuditTests {
  @Test func `L7: an audit begins each night at 03:00 of the default zone`() throws {
    let zone = try Fixtures.planner(defaultZone: "Europe/Berlin").defaultZone
    var schedule = AuditSchedule(share: 0.25)
    var now = try utc("2026-03-27 12:00")
    var starts: [String] = []
    for _ in 0..<5 {
      let query = schedule.query(at: now, in: zone)
      if let query, case .share(0.25, let date) = query.selection {
        starts.append("\(now) \(date)")
      }
      #expect(schedule.query(at: now + .seconds(1), in: zone) == nil)
      now = try #require(schedule.wake)
    }
    // The clocks change on the 29th, when 02:00 becomes 03:00.
    #expect(
      starts == [
        "2026-03-28T02:00:00.000Z 2026-03-28", "2026-03-29T01:00:00.000Z 2026-03-29",
        "2026-03-30T01:00:00.000Z 2026-03-30", "2026-03-31T01:00:00.000Z 2026-03-31",
      ])
  }

  @Test func `L7: a clock that was set back delays no audit, and without a share there is none`()
    throws
  {
    let zone = try Fixtures.planner(defaultZone: "UTC").defaultZone
    var schedule = AuditSchedule(share: 0.25)
    #expect(schedule.query(at: try utc("2027-03-27 12:00"), in: zone) == nil)
    #expect(schedule.query(at: try utc("2026-03-27 12:00"), in: zone) == nil)
    #expect(schedule.wake == (try utc("2026-03-28 03:00")))
    var off = AuditSchedule(share: nil)
    #expect(off.query(at: try utc("2026-03-27 03:00"), in: zone) == nil && off.wake == nil)
  }

  @Test func `L7: the loop wakes for the audit`() throws {
    let stage = try LoopStage(at: "2026-03-02 12:00")
    stage.auditShare = 0.25
    try stage.stop(at: "2026-03-05 02:00")
    #expect(try stage.run() == nil)
    #expect(stage.auditStarts == (try ["03", "04"].map { try utc("2026-03-\($0) 03:00") }))
  }

  /// Returns a stage with a notification of each of two recipients.
  private func stage() throws -> Stage {
    let stage = try Stage(catalog: Fixtures.notes(at: "12:00"), at: "2026-03-02 09:00")
    for name in ["amina", "bilal"] {
      try stage.take("recipient.updated", ["locale": "en"], of: name)
    }
    try stage.run(to: "2026-03-02 13:00")
    return stage
  }

  private func journal(of query: AuditQuery, _ stage: Stage) throws -> [String] {
    let ring = JournalRing(capacity: 10)
    try stage.turn()
    NightlyAudit(
      questions: try stage.core().questions, journal: Journal(.lines(-1), ring: ring)
    ).run(query, now: stage.now)
    return ring.items(after: 0).map { "\($0.entry.priority): \($0.entry.message)" }
  }

  private static let all = AuditQuery(
    .share(1, of: LocalDate(daysSinceEpoch: 20_000)), since: .ago(.days(1)))

  @Test func `L7: the result is in journal, status and metrics`() throws {
    let stage = try stage()
    let questions = try stage.core().questions
    #expect(try stage.status().audit == nil)
    let until = try utc("2026-03-02 12:59")
    let words = "the audit until \(until) compared 2 occurrences of 2 recipients, "
    #expect(
      try journal(of: Self.all, stage) == [
        "notice: \(words)0 of them excused; the record is as replayed"
      ])
    let same = AuditSummary(
      until: until, recipients: 2, occurrences: 2, differences: 0, excused: 0)
    #expect(try stage.status().audit == same)
    #expect(try questions.metrics(now: stage.now).audit == same)
    #expect(!StatusReporter.line(try stage.status()).contains("audit"))
    var trace = GateTrace()
    trace.note(.quietHours, .drops)
    var changes = DeliveryChanges()
    changes.settle(1, outcome: .dropped, trace: trace)
    try stage.core().store.commit { try $0.save(changes) }
    #expect(
      try journal(of: Self.all, stage) == [
        "warning: \(words)0 of them excused; 1 with differences, first amina: note planned for "
          + "2026-03-02T12:00:00.000Z; see chimectl replay --since 2d --recipient amina"
      ])
    let status = try stage.status()
    #expect(status.audit?.differences == 1 && status.audit?.recipients == 2)
    #expect(
      StatusReporter.line(status).contains(
        "; the audit found differences for 1 recipient, see the journal"))
  }
}
