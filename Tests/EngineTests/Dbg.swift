import CivilTime
import Reminders
import JSON
import Testing
@testable import Engine
@Suite struct Dbg {
  @Test func oneTime() throws {
    let stage = try Stage(at: "2026-03-02 09:00")
    try stage.take("lesson.completed", ["day": 3])
    try stage.take("streak.started")
    try stage.jump(to: "2027-03-02 12:00")
    try stage.jump(to: "2026-03-02 09:10")
    for e in try stage.agenda()!.entries { print("AGENDA", e.line) }
    try stage.run(to: "2026-03-10 00:00")
    for l in stage.said { print("SAID", l) }
  }
  @Test func flood() throws {
    let stage = try Stage(at: "2026-03-02 09:00")
    try stage.take("lesson.completed", ["day": 30])
    try stage.jump(to: "2020-03-02 12:00")
    print("FLOOD before", stage.notes.count, stage.said)
    try stage.jump(to: "2026-03-02 09:10")
    print("FLOOD after", stage.notes.count, stage.said)
  }
  @Test func restartAfterAhead() throws {
    let stage = try Stage(at: "2026-03-02 09:00")
    try stage.take("lesson.completed", ["day": 30])
    try stage.jump(to: "2027-03-02 12:00")
    try stage.restart(at: try utc("2026-03-02 09:10"))
    try stage.run(to: "2026-03-10 00:00")
    print("RESTART", stage.said)
  }
}
