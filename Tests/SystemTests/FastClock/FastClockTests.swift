import CivilTime
import Testing

/// Rule L1 for the program itself: `chimed serve` does what `chimed simulate` prints, if each event
/// is reported at its time. The clock runs 500 times as fast as real time near events and outcomes,
/// and 4,000 times as fast between them.
///
/// A service that is more than a minute of that clock late may rightly decide something else (rule
/// T8). So a run counts only if nothing was that late. Otherwise the clock is slowed down, and if
/// that does not help, the test warns and judges nothing.
@OwnThread @Suite struct FastClockTests {
  private static let paces = [FastPace(busy: 500, idle: 4_000), FastPace(busy: 250, idle: 2_000)]

  @Test(
    .enabled(if: FastClock.isAvailable, "the clock needs a C compiler"),
    arguments: FastScenario.chosen)
  func `L1: the service does what is simulated`(_ scenario: FastScenario) throws {
    let simulated = try FastRun(simulating: scenario, in: Workspace())
    try #require(!simulated.instants.isEmpty)
    for pace in Self.paces {
      let run = try FastRun(of: scenario, at: pace, busy: simulated.busy)
      guard run.isPunctual else {
        print(
          "\(scenario.name) at \(pace): too slow to be judged, events came up to \(run.lateness) "
            + "late, and \(run.lateTurns) due recipients by more than a minute")
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
