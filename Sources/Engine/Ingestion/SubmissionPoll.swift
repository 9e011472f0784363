import CivilTime
import Store

/// Decides when the engine looks for events that apps have inserted into the store. PostgreSQL's
/// NOTIFY would cost more than polling, because it slows down the apps' commits.
struct SubmissionPoll {
  /// When the next poll is due; nil before `begin`.
  private(set) var wake: Instant?

  /// The interval of polls, which is the longest wait of a submitted event.
  private static let pause = TimeSpan.milliseconds(250)
  /// The limits of one poll: the maximum number of submissions, and the size of their texts, in
  /// bytes, at which reading stops.
  static let submissionsMax = 1_000
  static let bytesMax = 8 << 20

  /// Makes the first poll due. Without this call nothing is polled.
  mutating func begin(at now: Instant) { wake = now }

  func isDue(at now: Instant) -> Bool { wake.map { $0 <= now } ?? false }

  mutating func recordPoll(at now: Instant, found submissions: [Submission]) {
    guard wake != nil else { return }
    let bytes = submissions.reduce(0) { $0 + ($1.text?.utf8.count ?? 0) }
    let mayBeMore = submissions.count == Self.submissionsMax || bytes >= Self.bytesMax
    wake = mayBeMore ? now : now + Self.pause
  }

  /// Makes the next poll due at most `pause` after `now`, so that a clock that was set back does
  /// not delay it.
  mutating func clockWasSetBack(to now: Instant) {
    wake = wake.map { min($0, now + Self.pause) }
  }
}
