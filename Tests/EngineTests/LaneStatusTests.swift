import CivilTime
import GRDB
import JSON
import Outbox
import Reminders
import Testing

@testable import Engine
@testable import SQLiteStore

/// Rule D3: the status of lanes.
@Suite struct LaneStatusTests {
  let stage: Stage

  init() throws {
    stage = try Stage(at: "2026-03-02 09:00")
  }

  private func lane() throws -> ServiceStatus.Lane {
    try #require(try stage.status().lanes.first)
  }

  @Test func `the status of a lane shows the start of an outage and the backlog`() throws {
    stage.reply = Stage.failing
    try stage.take("milestone.reached", ["days": 7])
    try stage.run(to: "2026-03-02 09:20")
    try stage.take("milestone.reached", ["days": 14], of: "bilal")
    try stage.run(to: "2026-03-02 09:30")
    let lane = try lane()
    #expect(lane.breaker == .open && lane.waiting == 2 && lane.inFlight == 0)
    #expect(lane.failure == "gone" && lane.lastFailure?.reason == "gone")
    #expect(lane.failingSince == (try utc("2026-03-02 09:00:01")))
    #expect(lane.oldestWaiting == (try utc("2026-03-02 09:00:01")))
    let nextAttempt = try #require(lane.nextAttempt)
    #expect(nextAttempt > stage.now)
    #expect(lane.answers.outages > 1)
    stage.reply = Stage.accepting
    try stage.run(to: nextAttempt)
    let recoveredLane = try self.lane()
    #expect(
      recoveredLane.breaker == .closed && recoveredLane.waiting == 0
        && recoveredLane.failingSince == nil)
    #expect(
      recoveredLane.oldestWaiting == nil && recoveredLane.failure == nil
        && recoveredLane.nextAttempt == nil)
    #expect(recoveredLane.lastFailure?.reason == "gone")
    #expect(recoveredLane.answers.delivered == 2)
  }

  /// A restore skips numbers, and so does a move to PostgreSQL.
  @Test func `numbers that were never used do not count as waiting`() throws {
    stage.reply = Stage.failing
    for name in ["amina", "bilal"] { try stage.take("milestone.reached", ["days": 7], of: name) }
    try stage.run(to: "2026-03-02 09:01")
    try stage.database().write { try Notes.write("next notification", "1000000100", in: $0) }
    try stage.restart()
    #expect(try lane().waiting == 2)
    try stage.run(to: "2026-03-02 09:02")
    #expect(try lane().waiting == 2)
    try stage.take("milestone.reached", ["days": 7], of: "chidi")
    try stage.run(to: "2026-03-02 09:03")
    #expect(try lane().waiting == 3)
    stage.reply = Stage.accepting
    try stage.run(to: "2026-03-02 10:00")
    #expect(try lane().waiting == 0)
    #expect(stage.delivered.map(\.recipient) == ["amina", "bilal", "chidi"])
  }

  @Test func `a batch at a slow sink is in flight`() throws {
    stage.reply = nil
    try stage.take("milestone.reached", ["days": 7])
    try stage.run(to: "2026-03-02 09:05")
    let lane = try lane()
    #expect(lane.breaker == .closed && lane.waiting == 1 && lane.inFlight == 1)
    #expect(lane.oldestWaiting == (try utc("2026-03-02 09:00:01")))
  }

  @Test func `a lane shows its retries and the next attempt`() throws {
    stage.reply = { .success($0.map { _ in .retry(after: .minutes(10), reason: "503") }) }
    try stage.take("milestone.reached", ["days": 7])
    try stage.run(to: "2026-03-02 09:05")
    let lane = try lane()
    #expect(lane.breaker == .closed && lane.waiting == 0 && lane.retrying == 1)
    #expect(lane.oldestRetry == (try utc("2026-03-02 09:00:01")))
    #expect(lane.nextRetry == (try stage.core().nextWake(now: stage.now)))
    #expect(lane.lastFailure == .init(at: try utc("2026-03-02 09:00:01"), reason: "503"))
    #expect(lane.answers.retried == 1)
  }

  @Test func `a dead letter is counted for its sink`() throws {
    stage.reply = { .success($0.map { _ in .rejected(reason: "no such address") }) }
    try stage.take("milestone.reached", ["days": 7])
    try stage.run(to: "2026-03-02 09:05")
    #expect(try lane().deadLetters == 1 && stage.status().deadLetters == 1)
    #expect(try lane().lastFailure?.reason == "no such address")
  }

  @Test func `the time from a batch's dispatch to its answer is counted`() throws {
    stage.reply = nil
    try stage.take("milestone.reached", ["days": 7])
    try stage.run(to: "2026-03-02 09:00:03")
    #expect(try lane().answers.latency.count == 0)
    stage.reply = Stage.accepting
    try stage.answer()
    let latency = try lane().answers.latency
    #expect(latency.count == 1 && latency.sum == 2)
  }
}
