import CivilTime
import Outbox
import Reminders
import Testing

@testable import Engine

/// The engine's activity, minute by minute.
@Suite struct ActivityTests {
  private let stage: Stage

  init() throws {
    stage = try Stage(
      catalog: Fixtures.notes(reminder: "note", expires: "12h"), at: "2026-03-02 09:00")
  }

  private func activity(hours: Int = 24, minutes: Int = 60) throws -> Activity {
    try stage.query(ActivityQuery(span: .hours(hours), part: .minutes(minutes)))
  }

  @Test func `activity is counted in the minute in which it happens`() throws {
    for name in ["amina", "bilal"] { try stage.take("relapse", of: name) }
    try stage.run(to: "2026-03-02 12:00")
    stage.reply = { .success($0.map { _ in .rejected(reason: "gone") }) }
    try stage.take("relapse", of: "chadi")
    try stage.run(to: "2026-03-02 12:30")
    try stage.take("relapse", of: "dana")
    try stage.run(to: "2026-03-03 12:00")
    let activity = try activity()
    #expect(activity.first == (try utc("2026-03-02 12:01")))
    // The last hour, from 11:01 to 12:01, is not over yet.
    #expect(activity.service[.events] == [1] + Array(repeating: 0, count: 23))
    #expect(activity.service[.sent] == Array(repeating: 0, count: 23) + [4])
    #expect(activity.service[.delivered] == Array(repeating: 0, count: 24))
    #expect(
      activity.sinks["test"] == [
        Array(repeating: 0, count: 24), Array(repeating: 0, count: 24),
        Array(repeating: 0, count: 23) + [4], Array(repeating: 0, count: 24),
      ])
  }

  @Test func `the status counts each lane's answers of the last hour`() throws {
    try stage.take("relapse", of: "amina")
    try stage.run(to: "2026-03-02 12:00")
    stage.reply = { .success($0.map { _ in .retry(after: .minutes(10), reason: "503") }) }
    try stage.run(to: "2026-03-02 12:30")
    var lane = try #require(try stage.status().lanes.first)
    #expect(lane.delivered.count == 60 && lane.failed.count == 60)
    #expect(lane.delivered[29] == 1 && lane.delivered.reduce(0, +) == 1)
    #expect(lane.failed.reduce(0, +) == 0)
    try stage.take("relapse", of: "bilal")
    try stage.run(to: "2026-03-03 12:05")
    lane = try #require(try stage.status().lanes.first)
    #expect(lane.failed[54] == 2 && lane.delivered.reduce(0, +) == 0)
  }

  @Test func `a minute's counters are reused after a day`() {
    var ring = MinuteRing(kindCount: 2)
    let length = Int64(MinuteRing.length)
    ring.add([1, 2], in: 10)
    ring.add([1, 0], in: 10)
    #expect(ring.sum(of: 0, in: 0..<20) == 2 && ring.sum(of: 1, in: 10..<11) == 2)
    ring.add([5, 5], in: 10 + length)
    #expect(ring.sum(of: 0, in: 0..<20) == 0)
    #expect(ring.sum(of: 0, in: length..<length + 20) == 5)
    // After the clock is set back, the slot of a later minute is emptied for the earlier minute.
    ring.add([7, 7], in: 10)
    #expect(ring.sum(of: 1, in: 10..<11) == 7)
    ring.add([3, 3], in: -1)
    #expect(ring.sum(of: 0, in: -5..<0) == 3)
  }

  @Test func `a lane's activity adds up although its counters restart at zero`() throws {
    var log = ActivityLog()
    let now = try utc("2026-03-02 09:00")
    var counters = LaneCounters()
    counters.delivered = 5
    log.note(counters, of: "hook", at: now)
    counters.delivered = 2
    log.note(counters, of: "hook", at: now)
    counters.delivered = 3
    log.note(counters, of: "hook", at: now)
    #expect(log.lastHour(of: "hook", .delivered, now: now).last == 8)
  }
}
