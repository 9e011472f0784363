import CivilTime

/// When the memory that a crowd has filled is let go: half a minute after the last few thousand
/// people on whom there was work, for fewer do not need it.
///
/// What is kept of the store's pages spares reading them again while a crowd is at work; at rest
/// nobody needs it for hours.
struct SpareMemory {
  private static let patience = TimeSpan.seconds(30)
  /// On how many people there is work until it is worth the while.
  private static let worthwhile = 4_096

  /// Since it was put off last.
  private var people = 0
  /// When it is let go; nil while there is too little.
  private(set) var wake: Instant?

  /// Notes that a turn has worked on so many people.
  mutating func note(_ people: Int, at now: Instant) {
    self.people += people
    guard self.people >= Self.worthwhile else { return }
    (self.people, wake) = (0, now + Self.patience)
  }

  /// Whether it is let go now; then there is nothing more to let go.
  mutating func isLetGo(at now: Instant) -> Bool {
    // A clock that was set back is not waited for.
    guard let wake, now >= wake || now < wake - Self.patience else { return false }
    self.wake = nil
    return true
  }
}
