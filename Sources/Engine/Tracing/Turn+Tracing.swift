import CivilTime
import Outbox
import Reminders

/// The spans of an engine cycle. Without tracing, these functions only check that there is no
/// sampler.
extension Turn {
  mutating func traceAcceptance(of event: Event) {
    guard let trace = sampled(event.trace) else { return }
    effects.spans.append(TraceSpan(acceptanceOf: event, in: trace, at: now))
  }

  /// - Parameter notification: nil for an occurrence that a gate holds.
  mutating func traceFiring(
    _ fired: FiredOccurrence, of row: UInt32, _ notification: @autoclosure () -> NotificationID?
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

  /// - Parameter deliveries: the dispatched deliveries, none of which the sink has accepted.
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

  /// - Parameter trace: evaluated only with tracing.
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
