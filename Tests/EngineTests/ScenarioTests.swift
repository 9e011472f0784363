import CivilTime
import Engine
import JSON
import Reminders
import Testing

/// Rule L1: if each event of a scenario is submitted at its time, the service does what the
/// simulation prints.
@Suite struct ScenarioTests {
  private static let gateScenarios = [
    "p7-e5", "v10-evening", "v11-zone", "v4-vacation", "v5-cancelled", "v5-digest", "v5-interval",
    "v5-slot", "v5-waiting", "v6-channels", "v6-twins", "v9-weekdays", "1", "2", "3", "4", "5", "6",
    "7", "8", "digest-interval", "digest-drop", "standstill",
  ]

  @Test(arguments: gateScenarios)
  func `L1: the service matches the simulation of the gates`(name: String) throws {
    try check("gates/\(name)", try Fixtures.gatesPlanner())
  }

  @Test(arguments: 1...12)
  func `L1: the service matches the simulation of the reminder program`(number: Int) throws {
    try check("\(number)", try Fixtures.planner())
  }

  private func check(_ name: String, _ planner: Planner) throws {
    let events = try events(name, planner)
    let until = try Fixtures.scenario("\(name).until").filter { !$0.isWhitespace }
    let end = try #require(Instant(until))
    let stage = try Stage(planner: planner, at: "2020-01-01 00:00")
    try stage.play(events, until: end)
    expectSame(try stage.timeline, try simulatedTimeline(events, planner, until: end), name)
  }

  private func events(_ name: String, _ planner: Planner) throws -> [Event] {
    let (reader, parser) = (EventReader(planner: planner), JSONParser())
    return try Fixtures.scenario("\(name).events.ndjson").split(separator: "\n").map {
      try reader.event(try parser.parse(String($0)), now: nil)
    }
  }
}

extension Stage {
  /// Submits events in the order of their times, and events of one instant together. Some events
  /// repeat earlier ones or conflict with them.
  fileprivate func play(_ events: [Event], until end: Instant) throws {
    let ordered = events.enumerated()
      .filter { $1.time <= end }
      .sorted { ($0.element.time, $0.offset) < ($1.element.time, $1.offset) }
    var remaining = ordered.map(\.element)[...]
    if let first = remaining.first { try jump(to: first.time - .milliseconds(1)) }
    while let first = remaining.first {
      try run(to: first.time)
      let simultaneous = remaining.prefix { $0.time == first.time }
      _ = try submit(Array(simultaneous))
      remaining = remaining.dropFirst(simultaneous.count)
    }
    try run(to: end)
  }
}
