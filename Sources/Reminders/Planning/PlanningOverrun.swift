import Synchronization

/// The error for a loop in planning or in the gates that exceeded its bound (rule H6). It is a
/// fault of chimed. Planning stops for one recipient, so that other recipients do not wait.
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
  /// Records whether a loop exceeded its bound and was cut short, so that the plan is invalid.
  package final class Recorder: Sendable {
    private let overrun = Mutex<PlanningOverrun?>(nil)

    package init() {}

    func record(_ loop: StaticString) {
      overrun.withLock { $0 = $0 ?? PlanningOverrun(loop: "\(loop)") }
    }

    /// Returns the first overrun since the last call, and removes it.
    package func take() -> PlanningOverrun? {
      overrun.withLock { $0.take() }
    }
  }

  @TaskLocal package static var recorder: Recorder?

  #if DEBUG
    /// The bound of all loops in a test; nil for the usual bounds.
    @TaskLocal package static var steps: Int?
  #endif
}

/// A step counter that limits one loop.
package struct LoopBound {
  private let loop: StaticString
  private var remaining: Int

  /// The default bound. It suffices for a step on each day of 100 years, or in each quarter of an
  /// hour of a year.
  package static let steps = 50_000

  package init(_ loop: StaticString, steps: Int = LoopBound.steps) {
    (self.loop, remaining) = (loop, steps)
    #if DEBUG
      if let steps = PlanningOverrun.steps { remaining = steps }
    #endif
  }

  /// Counts a step, and returns whether the loop may continue. If not, records an overrun.
  @inline(__always)
  package mutating func countStep() -> Bool {
    remaining -= 1
    return remaining >= 0 || stop()
  }

  @inline(never)
  private func stop() -> Bool {
    PlanningOverrun.recorder?.record(loop)
    return false
  }
}
