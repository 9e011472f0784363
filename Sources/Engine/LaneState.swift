import CivilTime
import Delivery
import Reminders
import Store

/// A lane and what the engine itself has to remember of it.
struct LaneState {
  var lane: Lane
  /// The retries that are with the sink, in the order of the batch.
  var retries: [Retry] = []
  /// The batch that is with the sink.
  var batch: [Delivery] = []
  /// What the sink has said so far.
  var answers = LaneCounters()
  /// When the next of the retries is due.
  var nextRetry: Instant?

  init(lane: Lane) {
    self.lane = lane
  }

  /// Whether a batch may be handed to the sink.
  var isFree: Bool { batch.isEmpty && lane.resumption == nil }

  func isRetryDue(_ now: Instant) -> Bool {
    guard isFree, let nextRetry else { return false }
    return nextRetry <= now
  }

  /// When the lane needs a turn. One that is with its sink needs none: the answer brings it.
  func wake(now: Instant) -> Instant? {
    guard batch.isEmpty else { return nil }
    return lane.resumption ?? (lane.hasWork ? now : nextRetry)
  }
}
