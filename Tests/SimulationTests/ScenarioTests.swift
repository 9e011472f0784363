import JSON
import Testing

/// Rule L1: what the simulation prints is what a model that was written apart from it says.
@Suite struct ScenarioTests {
  private static let fields = [
    "at", "recipient", "reminder", "channel", "outcome", "planned", "reasons",
  ]

  @Test(arguments: 1...12)
  func l1TheTimelineIsWhatTheModelSays(number: Int) throws {
    let scenario = try Scenario(number)
    let timeline = scenario.timeline.map(Self.compared)
    let expected = scenario.expected.map(Self.compared)
    for (index, (line, wanted)) in zip(timeline, expected).enumerated() where line != wanted {
      Issue.record("scenario \(number), line \(index + 1):\n  \(line)\nmust be\n  \(wanted)")
      return
    }
    #expect(timeline.count == expected.count, "scenario \(number)")
  }

  @Test(arguments: 1...12)
  func l1WhatGoesOutLaterThanPlannedSaysWhy(number: Int) throws {
    for line in try Scenario(number).expected where line["outcome"] == "delivered" {
      #expect((line["at"] == line["planned"]) == (line["reasons"] == []), "\(line)")
    }
  }

  /// A line without what the model does not tell.
  private static func compared(_ line: JSONValue) -> JSONValue {
    .array(fields.map { line[$0] ?? .null })
  }
}
