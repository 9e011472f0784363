import CivilTime
import Dispatch
import Foundation
import JSON
import Reminders

/// Simulates a year of many recipients on the virtual clock, with the timeline as JSON.
struct SimulationBenchmark {
  let recipients: Int

  func run() throws {
    print("a year of \(recipients) recipients")
    let planner = try Workload.planner()
    let start = Instant("2026-01-01T00:00:00Z") ?? Instant(milliseconds: 0)
    var random = SeededGenerator(state: 1)
    let events = (0..<recipients).flatMap { self.events(of: $0, from: start, &random) }
    var lines = 0
    var bytes = 0
    let time = try seconds {
      var simulation = Simulation(planner: planner, events: events, until: start + .days(365))
      try simulation.run(by: DispatchQueue.concurrentPerform) { entries in
        bytes += entries.lines(isExplained: false, by: DispatchQueue.concurrentPerform)
          .reduce(0) { $0 + $1.count }
        lines += entries.count
      }
    }
    show("time", time, "s")
    show("timeline", Double(lines), "lines")
    show("its size", Double(bytes) / 1e6, "MB")
    show("that is", Double(lines) / time, "lines a second")
  }

  private func events(
    of recipient: Int, from start: Instant, _ random: inout SeededGenerator
  ) -> [Event] {
    var events: [Event] = []
    var time = start + .seconds(Int.random(in: 0..<86_400, using: &random))
    for day in 1...30 {
      events.append(
        Workload.event(
          recipient * 100 + day, "lesson.completed", recipient: recipient, at: time,
          .happening(number: Int64(day))))
      time = time + .hours(Int.random(in: 12..<72, using: &random))
    }
    events.append(
      Workload.event(
        recipient * 100 + 31, "relapse", recipient: recipient, at: time, .happening(number: nil)))
    return events
  }
}
