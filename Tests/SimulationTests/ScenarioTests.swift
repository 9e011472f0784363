import JSON
import Testing

/// Rule L1: the simulation's output agrees with an independent model.
@Suite struct ScenarioTests {
  private static let fields = [
    "at", "recipient", "reminder", "channel", "outcome", "planned", "reasons",
  ]

  @Test(arguments: 1...12)
  func `L1: the timeline agrees with the model`(number: Int) throws {
    let scenario = try Scenario(number)
    let timeline = scenario.timeline.map(Self.comparablePart)
    let expected = scenario.expected.map(Self.comparablePart)
    for (index, (line, expectedLine)) in zip(timeline, expected).enumerated()
    where line != expectedLine {
      Issue.record("scenario \(number), line \(index + 1):\n  \(line)\nmust be\n  \(expectedLine)")
      return
    }
    #expect(timeline.count == expected.count, "scenario \(number)")
  }

  @Test(arguments: 1...12)
  func `L1: a delivery has reasons if and only if it is later than planned`(number: Int) throws {
    for line in try Scenario(number).expected where line["outcome"] == "delivered" {
      #expect((line["at"] == line["planned"]) == (line["reasons"] == []), "\(line)")
    }
  }

  /// Returns the fields of a line that the model determines.
  private static func comparablePart(_ line: JSONValue) -> JSONValue {
    .array(fields.map { line[$0] ?? .null })
  }
}
