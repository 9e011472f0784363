import CivilTime
import JSON
import Outbox
import Reminders
import Testing

@testable import Engine

/// The engine's loop on a virtual host, without real clocks or threads.
@Suite struct LoopTests {
  @Test func `the loop sends the notifications of a day and stops`() throws {
    let stage = try LoopStage(at: "2026-03-02 06:00")
    let receipts = AnswerBox<[Receipt]>()
    try stage.take(at: "2026-03-02 06:30", "recipient.updated", ["timezone": "UTC"], receipts.take)
    let stopped = AnswerBox<Void>()
    try stage.stop(at: "2026-03-03 06:00", stopped.take)
    #expect(try stage.run() == nil)
    #expect(
      stage.deliveryLines == [
        "2026-03-02T08:00:00.000Z amina first-lesson-reminder",
        "2026-03-02T21:00:00.000Z amina daily-checkin-reminder",
      ])
    #expect(try receipts.value().map(\.word) == ["accepted"])
    try stopped.value()
    #expect(stage.host.now() == (try utc("2026-03-03 06:00")))
    #expect(!stage.host.requestQueue.post(.forgetTest("x")), "the queue is closed")
  }

  @Test func `S2: a sleeping loop does not look stuck to the watchdog`() throws {
    let stage = try LoopStage(at: "2026-03-02 06:00")
    try stage.take(at: "2026-03-02 06:30", "recipient.updated", ["timezone": "UTC"])
    try stage.stop(at: "2026-03-09 06:00")
    #expect(try stage.run() == nil)
    #expect(stage.deliveryLines.count == 14)
    #expect(stage.host.stale == [])
    #expect(stage.host.checkCount < 200, "the loop wakes only for work")
  }

  @Test func `S1: a stop waits for the sinks for a limited time`() throws {
    let stage = try LoopStage(
      at: "2026-03-02 20:59", reply: { _ in .failure(SinkOutage("gone")) })
    try stage.take(at: "2026-03-02 20:59", "recipient.updated", ["timezone": "UTC"])
    try stage.stop(at: "2026-03-02 21:00")
    #expect(try stage.run() == nil)
    #expect(stage.deliveryLines == [])
    #expect(stage.host.now() <= (try utc("2026-03-02 21:00")) + .seconds(10))
  }
}
