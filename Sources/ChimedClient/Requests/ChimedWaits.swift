/// Waits that grow with the number of failures in a row.
///
/// The first wait is `first`, and each further wait is twice as long, up to `longest`. Each wait is
/// shortened by a random part of up to half of it, so that clients do not return at the same
/// instant.
public struct ChimedWaits: Hashable, Sendable {
  public var first: Duration
  public var longest: Duration

  public init(first: Duration = .milliseconds(500), longest: Duration = .seconds(60)) {
    self.first = first
    self.longest = longest
  }

  /// Returns the wait after a number of failures in a row.
  ///
  /// - Parameters:
  ///   - failures: from 1.
  ///   - spread: a random number from 0 to 1; with 0 the wait is the longest.
  public func wait(after failures: Int, spread: Double) -> Duration {
    var wait = min(first, longest)
    // After 64 doublings, any positive wait has reached its limit.
    for _ in 1..<min(max(failures, 1), 64) {
      if wait >= longest { break }
      wait = min(wait * 2, longest)
    }
    return wait * (1 - min(max(spread, 0), 1) / 2)
  }
}
