/// The reason why a request failed.
public enum ChimedError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The service was not reached, or the connection broke; the request can be sent again.
  case unreachable(reason: String)
  /// The service sent nothing during this timeout; the request can be sent again.
  case late(Duration)
  /// The service refused the request, with the reason.
  case refused(ChimedProblem)
  /// The reply is malformed; another program may be listening at the address.
  case unreadable(String)
  /// An argument of the caller is invalid; nothing was sent.
  case invalid(String)
  /// The caller's task was cancelled.
  case cancelled

  public var description: String {
    switch self {
    case .unreachable(let reason): "chimed does not answer: \(reason)"
    case .late(let timeout): "chimed did not answer within \(timeout)"
    case .refused(let problem): problem.detail
    case .unreadable(let reason): "the answer of chimed cannot be read: \(reason)"
    case .invalid(let reason): reason
    case .cancelled: "the request was cancelled"
    }
  }

  /// Whether the same request may succeed later.
  public var isTemporary: Bool {
    switch self {
    case .unreachable, .late: true
    case .refused(let problem): problem.isTemporary
    case .unreadable, .invalid, .cancelled: false
    }
  }
}
