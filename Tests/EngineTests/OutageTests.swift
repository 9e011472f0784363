import CivilTime
import GRDB
import JSON
import Outbox
import Reminders
import Store
import Testing

@testable import Engine
@testable import SQLiteStore

/// Rules D1 and V7: a sink that is down for hours.
@Suite struct OutageTests {
  let stage: Stage

  init() throws {
    stage = try Stage(at: "2026-03-02 09:00")
    for number in 0..<3 { try stage.take("lesson.completed", ["day": 30], of: "u\(number)") }
    stage.reply = Stage.failing
  }

  private func setQuietHours(_ name: String) throws {
    try stage.take(
      "preferences.updated",
      ["quietHours": ["enabled": true, "start": "22:00", "end": "06:00"]], of: name)
  }

  private func outcomes() throws -> [String] {
    try stage.database().read { database in
      try String.fetchAll(
        database,
        sql: """
          SELECT r.name || ' ' || n.outcome FROM notification n
          JOIN recipient r ON r.id = n.recipient ORDER BY n.id
          """)
    }
  }

  @Test func `D1: an outage loses nothing and keeps the order`() throws {
    try stage.run(to: "2026-03-02 21:00")
    for number in 0..<40 {
      try stage.take("milestone.reached", ["days": 7], of: "m\(number)")
      try stage.run(to: stage.now + .minutes(1))
    }
    #expect(stage.delivered.isEmpty)
    #expect(try stage.status().lanes[0].waiting == 43)
    #expect(try stage.status().lanes[0].failure == "gone")
    stage.reply = Stage.accepting
    try stage.run(to: stage.now + .minutes(2))
    let numbers = stage.delivered.map(\.notification)
    #expect(numbers == numbers.sorted())
    #expect(Set(stage.delivered.map(\.recipient)).count == 43)
    #expect(stage.delivered.count == 43)
    #expect(try stage.status().lanes[0].waiting == 0)
    #expect(try stage.status().lanes[0].failure == nil)
  }

  @Test func `a lane in an outage wakes the engine one to three times a minute`() throws {
    try stage.run(to: "2026-03-02 21:10")
    let previousTurns = stage.turns
    try stage.run(to: "2026-03-02 22:10")
    #expect((60...180).contains(stage.turns - previousTurns))
  }

  @Test func `D1: an outage with restarts neither loses nor repeats a delivery`() throws {
    try stage.run(to: "2026-03-02 21:30")
    for _ in 0..<3 {
      try stage.restart()
      try stage.run(to: stage.now + .minutes(20))
    }
    try stage.crash()
    stage.reply = Stage.accepting
    try stage.run(to: stage.now + .minutes(1))
    #expect(stage.delivered.map(\.recipient).sorted() == ["u0", "u1", "u2"])
    try stage.run(to: "2026-03-03 20:00")
    #expect(stage.delivered.count == 3)
  }

  @Test func `V7: deliveries that reach quiet hours in an outage are held`() throws {
    try setQuietHours("u0")
    try setQuietHours("u2")
    try stage.run(to: "2026-03-02 22:30")
    #expect(try stage.status().lanes[0].retrying == 2)
    stage.reply = Stage.accepting
    try stage.run(to: "2026-03-03 12:00")
    #expect(
      stage.delivered.map { "\($0.recipient)" } == ["u1", "u0", "u2"])
    #expect(try stage.status().lanes[0].retrying == 0)
  }

  @Test func `V7: a held delivery is sent once after an outage of a night`() throws {
    try setQuietHours("u0")
    try stage.run(to: "2026-03-03 06:20")
    stage.reply = Stage.accepting
    try stage.run(to: "2026-03-03 20:00")
    #expect(stage.delivered.map(\.recipient).sorted() == ["u0", "u1", "u2"])
    try stage.restart()
    try stage.run(to: "2026-03-03 20:30")
    #expect(stage.delivered.count == 3)
  }

  @Test(arguments: ["2026-03-03 03:00", "2026-03-03 07:00"])
  func `V7: a held delivery is sent once despite a restart`(restart: String) throws {
    for number in 0..<3 { try setQuietHours("u\(number)") }
    try stage.run(to: "2026-03-02 23:00")
    #expect(try stage.status().lanes[0].retrying == 3)
    stage.reply = Stage.accepting
    try stage.restart(at: utc(restart))
    try stage.run(to: "2026-03-03 20:00")
    #expect(stage.delivered.map(\.recipient).sorted() == ["u0", "u1", "u2"])
  }

  @Test func `T7: deliveries that expire in an outage are recorded as dropped`() throws {
    try stage.run(to: "2026-03-03 08:59")
    stage.reply = Stage.accepting
    try stage.jump(to: "2026-03-03 09:01")
    try stage.run(to: "2026-03-03 09:02")
    #expect(stage.delivered.isEmpty)
    #expect(try outcomes() == ["u0 2", "u1 2", "u2 2"])
    #expect(try stage.status().lanes[0].waiting == 0)
  }

  @Test func `V7: a recipient who switched push off in an outage gets nothing`() throws {
    try stage.run(to: "2026-03-02 21:30")
    try stage.take("preferences.updated", ["channels": ["push": false]], of: "u1")
    stage.reply = Stage.accepting
    try stage.run(to: "2026-03-02 22:00")
    #expect(stage.delivered.map(\.recipient) == ["u0", "u2"])
    #expect(try outcomes() == ["u0 1", "u1 2", "u2 1"])
  }

  @Test func `H4: a recipient who was erased in an outage gets nothing`() throws {
    try stage.run(to: "2026-03-02 21:30")
    try stage.take("recipient.deleted", of: "u2")
    stage.reply = Stage.accepting
    try stage.run(to: "2026-03-02 22:00")
    #expect(stage.delivered.map(\.recipient) == ["u0", "u1"])
    try stage.restart()
    stage.reply = Stage.accepting
    try stage.take("milestone.reached", ["days": 7], of: "u0")
    try stage.run(to: "2026-03-02 22:01")
    #expect(stage.delivered.map(\.reminder).last == "milestone-7")
    let identifiers = stage.delivered.map(\.identifier)
    #expect(Set(identifiers).count == identifiers.count)
  }

  @Test func `a sink that replaces another continues at the previous sink's cursor`() throws {
    stage.reply = Stage.accepting
    try stage.run(to: "2026-03-02 22:00")
    stage.reply = Stage.failing
    try stage.take("milestone.reached", ["days": 7], of: "u0")
    try stage.run(to: "2026-03-02 22:05")
    stage.sink = NamedSink(name: "other")
    stage.reply = Stage.accepting
    try stage.restart()
    try stage.run(to: "2026-03-02 22:06")
    #expect(stage.delivered.map(\.recipient) == ["u0", "u1", "u2", "u0"])
    #expect(stage.delivered.last?.reminder == "milestone-7")
    stage.sink = NamedSink()
    try stage.restart()
    try stage.run(to: "2026-03-02 22:10")
    #expect(stage.delivered.count == 4)
    #expect(try outcomes() == ["u0 1", "u1 1", "u2 1", "u0 1"])
  }
}
