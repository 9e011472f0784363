import CivilTime
import Outbox

extension SinkAnswer {
  var reason: String? {
    switch verdict {
    case .delivered: nil
    case .retry(_, let reason), .rejected(let reason): reason
    }
  }

  var isRetry: Bool { if case .retry = verdict { true } else { false } }
  var isRejected: Bool { if case .rejected = verdict { true } else { false } }

  /// The requested delay before a retry.
  var wait: TimeSpan? { if case .retry(let after, _) = verdict { after } else { nil } }
}
