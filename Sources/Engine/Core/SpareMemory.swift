import CivilTime

/// When the memory that a crowd has filled is let go: once few are worked on for a while.
///
/// What is kept of the store's pages spares reading them again while a crowd is at work; at rest
/// nobody needs it for hours.
struct SpareMemory {
  private static let span = TimeSpan.seconds(30)
  /// On how many people work is to be done until it is worth the while, and how many in a span are
  /// a crowd that goes on.
  private static let worthwhile = 4_096

  private var people = 0
  private var peopleInSpan = 0
  /// When it is looked at again; nil while there is nothing to let go.
  private(set) var wake: Instant?

  /// Notes that a turn has worked on so many people.
  mutating func note(_ people: Int, at now: Instant) {
    self.people += people
    peopleInSpan += people
    guard wake == nil, self.people >= Self.worthwhile else { return }
    (wake, peopleInSpan) = (now + Self.span, 0)
  }

  /// Whether it is let go now; then there is nothing more to let go.
  mutating func isLetGo(at now: Instant) -> Bool {
    // A clock that was set back is not waited for.
    guard let wake, now >= wake || now < wake - Self.span else { return false }
    let goesOn = peopleInSpan >= Self.worthwhile
    peopleInSpan = 0
    self.wake = goesOn ? now + Self.span : nil
    if !goesOn { people = 0 }
    return !goesOn
  }
}
