/// Decides whether and when a failed request is sent again.
public struct ChimedRetries: Hashable, Sendable {
  /// The maximum number of attempts, including the first.
  public var attempts: Int
  public var waits: ChimedWaits

  public init(attempts: Int = 5, waits: ChimedWaits = ChimedWaits()) {
    self.attempts = attempts
    self.waits = waits
  }

  /// Never sends a request again.
  public static let never = ChimedRetries(attempts: 1)

  /// Returns the wait before the next attempt; nil if no further attempt is made.
  ///
  /// - Parameters:
  ///   - failures: the number of attempts that failed, from 1.
  ///   - spread: a random number from 0 to 1; with 0 the wait is the longest.
  func wait(after failures: Int, _ error: ChimedError, spread: Double) -> Duration? {
    guard failures < attempts, error.isTemporary else { return nil }
    let wait = waits.wait(after: failures, spread: spread)
    guard case .refused(let problem) = error, let retryAfter = problem.retryAfter
    else { return wait }
    return max(wait, retryAfter)
  }
}
