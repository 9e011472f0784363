import Access
import CivilTime
import JSON
import Outbox
import Reminders
import Store
import Testing

@testable import Engine

/// The engine's counters.
@Suite struct MetricsTests {
  let stage: Stage

  init() throws {
    stage = try Stage(at: "2026-03-02 09:00")
  }

  private func metrics() throws -> ServiceMetrics {
    try stage.query(MetricsQuery())
  }

  private func count(_ reminder: String, _ outcome: OccurrenceOutcome) throws -> Int {
    try metrics().occurrences.first { $0.reminder == reminder && $0.outcome == outcome }?.count ?? 0
  }

  @Test func `events are counted by their receipts`() throws {
    try stage.take("relapse", id: "1")
    try stage.take("relapse", id: "1")
    try stage.take("preferences.updated", ["quietHours": ["start": "08:00"]])
    let counters = try metrics().counters
    #expect(counters.accepted == 1 && counters.duplicates == 1 && counters.refused == 1)
    #expect(counters.unanswered == 0)
  }

  @Test func `streams are counted until they are released`() throws {
    for name in ["amina", "bilal"] { try stage.take("streak.started", of: name) }
    var streams = try ["amina", "amina", "bilal"].map { try stage.stream(of: $0) }
    #expect(try metrics().streams == 3)
    streams.removeFirst()
    #expect(try metrics().streams == 2)
    streams = []
    #expect(try metrics().streams == 0)
  }

  @Test func `milestones are counted together and other reminders by name`() throws {
    try stage.take("milestone.reached", ["days": 7])
    try stage.take("milestone.reached", ["days": 14])
    try stage.run(to: "2026-03-02 21:00")
    #expect(try count("milestone", .delivered) == 2)
    #expect(try count("daily-checkin-reminder", .delivered) == 1)
    let declared = try metrics().occurrences.map(\.reminder)
    #expect(!declared.contains { $0.hasPrefix("milestone-") })
  }

  @Test func `D6: passed occurrences count as sent, accepted ones count as delivered`() throws {
    try stage.take("lesson.completed", ["day": 30])
    stage.reply = { .success($0.map { _ in .rejected(reason: "no") }) }
    try stage.run(to: "2026-03-02 21:00")
    #expect(try count("daily-checkin-reminder", .sent) == 1)
    #expect(try count("daily-checkin-reminder", .delivered) == 0)
    stage.reply = Stage.accepting
    try stage.run(to: "2026-03-03 21:00")
    #expect(try count("daily-checkin-reminder", .sent) == 2)
    #expect(try count("daily-checkin-reminder", .delivered) == 1)
  }

  @Test func `a held occurrence is counted at once, its gate's hold only when it ends`() throws {
    let quietHours: JSONValue = ["quietHours": ["enabled": true, "start": "20:00", "end": "22:00"]]
    try stage.take("preferences.updated", quietHours)
    try stage.run(to: "2026-03-02 21:30")
    #expect(try count("daily-checkin-reminder", .held) == 1)
    #expect(try verdicts(.quietHours).held == 0)
    try stage.run(to: "2026-03-02 22:00")
    #expect(try count("daily-checkin-reminder", .delivered) == 1)
    #expect(try verdicts(.quietHours).held == 1)
    #expect(try verdicts(.quietHours).dropped == 0)
  }

  private func verdicts(_ gate: Gate) throws -> EngineCounters.Verdicts {
    try metrics().counters.verdicts[Int(gate.rawValue)]
  }

  @Test func `lateness is counted from the due instant`() throws {
    try stage.take("relapse")
    try stage.jump(to: "2026-03-02 21:00:07")
    let lateness = try metrics().counters.lateness
    #expect(lateness.count == 1)
    #expect(lateness.sum == 7)
  }

  @Test func `a sink's answers, backlog and retries are counted`() throws {
    stage.reply = Stage.failing
    try stage.take("relapse")
    try stage.run(to: "2026-03-02 21:00")
    try stage.run(to: stage.now + .minutes(2))
    var lane = try #require(try metrics().lanes.first)
    #expect(lane.isFailing && lane.waiting == 1 && lane.oldest == .minutes(2))
    #expect(lane.oldestInQueue == .minutes(2))
    #expect(lane.answers.outages > 0 && lane.answers.delivered == 0)
    stage.reply = { .success($0.map { _ in .retry(after: nil, reason: "busy") }) }
    try stage.run(to: stage.now + .minutes(10))
    lane = try #require(try metrics().lanes.first)
    #expect(!lane.isFailing && lane.waiting == 0 && lane.retrying == 1)
    #expect(lane.oldest == .minutes(12) && lane.oldestInQueue == .zero, "a retry is not queued")
    stage.reply = Stage.accepting
    try stage.run(to: stage.now + .hours(1))
    lane = try #require(try metrics().lanes.first)
    #expect(lane.answers.delivered == 1 && lane.retrying == 0 && lane.oldest == .zero)
  }

  @Test func `after a restart, the backlog on disk keeps its age`() throws {
    stage.reply = nil
    try stage.take("relapse")
    try stage.run(to: "2026-03-02 21:00")
    try stage.restart(at: utc("2026-03-02 21:00:30"))
    #expect(try metrics().lanes.first?.oldest == .seconds(30))
  }

  @Test func `T12: a clock behind the newest record has a lag`() throws {
    try stage.take("relapse")
    try stage.run(to: "2026-03-02 21:00")
    #expect(try metrics().clockLag == .zero)
    try stage.restart(at: utc("2026-03-02 20:00"))
    #expect(try metrics().clockLag == .hours(1))
  }

  @Test func `T6: a clock that has leapt ahead has a lead`() throws {
    let stage = try LoopStage(at: "2026-03-02 09:00")
    try stage.setClock(at: "2026-03-02 12:00", to: "2026-03-02 15:00")
    let leapt = try stage.ask(MetricsQuery(), at: "2026-03-02 12:03")
    try stage.setClock(at: "2026-03-02 12:04", to: nil)
    let right = try stage.ask(MetricsQuery(), at: "2026-03-02 12:05")
    try stage.stop(at: "2026-03-02 13:00")
    #expect(try stage.run() == nil)
    #expect(try leapt.value().clockLead == .hours(3))
    #expect(try right.value().clockLead == .zero)
  }

  @Test func `H17: the metrics contain the earliest expiry of the reported tokens`() throws {
    let table = try stage.core().tokens
    func token(_ name: String, _ days: Int, isRevoked: Bool = false) -> TokenRecord {
      TokenRecord(
        identifier: name, name: name, scope: .administrator, digest: [],
        created: stage.now - .days(40), expiry: stage.now + .days(days),
        revoked: isRevoked ? stage.now : nil)
    }
    #expect(try metrics().tokenExpiry == nil)
    table.update([token("a", 30), token("b", -1), token("c", -15), token("d", -2, isRevoked: true)])
    #expect(try metrics().tokenExpiry == stage.now - .days(1))
    table.update([token("b", -1, isRevoked: true)])
    #expect(try metrics().tokenExpiry == nil, "30 days are too early for a report")
    table.update([token("e", 14)])
    #expect(try metrics().tokenExpiry == stage.now + .days(14))
  }

  @Test func `H7: the age of retention counts from the last round`() throws {
    #expect(try metrics().retentionAge == nil, "no retention is set")
    try stage.core().maintenance.pruning.retention = Retention()
    try stage.run(to: "2026-03-02 21:00")
    let age = try #require(try metrics().retentionAge)
    #expect(age < .hours(7))
  }

  @Test func `only commits that write are measured`() throws {
    let previousCount = try metrics().commits.count
    _ = try stage.status()
    #expect(try metrics().commits.count == previousCount)
    try stage.take("relapse")
    #expect(try metrics().commits.count == previousCount + 1)
  }
}
