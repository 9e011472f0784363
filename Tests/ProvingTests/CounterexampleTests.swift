import CivilTime
import JSON
import Proving
import Reminders
import Testing

/// Rule G19: a counterexample is a file of events that a simulation plays.
@Suite struct CounterexampleTests {
  /// Returns the lines that `chimed simulate` prints for a counterexample.
  private func timeline(_ example: Counterexample, _ planner: Planner) throws -> [JSONValue] {
    let reader = EventReader(planner: planner)
    let events = try example.events.map { try reader.event(try JSONParser.parse($0), now: nil) }
    var simulation = Simulation(planner: planner, events: events, until: example.until)
    var lines: [JSONValue] = []
    try simulation.run { entries in
      for entry in entries {
        var writer = JSONWriter()
        entry.write(to: &writer, isExplained: false)
        lines.append(try JSONParser.parse(writer.bytes))
      }
    }
    #expect(simulation.refused.isEmpty)
    return lines
  }

  private static let played = PlantedFault.all.filter { $0.rule != .alive }

  @Test(arguments: played)
  func `G19: a simulation of a counterexample prints its lines`(fault: PlantedFault) throws {
    let report = try fault.report(isWrong: true)
    let planner = try fault.planner(isWrong: true)
    let example = try #require(report.counterexamples.first { $0.reminder == fault.reminder })
    let lines = try timeline(example, planner)
    for line in example.broken { #expect(lines.contains(try JSONParser.parse(line))) }
    for line in example.missing { #expect(!lines.contains(try JSONParser.parse(line))) }
    #expect(example.events.count <= 6, "\(example.events)")
    let hasLines = !example.broken.isEmpty || !example.missing.isEmpty
    #expect(hasLines || fault.rule == .announced)
  }

  @Test func `G19: the same seed finds the same counterexamples`() throws {
    let fault = PlantedFault.all[3]
    let first = try fault.report(isWrong: true, seed: 7)
    let second = try fault.report(isWrong: true, seed: 7)
    #expect(first.document == second.document)
    let other = try fault.report(isWrong: true, seed: 8)
    #expect(other.document != first.document)
  }

  @Test func `G19: a search ends when its time is over`() throws {
    var prover = Prover(planner: try PlantedFault.all[0].planner(isWrong: false))
    var asked = 0
    let report = try prover.run(
      worldsMax: .max,
      isOver: {
        asked += 1
        return asked > 3
      })
    #expect(report.worldCount == 3)
  }

  @Test func `G19: a search is never called a proof`() throws {
    let report = try PlantedFault.all[1].report(isWrong: false)
    let verdicts = report.results.map { result in
      switch result.verdict {
      case .proved: "proved"
      case .searched: "searched"
      default: "other"
      }
    }
    #expect(Set(verdicts) == ["proved", "searched"])
    let text = report.text(catalogs: ["test.yaml"])
    #expect(text.contains("searched  texts: "))
    #expect(text.contains("proved    quiet-hours: "))
  }
}
