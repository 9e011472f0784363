import Foundation

/// The seeds of random tests. To repeat a failure, `CHIMED_SEED=17 swift test` runs the tests with
/// seed 17 alone.
enum Seeds {
  static let all: [UInt64] = environmentSeed.map { [$0] } ?? [1, 2, 3] + [newSeed]

  /// A new seed for each run. In continuous integration it is new for each day, so that a run can
  /// be repeated.
  private static let newSeed: UInt64 =
    ProcessInfo.processInfo.environment["CI"] == nil
    ? .random(in: 0 ... .max) : UInt64(Date().timeIntervalSince1970 / 86_400)

  private static let environmentSeed = ProcessInfo.processInfo.environment["CHIMED_SEED"].flatMap {
    UInt64($0)
  }
}
