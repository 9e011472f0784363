import CivilTime
import JSON
import Reminders
import Testing

@testable import Engine
@testable import SQLiteStore

/// The status names what goes out next without a look at people's days each time (rule S1).
@Suite struct FirstSentTests {
  private func looks(_ stage: Stage) throws -> Int {
    try stage.core().questions.published.firstSent.looks
  }

  private func next(_ stage: Stage) throws -> [String] {
    try stage.status().next.map { "\($0.reminder) \($0.recipients) \($0.at)" }
  }

  @Test func `S1: the days of people who are due next are played through once`() throws {
    let stage = try Stage(at: "2026-03-02 09:00")
    for name in ["amina", "bilal", "chidi"] {
      try stage.take("lesson.completed", ["day": 1], of: name)
    }
    let first = try next(stage)
    let looks = try looks(stage)
    #expect(!first.isEmpty && looks > 0)
    for _ in 0..<20 { #expect(try next(stage) == first) }
    #expect(try self.looks(stage) == looks)
  }

  @Test func `S1: a change of a person is seen at once`() throws {
    let stage = try Stage(at: "2026-03-02 09:00")
    for name in ["amina", "bilal"] { try stage.take("lesson.completed", ["day": 1], of: name) }
    let before = try next(stage)
    try stage.take(
      "preferences.updated", ["reminders": ["checkin": ["time": "10:30"]]], of: "bilal")
    let after = try next(stage)
    #expect(after != before)
    #expect(after.first?.contains("T10:30:00") == true)
    try stage.run(to: "2026-03-02 10:31")
    #expect(try next(stage).first?.contains("T10:30:00") == false)
  }
}
