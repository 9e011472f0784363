import CivilTime
import Store

/// When to look for events that apps have inserted into the store. PostgreSQL's NOTIFY would cost
/// more than polling, because it slows down the apps' commits.
struct SubmissionPoll {
  /// When the next poll is due; nil before `begin`.
  private(set) var wake: Instant?

  /// How long a submitted event waits at most.
  private static let pause = TimeSpan.milliseconds(250)
  /// The maximum number of submissions per cycle, and the size in bytes at which reading stops.
  static let limit = 1_000
  static let bytes = 8 << 20
  /// How long rejected submissions stay in the store.
  static let refusedSpan = TimeSpan.days(30)

  mutating func begin(at now: Instant) { wake = now }

  func isDue(at now: Instant) -> Bool { wake.map { $0 <= now } ?? false }

  mutating func recordPoll(at now: Instant, found submissions: [Submission]) {
    guard wake != nil else { return }
    let bytes = submissions.reduce(0) { $0 + ($1.text?.utf8.count ?? 0) }
    let mayBeMore = submissions.count == Self.limit || bytes >= Self.bytes
    wake = mayBeMore ? now : now + Self.pause
  }

  /// Makes the next poll due at most `pause` after `now`, so that a clock that was set back does
  /// not delay it.
  mutating func clockWasSetBack(to now: Instant) {
    wake = wake.map { min($0, now + Self.pause) }
  }
}
