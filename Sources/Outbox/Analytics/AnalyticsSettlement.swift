package import CivilTime
import Reminders

/// The effects of a sink's answer to analytics events.
package struct AnalyticsSettlement: Sendable {
  /// The number of the lane.
  package let lane: Int
  /// The name of the sink.
  package let sink: String
  /// The new cursor.
  package private(set) var cursor: Int64
  /// The outage, if the sink accepted nothing; nil otherwise.
  package var outage: SinkOutage?
  /// The retry of the first failed event, with its instant and reason; nil if no event is retried.
  package private(set) var retry: (due: Instant, reason: String)?
  /// The number of rejected events, and the reason of the last rejection; nil if none is rejected.
  package private(set) var rejections: (count: Int, reason: String)?
  /// Whether the answer ends an outage.
  package var hasRecovered = false
  /// The answers that count: those up to the first event to retry.
  private(set) var answers: [SinkAnswer] = []

  init(lane: Int, sink: String, cursor: Int64) {
    (self.lane, self.sink, self.cursor) = (lane, sink, cursor)
  }

  /// The reason why the sink did not accept an event; nil if it accepted all events.
  var failure: String? {
    outage?.description ?? retry?.reason ?? rejections?.reason
  }

  /// Moves the cursor over delivered and rejected events, up to the first event to retry. Answers
  /// to later events are ignored.
  ///
  /// - Parameter attemptsBefore: the number of earlier failed attempts of the batch's first event.
  mutating func follow(
    _ answers: [SinkAnswer], to batch: [AnalyticsItem], attemptsBefore: Int, now: Instant
  ) {
    for (event, answer) in zip(batch, answers) {
      self.answers.append(answer)
      switch answer.verdict {
      case .delivered: break
      case .rejected(let reason): rejections = ((rejections?.count ?? 0) + 1, reason)
      case .retry(let requested, let reason):
        let failedAttempts = event.number == batch.first?.number ? attemptsBefore + 1 : 1
        let due = RetrySchedule.next(
          after: min(failedAttempts, AnalyticsLane.growingAttempts), requested: requested,
          notification: event.number, now: now)
        retry = (due ?? now, reason)
        return
      }
      cursor = event.number
    }
  }

  /// The notes for the journal.
  package var notes: [DeliveryNote] {
    var notes: [DeliveryNote] = []
    if hasRecovered { notes.append(.recovered(sink: sink)) }
    if let rejections {
      notes.append(
        .analyticsRejected(count: rejections.count, sink: sink, reason: rejections.reason))
    }
    if let retry {
      notes.append(.analyticsRetried(sink: sink, until: retry.due, reason: retry.reason))
    }
    return notes
  }
}
