import Proving
import Testing

/// Rule G19: a search finds faults that are known to be in a catalog.
@Suite struct PlantedFaultTests {
  @Test(arguments: PlantedFault.all)
  func `G19: a planted fault is found by its rule`(fault: PlantedFault) throws {
    let report = try fault.report(isWrong: true)
    let found = report.counterexamples.filter { $0.rule == fault.rule }
    #expect(found.map(\.reminder).contains(fault.reminder), "\(report.text(catalogs: []))")
    let others = report.counterexamples.filter { $0.rule != fault.rule }
    #expect(others.isEmpty, "\(report.text(catalogs: []))")
  }

  @Test(arguments: PlantedFault.all)
  func `G19: the right variant of a planted fault passes`(fault: PlantedFault) throws {
    let report = try fault.report(isWrong: false)
    #expect(report.counterexamples.isEmpty, "\(report.text(catalogs: []))")
  }

  /// A counterexample would otherwise hide a wrong proof.
  @Test(arguments: PlantedFault.all)
  func `G19: no declarations prove a rule that they break`(fault: PlantedFault) throws {
    var prover = Prover(planner: try fault.planner(isWrong: true))
    for result in try prover.run(worldsMax: 1, isOver: { true }).results
    where result.rule == fault.rule {
      if case .proved(let reason) = result.verdict { Issue.record("\(reason)") }
    }
  }
}
