import CivilTime
import Outbox
import Reminders

/// The spans of a cycle. Without tracing, each of these does nothing but find that there is no
/// sampler.
extension Turn {
  mutating func traceAcceptance(of event: Event) {
    guard let trace = sampled(event.trace) else { return }
    effects.spans.append(TraceSpan(acceptanceOf: event, in: trace, at: now))
  }

  /// - Parameter notification: nil for a held occurrence.
  mutating func traceFiring(
    _ fired: Fired, of row: UInt32, _ notification: @autoclosure () -> NotificationID?
  ) {
    guard let trace = sampled(fired.message.trace) else { return }
    effects.spans.append(TraceSpan(firing: fired, of: row, notification(), in: trace, at: now))
  }

  mutating func traceAttempts(_ batch: AnsweredBatch) {
    guard sampler != nil else { return }
    for (delivery, answer) in zip(batch.deliveries, batch.answers) {
      traceAttempt(
        delivery, by: batch.sink, answer.verdict.word, answer.response?.status,
        since: batch.dispatchedAt)
    }
  }

  /// - Parameter deliveries: those of which the sink has accepted none.
  mutating func traceOutage(
    of sink: String, _ deliveries: [Delivery], since dispatch: Instant
  ) {
    for delivery in deliveries {
      traceAttempt(delivery, by: sink, "outage", nil, since: dispatch)
    }
  }

  private mutating func traceAttempt(
    _ delivery: Delivery, by sink: String, _ verdict: String, _ status: String?,
    since dispatch: Instant
  ) {
    guard let trace = sampled(delivery.message.trace) else { return }
    effects.spans.append(
      TraceSpan(
        attempting: delivery, by: sink, verdict: verdict, status: status, in: trace,
        from: dispatch, to: now))
  }

  /// - Parameter trace: read only with tracing.
  private func sampled(_ trace: @autoclosure () -> TraceContext?) -> TraceContext? {
    guard let sampler, let trace = trace(), sampler.isSampled(trace) else { return nil }
    return trace
  }
}

extension SinkAnswer.Verdict {
  fileprivate var word: String {
    switch self {
    case .delivered: "delivered"
    case .retry: "retry"
    case .rejected: "rejected"
    }
  }
}
