import Foundation

/// The seeds of random tests: `CHIMED_SEED=17 swift test` runs them with that one alone, which
/// repeats what a failure printed.
enum Seeds {
  static let all: [UInt64] = given.map { [$0] } ?? [1, 2, 3] + fresh

  /// Continuous integration judges a change by the same seeds every time; elsewhere a new one is
  /// tried with each run.
  private static let fresh: [UInt64] =
    ProcessInfo.processInfo.environment["CI"] == nil
    ? [UInt64.random(in: 0...UInt64.max)] : []

  private static let given = ProcessInfo.processInfo.environment["CHIMED_SEED"].flatMap {
    UInt64($0)
  }
}
