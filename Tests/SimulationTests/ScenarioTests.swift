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
    let timeline = scenario.timeline.map(Self.compared)
    let expected = scenario.expected.map(Self.compared)
    for (index, (line, wanted)) in zip(timeline, expected).enumerated() where line != wanted {
      Issue.record("scenario \(number), line \(index + 1):\n  \(line)\nmust be\n  \(wanted)")
      return
    }
    #expect(timeline.count == expected.count, "scenario \(number)")
  }

  @Test(arguments: 1...12)
  func `L1: a delivery later than planned has its reasons`(number: Int) throws {
    for line in try Scenario(number).expected where line["outcome"] == "delivered" {
      #expect((line["at"] == line["planned"]) == (line["reasons"] == []), "\(line)")
    }
  }

  /// The fields of a line that the model determines.
  private static func compared(_ line: JSONValue) -> JSONValue {
    .array(fields.map { line[$0] ?? .null })
  }
}
