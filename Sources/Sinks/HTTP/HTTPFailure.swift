internal import HTTPTransfers

/// Why there is no answer to a request; the reason does not name the host.
package enum HTTPFailure: Error, Hashable, Sendable {
  /// Nothing was handed over, and it would not be another time.
  case unreachable(String)
  /// It may have arrived.
  case unanswered(String)

  package var reason: String {
    switch self {
    case .unreachable(let reason), .unanswered(let reason): reason
    }
  }
}

extension HTTPFailure {
  /// - Parameter reply: has no whole head.
  init(_ reply: CollectedReply) {
    if let fault = reply.head.fault {
      self = .unanswered(Self.reason(fault))
    } else {
      let reason = "\(reply.outcome)"
      self = reply.outcome.wasSent ? .unanswered(reason) : .unreachable(reason)
    }
  }

  private static func reason(_ fault: ReplyFault) -> String {
    switch fault {
    case .status: "\(TransferOutcome.notHTTP): \(fault)"
    case .noStatus, .longHead: "\(TransferOutcome.notHTTP)"
    }
  }
}
