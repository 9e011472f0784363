import CivilTime
import JSON
import Outbox
import Reminders
import Store
import Synchronization
import Testing

@testable import Engine

/// Rule D3: a paused sink gets no deliveries until it is resumed.
@Suite struct PauseTests {
  let stage: Stage

  init() throws {
    stage = try Stage(at: "2026-03-02 09:00")
  }

  private func setPaused(_ isPaused: Bool, _ sink: String = "test") throws -> Bool {
    try stage.ask { .pauseSink(sink, isPaused, $0) }
  }

  @Test func `deliveries for a paused sink wait, even after a restart`() throws {
    #expect(try setPaused(true))
    try stage.take("milestone.reached", ["days": 7])
    try stage.run(to: "2026-03-02 09:30")
    #expect(stage.attempts.isEmpty)
    let lane = try #require(try stage.status().lanes.first)
    #expect(lane.isPaused && lane.waiting == 1 && lane.failure == nil)
    #expect(StatusReporter.line(try stage.status()).contains("; test is paused"))
    try stage.restart()
    try stage.run(to: "2026-03-02 10:00")
    #expect(stage.attempts.isEmpty && stage.interrupted.isEmpty)
    #expect(try stage.status().lanes.first?.answers.orphaned == 0, "nothing was in flight")
    #expect(try setPaused(false))
    try stage.run(to: "2026-03-02 10:01")
    #expect(stage.delivered.count == 1)
    #expect(try stage.status().lanes.first?.isPaused == false)
  }

  @Test func `D3: a sink that has disabled itself sends again when it is resumed`() throws {
    let count = Mutex(0)
    stage.sink.onEnable = { count.withLock { $0 += 1 } }
    try stage.restart()
    #expect(try setPaused(true))
    #expect(count.withLock { $0 } == 0)
    #expect(try setPaused(false))
    #expect(count.withLock { $0 } == 1)
    #expect(try setPaused(false), "resuming a sink that is not paused succeeds")
    #expect(count.withLock { $0 } == 2)
  }

  @Test func `deliveries that expire during a pause are not sent`() throws {
    #expect(try setPaused(true))
    try stage.take("milestone.reached", ["days": 7])
    // Beside the milestone there are lessons and check-ins each day, which expire after 12 hours.
    try stage.run(to: "2026-03-05 10:00")
    #expect(stage.attempts.isEmpty)
    let resumption = stage.now
    #expect(try setPaused(false))
    try stage.run(to: resumption + .minutes(1))
    #expect(stage.delivered.count == 1)
    #expect(stage.attempts.allSatisfy { $0.expiry > resumption })
    let history = try stage.history { ($0.part, $0.states) = (.all, nil) }
    let states = (history?.entries ?? []).map(\.state)
    #expect(states.count { $0 == .dropped } == 6 && states.count { $0 == .accepted } == 1)
  }

  @Test func `retries at a paused sink wait too`() throws {
    stage.reply = { .success($0.map { _ in .retry(after: .minutes(10), reason: "503") }) }
    try stage.take("milestone.reached", ["days": 7])
    try stage.run(to: "2026-03-02 09:01")
    #expect(stage.attempts.count == 1)
    #expect(try setPaused(true))
    stage.reply = Stage.accepting
    try stage.run(to: "2026-03-02 11:00")
    #expect(stage.attempts.count == 1)
    #expect(try stage.core().nextWake(now: stage.now).map { $0 > stage.now } ?? true)
    #expect(try setPaused(false))
    try stage.run(to: "2026-03-02 11:01")
    #expect(stage.delivered.count == 1)
  }

  /// Each node reads the names of the paused sinks once a second.
  @Test func `D3: a pause that another node has just begun stays`() throws {
    stage.others = [NamedSink(name: "other")]
    try stage.restart()
    let store = try stage.core().store
    try store.commit { try $0.saveNote("paused sinks", "other") }
    #expect(try setPaused(true))
    #expect(try stage.core().outbox.dispatcher.paused == ["other", "test"])
    #expect(try store.commit { try $0.note("paused sinks") } == "other\ntest")
    #expect(try setPaused(false))
    #expect(try stage.core().outbox.dispatcher.paused == ["other"])
  }

  @Test func `an unknown sink cannot be paused`() throws {
    #expect(try !setPaused(true, "other"))
    #expect(try !setPaused(false, "other"))
    #expect(try setPaused(false), "resuming a sink that is not paused succeeds")
  }
}
