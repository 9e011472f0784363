#if DEBUG
  package import Synchronization

  /// Counts what is looked at, for the tests that prove how cost grows (rule H6).
  package final class WorkMeter: Sendable {
    private let steps = Atomic(0)

    package init() {}

    package var total: Int { steps.load(ordering: .relaxed) }

    func add(_ count: Int) { steps.add(count, ordering: .relaxed) }
  }
#endif

/// The work that grows with a person's amount of data, counted in debug builds alone: a release
/// build has none of it.
package enum Work {
  #if DEBUG
    @TaskLocal package static var meter: WorkMeter?
  #endif

  /// Notes that so many things were looked at, or one was looked up in what is sorted or hashed.
  @inline(__always)
  static func count(_ steps: @autoclosure () -> Int = 1) {
    #if DEBUG
      meter?.add(steps())
    #endif
  }
}
