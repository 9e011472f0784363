import CivilTime

/// For how long a node has heard from the server without a break.
///
/// Who was away, or whose server was, sees the heartbeats of others as old as its own break: for a
/// lease it must not judge by them.
struct Contact: Hashable, Sendable {
  private var since: TimeSpan?
  private var last: TimeSpan?

  /// - Parameter end: when the answer was there, since boot.
  mutating func hear(at end: TimeSpan, _ times: FleetTimes) {
    if !isFresh(at: end, times) { since = end }
    last = end
  }

  func hasLasted(_ span: TimeSpan, at now: TimeSpan, _ times: FleetTimes) -> Bool {
    guard let since, isFresh(at: now, times) else { return false }
    return now - since >= span
  }

  private func isFresh(at now: TimeSpan, _ times: FleetTimes) -> Bool {
    last.map { now - $0 <= times.gapMax } ?? false
  }
}
