import Synchronization

/// A loop of planning or gates that did not end within its bound (rule H6): a fault of the program,
/// which ends for one recipient instead of running for ever for all.
package struct PlanningOverrun: Error, Hashable, CustomStringConvertible {
  /// The loop, such as "gates".
  package let loop: String

  package init(loop: String) {
    self.loop = loop
  }

  package var description: String {
    "planning did not end: \(loop) took more steps than any plan needs"
  }
}

extension PlanningOverrun {
  /// Where a caller finds out whether a loop was cut short, so that nothing of that plan counts.
  package final class Recorder: Sendable {
    private let overrun = Mutex<PlanningOverrun?>(nil)

    package init() {}

    func record(_ loop: StaticString) {
      overrun.withLock { $0 = $0 ?? PlanningOverrun(loop: "\(loop)") }
    }

    /// Returns the first overrun since the last call, and forgets it.
    package func take() -> PlanningOverrun? {
      overrun.withLock { $0.take() }
    }
  }

  @TaskLocal package static var recorder: Recorder?

  #if DEBUG
    /// A bound for all loops, for tests.
    @TaskLocal package static var steps: Int?
  #endif
}

/// Counts the steps of one loop.
struct LoopBound {
  private let loop: StaticString
  private var left: Int

  /// More than a plan of 100 years takes by the day, and of a year by the quarter of an hour.
  static let steps = 50_000

  init(_ loop: StaticString, steps: Int = Self.steps) {
    (self.loop, left) = (loop, steps)
    #if DEBUG
      if let steps = PlanningOverrun.steps { left = steps }
    #endif
  }

  /// Whether the loop may go on. Past its bound it may not, which is recorded.
  @inline(__always)
  mutating func goesOn() -> Bool {
    left -= 1
    return left >= 0 || stop()
  }

  @inline(never)
  private func stop() -> Bool {
    PlanningOverrun.recorder?.record(loop)
    return false
  }
}
