import CivilTime
import Delivery
import Reminders
import Store

/// A lane and what the engine itself has to remember of it.
struct LaneState {
  /// Which of all lanes since the start it is: each has one sink, and its answers say the number.
  let number: Int
  var lane: Lane
  private let sink: any Sink
  /// The retries that are with the sink, in the order of the batch.
  var retries: [Retry] = []
  /// The batch that is with the sink.
  var batch: [Delivery] = []
  /// Since when.
  var handedAt: Instant
  /// Up to which notification it is on disk that the sink may have everything.
  var handed: Int64
  /// The lane's place as it is on disk.
  var saved: Int64
  /// What the sink has said so far.
  var answers = LaneCounters()
  /// What it said last to something that it did not take.
  var lastFailure: ServiceStatus.Failure?
  /// When the next of the retries is due.
  var nextRetry: Instant?

  init(number: Int, lane: Lane, sink: any Sink, handed: Int64, now: Instant) {
    self.number = number
    self.lane = lane
    self.sink = sink
    self.handed = handed
    handedAt = now
    saved = lane.place
  }

  /// How many of the queue are with the sink.
  var countOfQueueWithSink: Int { retries.isEmpty ? batch.count : 0 }

  /// Whether the sink wants to know where and how to reach people.
  var needsAddressee: Bool { sink.needsAddressee }

  /// Why nothing gets through, and what to do, as long as it is so.
  var failure: String? { sink.whyDisabled.map { "disabled: \($0)" } ?? lane.failure }

  /// What is shown of it.
  var view: LaneView {
    LaneView(
      sink: sink, breaker: lane.breaker, waiting: lane.waiting, inFlight: batch.count,
      place: lane.place, oldest: lane.oldest, nextRetry: nextRetry, lastFailure: lastFailure,
      answers: answers)
  }

  /// When the lane needs a turn. One that is with its sink needs none: the answer brings it.
  func wake(now: Instant) -> Instant? {
    lane.wake(now: now, nextRetry: nextRetry)
  }
}
