import CivilTime
import GRDB
import JSON
import Outbox
import Reminders
import Store
import Testing

@testable import Engine
@testable import SQLiteStore

/// Deliveries in flight at the end of the process are known exactly, and attempted again at once.
@Suite struct OrphanTests {
  let stage: Stage

  init() throws {
    stage = try Stage(at: "2026-03-02 09:00")
  }

  private func orphanCount() throws -> Int {
    try stage.core().outbox.dispatcher.lanes.reduce(0) { $0 + $1.answers.orphaned }
  }

  private func report(_ recipient: String) throws {
    try stage.take("milestone.reached", ["days": 7], of: recipient)
  }

  @Test func `D1: an unanswered delivery is counted and repeated under its id`() throws {
    try report("amina")
    try stage.run(to: "2026-03-02 09:00:10")
    stage.reply = nil
    for name in ["bilal", "chadi"] { try report(name) }
    try stage.run(to: "2026-03-02 09:00:20")
    let dispatched = stage.world.takeBatches().flatMap(\.deliveries).map(\.identifier)
    #expect(dispatched.count == 2)
    try stage.crash()
    #expect(try orphanCount() == 2)
    #expect(stage.world.deliveryNotes.map { "\($0)" } == ["orphaned(count: 2, sink: \"test\")"])
    stage.reply = Stage.accepting
    try stage.run(to: stage.now)
    #expect(stage.attempts.dropFirst().map(\.identifier) == dispatched)
    try stage.restart()
    #expect(try orphanCount() == 0)
  }

  /// Dispatches four deliveries and answers the first.
  ///
  /// - Returns: The ids of the other three deliveries.
  private func dispatchFour() throws -> [String] {
    stage.reply = nil
    try report("amina")
    try stage.run(to: "2026-03-02 09:00:10")
    for name in ["bilal", "chadi", "dina"] { try report(name) }
    try stage.run(to: "2026-03-02 09:00:20")
    let first = stage.world.takeBatches().flatMap(\.deliveries)
    try stage.core().turn(
      [.sinkAnswered(lane: 0, .success(first.map { _ in .delivered }))], now: stage.now)
    return stage.world.takeBatches().flatMap(\.deliveries).map(\.identifier)
  }

  @Test func `D1: after a crash only deliveries without an answer are repeated`() throws {
    let dispatched = try dispatchFour()
    #expect(dispatched.count == 3)
    try stage.core().turn(
      [.sinkAnsweredInPart(lane: 0, [nil, .delivered], stragglers: 7, freesLane: false)],
      now: stage.now)
    #expect(try stage.core().outbox.dispatcher.lanes[0].inFlightCount == 2)
    try stage.crash()
    #expect(try orphanCount() == 2)
    stage.reply = Stage.accepting
    try stage.run(to: stage.now)
    #expect(Set(stage.attempts.map(\.identifier)) == [dispatched[0], dispatched[2]])
  }

  @Test func `D1: further answers of a batch wait for the next engine cycle`() throws {
    _ = try dispatchFour()
    try stage.core().turn(
      [
        .sinkAnsweredInPart(lane: 0, [nil, .delivered], stragglers: 7, freesLane: false),
        .stragglersAnswered(lane: 0, stragglers: 7, .success([.delivered])),
        .sinkAnswered(lane: 0, .success([.delivered])),
      ], now: stage.now)
    for _ in 0..<2 { try stage.core().turn([], now: stage.now) }
    #expect(try stage.core().outbox.dispatcher.hasNothingInFlight)
    #expect(try stage.core().outbox.dispatcher.lanes[0].answers.delivered == 4)
    try stage.crash()
    #expect(try orphanCount() == 0)
  }

  @Test func `D1: a delivery that no sink has received is no orphan`() throws {
    stage.reply = nil
    try report("amina")
    try stage.run(to: "2026-03-02 09:00:10")
    for name in ["bilal", "chadi"] { try report(name) }
    try stage.run(to: "2026-03-02 09:00:20")
    try stage.crash()
    #expect(try orphanCount() == 1)
    stage.reply = Stage.accepting
    try stage.run(to: stage.now)
    #expect(stage.delivered.count == 3)
  }

  @Test func `D1: a retry can be an orphan`() throws {
    stage.reply = { .success($0.map { _ in .retry(after: nil, reason: "busy") }) }
    try report("amina")
    try stage.run(to: "2026-03-02 09:00:02")
    stage.reply = nil
    try stage.run(to: "2026-03-02 09:00:10")
    try stage.crash()
    #expect(try orphanCount() == 1)
    stage.reply = Stage.accepting
    try stage.run(to: stage.now)
    #expect(stage.delivered.count == 1)
    #expect(Set(stage.attempts.map(\.identifier)).count == 1)
  }

  @Test func `an outage leaves no orphans`() throws {
    stage.reply = Stage.failing
    try report("amina")
    try stage.run(to: "2026-03-02 09:00:02")
    try stage.crash()
    #expect(try orphanCount() == 0)
  }

  @Test func `H4: attempts are erased with their recipient`() throws {
    stage.reply = { .success($0.map { _ in .retry(after: nil, reason: "busy") }) }
    try report("amina")
    try report("bilal")
    try stage.run(to: "2026-03-02 09:00:30")
    func count() throws -> Int {
      try stage.database().read {
        try Int.fetchOne($0, sql: "SELECT count(*) FROM attempt") ?? -1
      }
    }
    #expect(try count() == 4)
    try stage.take("recipient.deleted")
    #expect(try count() == 2)
  }
}
