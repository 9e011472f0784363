import Systemd

/// How many lines of a program are passed on: so many in a while, the others are counted.
struct LineBudget {
  static let linesMax = 100
  static let span = Duration.seconds(10)

  private var beginning: MonotonicInstant?
  private var count = 0
  private var leftOut = 0

  enum Decision: Hashable {
    case pass
    /// Pass this one on, and say how many before it were left out.
    case passAfter(leftOut: Int)
    case leaveOut
  }

  mutating func next(at now: MonotonicInstant) -> Decision {
    if let beginning, beginning.duration(to: now) < Self.span {
      count += 1
      guard count > Self.linesMax else { return .pass }
      leftOut += 1
      return .leaveOut
    }
    defer { leftOut = 0 }
    beginning = now
    count = 1
    return leftOut == 0 ? .pass : .passAfter(leftOut: leftOut)
  }

  /// How many were left out at the end.
  var rest: Int { leftOut }
}
