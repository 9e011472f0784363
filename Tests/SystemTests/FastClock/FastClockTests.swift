import CivilTime
import Testing

/// Rule L1 by the program itself: what `chimed simulate` prints, `chimed serve` does on a clock
/// that goes 500 times as fast, told of each event when its time has come.
///
/// A service that is more than a minute of that clock late, which are 120 ms, may decide something
/// else by right (rule T8). So it is judged only where nothing was as late; else the clock goes
/// slower, and where that does not help either the test says so and judges nothing.
@OwnThread @Suite struct FastClockTests {
  private static let rates: [Int64] = [500, 200]

  @Test(
    .enabled(if: FastClock.isThere, "a C compiler makes the clock"),
    arguments: FastScenario.chosen)
  func l1TheServiceDoesWhatIsSimulated(_ scenario: FastScenario) throws {
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
