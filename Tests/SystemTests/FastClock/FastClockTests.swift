import CivilTime
import Testing

/// Rule L1 for the program itself: `chimed serve` does what `chimed simulate` prints, on a clock
/// that runs 500 times as fast and with each event reported at its time.
///
/// A service that is more than a minute of that clock late, which are 120 ms, may rightly decide
/// something else (rule T8). So a run counts only if nothing was that late. Otherwise the clock is
/// slowed down, and if that does not help, the test warns and judges nothing.
/// slower, and where that does not help either the test says so and judges nothing.
@OwnThread @Suite struct FastClockTests {
  private static let rates: [Int64] = [500, 200]

  @Test(
    .enabled(if: FastClock.isThere, "a C compiler makes the clock"),
    arguments: FastScenario.chosen)
  func `L1: the service does what is simulated`(_ scenario: FastScenario) throws {
    let simulated = try FastRun(simulating: scenario, in: Workspace())
    try #require(!simulated.instants.isEmpty)
    for rate in Self.rates {
      let run = try FastRun(of: scenario, rate: rate)
      guard run.isPunctual else {
        print(
          "\(scenario.name) at \(rate) times its speed: too slow to be judged, events came up to "
            + "\(run.lateness) late, \(run.lateTurns) turns by more than a minute")
        continue
      }
      let (lines, lag) = run.differences(from: simulated)
      print(
        "\(scenario.name) at \(rate) times its speed: \(run.count) deliveries, at most \(lag) late")
      for line in lines { Issue.record("\(scenario.name): \(line)") }
      return
    }
    Issue.record("\(scenario.name): this machine is too busy to judge it", severity: .warning)
  }
}
