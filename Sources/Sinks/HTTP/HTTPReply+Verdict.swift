package import CivilTime
package import Delivery

extension HTTPReply {
  /// What a status says about the delivery that was sent (rule D2), where a protocol has no words
  /// of its own.
  package func verdict(now: Instant) -> SinkAnswer.Verdict {
    switch status {
    case 200..<300:
      .delivered
    case 300..<400:
      .rejected(reason: "\(status): it redirects to elsewhere, which is never followed")
    case 429, 502, 503, 504:
      .retry(after: retryAfter(now: now), reason: "\(status)")
    case 408, 425, 500..<600:
      .retry(after: nil, reason: "\(status)")
    default:
      .rejected(reason: "\(status)")
    }
  }
}
