import Dispatch
import Synchronization

/// Simulates the fleets of a run on several threads, and collects their totals and findings.
final class FleetCourse: Sendable {
  private struct State {
    /// The number of fleets whose simulation has begun.
    var begunCount = 0
    var tally = FleetTally()
    var findings: [String] = []
  }

  private let first: UInt64
  private let count: Int
  private let stopsAtFinding: Bool
  private let state = Mutex(State())

  /// - Parameters:
  ///   - first: the first seed.
  ///   - count: the number of seeds.
  ///   - stopsAtFinding: whether a finding ends the run.
  init(first: UInt64, count: Int, stopsAtFinding: Bool) {
    (self.first, self.count, self.stopsAtFinding) = (first, count, stopsAtFinding)
  }

  var findings: [String] { state.withLock(\.findings) }

  /// Simulates all fleets. Calls `log` for the first findings of each fleet, and at the end for a
  /// summary.
  func run(threads: Int, _ log: @Sendable (String) -> Void) {
    let start = ContinuousClock.now
    DispatchQueue.concurrentPerform(iterations: threads) { _ in
      while let seed = nextSeed() { simulate(seed, log) }
    }
    log(summary(seconds: (ContinuousClock.now - start) / .seconds(1)))
  }

  /// Returns the seed of the next fleet; nil at the end of the run.
  private func nextSeed() -> UInt64? {
    state.withLock { state in
      guard state.begunCount < count, !stopsAtFinding || state.findings.isEmpty else { return nil }
      state.begunCount += 1
      return first &+ UInt64(state.begunCount - 1)
    }
  }

  private func simulate(_ seed: UInt64, _ log: (String) -> Void) {
    let life = FleetLife(seed: seed)
    let findings = life.run().map { "seed \(seed): \($0)" }
    state.withLock { state in
      state.tally += life.tally
      state.findings += findings
    }
    for finding in findings.prefix(3) { log(finding) }
  }

  /// - Parameter seconds: the duration of the run.
  private func summary(seconds: Double) -> String {
    let (fleetCount, tally) = state.withLock { ($0.begunCount, $0.tally) }
    return """
      \(fleetCount) fleets, \(Int(Double(fleetCount) * 60 / seconds)) a minute
      \(tally.evictions) nodes evicted, \(tally.releases) shards given away
      \(tally.events) events, \(tally.repeats) deliveries repeated after takeovers
      longest takeover: \(tally.longestAfterDeath) after a death, \
      \(tally.longestAfterHang) after a hang
      \(findings.isEmpty ? "no findings" : "\(findings.count) findings")
      """
  }
}
