import JSON
import Reminders
import Testing

/// A scenario of the directory `Scenarios`.
struct Scenario {
  let planner: Planner
  let events: [Event]
  let until: String
  /// The simulation's output.
  let timeline: [JSONValue]
  /// The model's output.
  let expected: [JSONValue]

  init(_ number: Int) throws {
    func text(_ part: String) throws -> String {
      try Fixtures.text(of: "SimulationTests/Scenarios/\(number).\(part)")
    }
    let planner = try Fixtures.planner()
    let reader = EventReader(planner: planner)
    self.planner = planner
    events = try Fixtures.lines(of: text("events.ndjson")).map { try reader.event($0, now: nil) }
    until = try text("until").filter { !$0.isWhitespace }
    timeline = try Fixtures.timeline(events, planner, until: until)
    expected = try Fixtures.lines(of: text("expected.ndjson"))
  }
}
