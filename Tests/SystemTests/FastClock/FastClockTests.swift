import CivilTime
import Testing

/// Rule L1 for the program itself: `chimed serve` does what `chimed simulate` prints, if each event
/// is reported at its time. The clock runs 500 times as fast as real time near events and outcomes,
/// and 4,000 times as fast between them.
///
/// If the service is more than a minute late by that clock, rule T8 allows other decisions. So the
/// test judges a run only if nothing was that late. Otherwise it repeats the run with a slower
/// clock. If that run is late too, the test only warns.
@OwnThread @Suite struct FastClockTests {
  private static let paces = [
    FastPace(busyRate: 500, idleRate: 4_000), FastPace(busyRate: 250, idleRate: 2_000),
  ]

  @Test(
    .enabled(if: FastClock.isAvailable, "the clock needs a C compiler"),
    arguments: FastScenario.testedScenarios)
  func `L1: the service does what is simulated`(_ scenario: FastScenario) throws {
    let simulated = try FastRun(simulating: scenario, in: Workspace())
    try #require(!simulated.instants.isEmpty)
    for pace in Self.paces {
      let run = try FastRun(of: scenario, at: pace, slowNear: simulated.busyInstants)
      guard run.isPunctual else {
        print(
          "\(scenario.name) at \(pace): too slow to be judged: events were up to \(run.lateness) "
            + "late, and \(run.lateFirings) due recipients more than a minute")
        continue
      }
      let (lines, lag) = run.differences(from: simulated)
      print("\(scenario.name) at \(pace): \(run.count) deliveries, at most \(lag) late")
      for line in lines { Issue.record("\(scenario.name): \(line)") }
      return
    }
    Issue.record("\(scenario.name): this machine is too busy to judge it", severity: .warning)
  }
}
