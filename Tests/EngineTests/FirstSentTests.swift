import CivilTime
import JSON
import Reminders
import Testing

@testable import Engine
@testable import SQLiteStore

/// Rule S1: the status names the next notifications without planning days for each query.
@Suite struct FirstSentTests {
  private func simulations(_ stage: Stage) throws -> Int {
    try stage.core().questions.published.firstSent.simulations
  }

  private func nextNotifications(_ stage: Stage) throws -> [String] {
    try stage.status().next.map { "\($0.reminder) \($0.recipients) \($0.at)" }
  }

  @Test func `S1: repeated status queries plan the days of the next recipients once`() throws {
    let stage = try Stage(at: "2026-03-02 09:00")
    for name in ["amina", "bilal", "chidi"] {
      try stage.take("lesson.completed", ["day": 1], of: name)
    }
    let first = try nextNotifications(stage)
    let simulations = try simulations(stage)
    #expect(!first.isEmpty && simulations > 0)
    for _ in 0..<20 { #expect(try nextNotifications(stage) == first) }
    #expect(try self.simulations(stage) == simulations)
  }

  @Test func `S1: the status shows a change of a recipient at once`() throws {
    let stage = try Stage(at: "2026-03-02 09:00")
    for name in ["amina", "bilal"] { try stage.take("lesson.completed", ["day": 1], of: name) }
    let before = try nextNotifications(stage)
    try stage.take(
      "preferences.updated", ["reminders": ["checkin": ["time": "10:30"]]], of: "bilal")
    let after = try nextNotifications(stage)
    #expect(after != before)
    #expect(after.first?.contains("T10:30:00") == true)
    try stage.run(to: "2026-03-02 10:31")
    #expect(try nextNotifications(stage).first?.contains("T10:30:00") == false)
  }

  #if DEBUG
    /// The steps do not depend on how many recipients share a due instant, because eight recipients
    /// of each instant are examined.
    @Test func `S8: a status query takes as many steps for 250 recipients as for 90`() throws {
      let (few, many) = (try steps(recipients: 90), try steps(recipients: 250))
      #expect(few.first > 0)
      #expect(many.first <= few.first + 32, "\(few) \(many)")
      #expect(many.later <= few.later + 32, "\(few) \(many)")
      #expect(many.simulations == few.simulations && many.simulations <= 5 * 8)
    }

    /// Returns the steps of the first and a later status query, and the number of simulated
    /// recipients. The recipients have ten different check-in times.
    private func steps(recipients count: Int) throws -> (first: Int, later: Int, simulations: Int) {
      let stage = try Stage(at: "2026-03-02 09:00")
      for number in 0..<count {
        let time = JSONValue.string("10:0\(number % 10)")
        try stage.take(
          "preferences.updated", ["reminders": ["checkin": ["time": time]]], of: "u\(number)")
      }
      func steps() throws -> Int {
        let meter = WorkMeter()
        let next = try Work.$meter.withValue(meter) { try stage.status().next }
        #expect(next.map(\.recipients) == [8, 8, 8, 8, 8] && next.allSatisfy(\.hasMore))
        return meter.total
      }
      return (try steps(), try steps(), try simulations(stage))
    }
  #endif
}
