import Foundation

/// The seeds of random tests. `CHIMED_SEED=17 swift test` runs them with that seed alone, to repeat
/// a failure.
enum Seeds {
  static let all: [UInt64] = chosenSeed.map { [$0] } ?? [1, 2, 3] + [newSeed]

  /// A new seed for each run; in continuous integration one for each day, so that a run can be
  /// repeated.
  private static let newSeed: UInt64 =
    ProcessInfo.processInfo.environment["CI"] == nil
    ? .random(in: 0 ... .max) : UInt64(Date().timeIntervalSince1970 / 86_400)

  private static let chosenSeed = ProcessInfo.processInfo.environment["CHIMED_SEED"].flatMap {
    UInt64($0)
  }
}
