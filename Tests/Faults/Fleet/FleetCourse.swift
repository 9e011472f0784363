import Dispatch
import Synchronization

/// Simulates the fleets of a run on several threads, and collects their totals and findings.
final class FleetCourse: Sendable {
  private struct State {
    var next = 0
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

  func run(threads: Int, _ say: @Sendable (String) -> Void) {
    let start = ContinuousClock.now
    DispatchQueue.concurrentPerform(iterations: threads) { _ in
      while let seed = next() { simulate(seed, say) }
    }
    say(words(seconds: (ContinuousClock.now - start) / .seconds(1)))
  }

  private func next() -> UInt64? {
    state.withLock { state in
      guard state.next < count, !stopsAtFinding || state.findings.isEmpty else { return nil }
      state.next += 1
      return first &+ UInt64(state.next - 1)
    }
  }

  private func simulate(_ seed: UInt64, _ say: (String) -> Void) {
    let life = FleetLife(seed: seed)
    let findings = life.run().map { "seed \(seed): \($0)" }
    state.withLock { state in
      state.tally += life.tally
      state.findings += findings
    }
    for finding in findings.prefix(3) { say(finding) }
  }

  private func words(seconds: Double) -> String {
    let (done, tally) = state.withLock { ($0.next, $0.tally) }
    return """
      \(done) fleets, \(Int(Double(done) * 60 / seconds)) a minute
      \(tally.evicted) nodes evicted, \(tally.released) shards given away
      \(tally.events) events, \(tally.repeats) deliveries repeated after takeovers
      longest takeover: \(tally.afterDeath) after a death, \(tally.afterHang) after a hang
      \(findings.isEmpty ? "no findings" : "\(findings.count) findings")
      """
  }
}
