import CivilTime
import Dispatch
import JSON
import Reminders
import TestSupport
import Testing

/// Rule L1: a timeline depends on the events alone, not on how the simulation runs.
@Suite struct IndependencePropertyTests {
  private static let scenarios = [1, 2, 6, 8, 9]

  @Test(arguments: scenarios)
  func `the timeline does not depend on the order of lines`(number: Int) throws {
    let scenario = try Scenario(number)
    var random = SplitMix64(seed: UInt64(number))
    let timeline = try Fixtures.timeline(
      scenario.events.shuffled(using: &random), scenario.planner, until: scenario.until)
    #expect(timeline == scenario.timeline)
  }

  @Test(arguments: scenarios)
  func `recipients do not influence one another`(number: Int) throws {
    let scenario = try Scenario(number)
    for name in Set(scenario.events.map(\.recipient)) {
      let ownTimeline = try Fixtures.timeline(
        scenario.events.filter { $0.recipient == name }, scenario.planner, until: scenario.until)
      #expect(ownTimeline == scenario.timeline.filter { $0["recipient"]?.stringValue == name })
    }
  }

  @Test(arguments: scenarios)
  func `a shorter simulation is a prefix of a longer simulation`(number: Int) throws {
    let scenario = try Scenario(number)
    for index in stride(from: 0, to: scenario.timeline.count, by: 7) {
      // A drop is listed at its planned instant, which may be long before it is decided.
      let until = try #require(scenario.timeline[index]["at"]?.stringValue)
      let shorter = try Fixtures.timeline(scenario.events, scenario.planner, until: until)
      let expected = scenario.timeline.filter { ($0["at"]?.stringValue ?? "") <= until }
      let drops = expected.filter { $0["outcome"] == "dropped" }
      #expect(shorter == expected.filter { shorter.contains($0) || !drops.contains($0) })
    }
  }

  /// There are enough recipients for several concurrent groups.
  @Test func `many recipients have the timelines that each has alone`() throws {
    let scenario = try Scenario(7)
    let text = try Fixtures.text(of: "SimulationTests/Scenarios/7.events.ndjson")
    let reader = EventReader(planner: scenario.planner)
    let groups = try (0..<150).map { number in
      try Fixtures.lines(of: text).map { line in
        try reader.event(line.renamed(["subject", "id"]) { "\($0)-\(number)" }, now: nil)
      }
    }
    let timeline = try Fixtures.timeline(
      groups.flatMap { $0 }, scenario.planner, until: scenario.until,
      by: DispatchQueue.concurrentPerform)
    let times = timeline.compactMap { $0["at"]?.stringValue }
    #expect(times == times.sorted())
    #expect(timeline.count == 150 * scenario.timeline.count)
    for events in groups {
      let ownTimeline = try Fixtures.timeline(events, scenario.planner, until: scenario.until)
      let names = Set(events.map(\.recipient))
      #expect(ownTimeline == timeline.filter { names.contains($0["recipient"]?.stringValue ?? "") })
    }
  }
}

extension JSONValue {
  /// Returns a copy of an object in which the texts of the given members are changed.
  fileprivate func renamed(_ names: [String], _ change: (String) -> String) -> JSONValue {
    guard case .object(var object) = self else { return self }
    for name in names {
      guard let text = object[name]?.stringValue else { continue }
      object[name] = .string(change(text))
    }
    return .object(object)
  }
}
