import Proving
import Testing

/// Rule G17: a search finds faults that are known to be in a catalog.
@Suite struct PlantedFaultTests {
  @Test(arguments: PlantedFault.all)
  func `G17: a planted fault is found by its rule`(fault: PlantedFault) throws {
    let report = try fault.report(isWrong: true)
    let found = report.counterexamples.filter { $0.rule == fault.rule }
    #expect(found.map(\.reminder).contains(fault.reminder), "\(report.text(catalogs: []))")
    let others = report.counterexamples.filter { $0.rule != fault.rule }
    #expect(others.isEmpty, "\(report.text(catalogs: []))")
  }

  @Test(arguments: PlantedFault.all)
  func `G17: the right variant of a planted fault passes`(fault: PlantedFault) throws {
    let report = try fault.report(isWrong: false)
    #expect(report.counterexamples.isEmpty, "\(report.text(catalogs: []))")
  }
}
