package import CivilTime
package import Reminders
import Store

/// A sink's answers to the deliveries of a batch, and the deliveries that the sink still works on.
package struct AnsweredBatch: Sendable {
  /// The number of the sink's lane, which is its queue.
  package let lane: Int
  /// The name of the sink.
  package let sink: String
  private let part: BatchPart
  /// The instant at which the batch was dispatched.
  package let dispatchedAt: Instant
  /// The answered deliveries.
  package let deliveries: [Delivery]
  /// The answers, in the order of `deliveries`.
  package let answers: [SinkAnswer]
  /// The answered deliveries as retries, in the same order; empty if the batch is from the queue.
  private let retries: [Retry]
  /// The deliveries that the sink still works on.
  let stragglers: [Retry]
  /// Whether the batch is from the lane's queue.
  let isFromQueue: Bool
  /// The number of deliveries that leave the lane's queue, because they are answered or become
  /// retries.
  package let leavingCount: Int
  /// The lane's cursor after these answers; nil if it does not change.
  let cursor: Int64?
  /// Whether the answers end an outage.
  let hasRecovered: Bool
  /// Whether the lane can dispatch its next batch.
  package let isLaneFree: Bool
  /// The indices of deliveries for which more has to be written than a new cursor.
  let indicesToRecord: [Int]

  init(
    _ partialAnswers: [SinkAnswer?], of dispatched: DispatchedBatch, _ state: LaneState,
    isCurrent: Bool
  ) {
    (lane, sink, part, dispatchedAt) = (
      state.number, state.sink, dispatched.part, dispatched.dispatchedAt
    )
    let isFromQueue = dispatched.retries.isEmpty
    let answeredIndices = partialAnswers.indices.filter { partialAnswers[$0] != nil }
    let answers = partialAnswers.compactMap { $0 }
    let isComplete = answeredIndices.count == partialAnswers.count
    deliveries =
      isComplete ? dispatched.deliveries : answeredIndices.map { dispatched.deliveries[$0] }
    retries =
      isComplete || isFromQueue
      ? dispatched.retries : answeredIndices.map { dispatched.retries[$0] }
    stragglers = isComplete ? [] : dispatched.stragglers(without: partialAnswers, sink: state.sink)
    isLaneFree = dispatched.isLaneFree
    indicesToRecord = answers.indices.filter { !isFromQueue || !answers[$0].isPlain }
    cursor = isCurrent && isFromQueue ? state.lane.cursor(withoutFirst: partialAnswers.count) : nil
    hasRecovered =
      isCurrent && state.lane.outages > 0 && dispatched.part.stragglersNumber == nil
      && dispatched.isLaneFree
    leavingCount = isFromQueue ? partialAnswers.count : 0
    (self.isFromQueue, self.answers) = (isFromQueue, answers)
  }

  /// The notifications for which more has to be written than a new cursor.
  package var notifications: [Int64] {
    let stragglerNotifications = isFromQueue ? stragglers.map(\.delivery.notification) : []
    return indicesToRecord.map { deliveries[$0].notification } + stragglerNotifications
  }

  /// Removes the answered deliveries from those in flight; the others stay in flight.
  ///
  /// - Returns: the counts of the answers. They have a latency only if these answers complete the
  ///   batch, so that the latency of each batch is counted once.
  func release(_ state: inout LaneState, now: Instant) -> LaneCounters {
    LaneCounters(answers, after: releaseAnswered(&state) ? now - dispatchedAt : nil)
  }

  /// Removes the answered deliveries from those in flight.
  ///
  /// - Returns: whether nothing of the batch is left in flight.
  private func releaseAnswered(_ state: inout LaneState) -> Bool {
    switch part {
    case .all:
      let stragglersNumber = state.batchStragglersNumber
      state.release()
      return stragglersNumber.map { state.stragglers[$0] == nil } ?? true
    case .some(let number, let freesLane):
      state.releaseFirst(answers.count + stragglers.count)
      let previous = state.stragglers[number]?.retries ?? []
      state.setStragglers(previous + stragglers, since: dispatchedAt, by: number)
      state.batchStragglersNumber = freesLane ? nil : number
      return freesLane && state.stragglers[number] == nil
    case .stragglers(let number):
      state.setStragglers(stragglers, since: dispatchedAt, by: number)
      return stragglers.isEmpty && state.batchStragglersNumber != number
    }
  }

  /// Returns the devices that push services no longer know, each with the delivery whose answer
  /// names it.
  ///
  /// - Parameter recorded: the notifications that are still in the store.
  package func goneDevices(
    among recorded: Set<Int64>
  ) -> [(devices: [String], delivery: Delivery)] {
    indicesToRecord.compactMap { position in
      let gone = answers[position].goneDevices
      guard !gone.isEmpty, recorded.contains(deliveries[position].notification) else { return nil }
      return (gone, deliveries[position])
    }
  }

  /// Returns the records of all answers.
  package func attempts(now: Instant) -> [Attempt] {
    answers.indices.map { attempt(at: $0, now: now) }
  }

  /// Returns the record of the answer to the delivery at an index of `deliveries`.
  func attempt(at position: Int, now: Instant) -> Attempt {
    Attempt(of: deliveries[position], by: sink, at: now, answers[position])
  }

  /// Returns the delivery at an index of `deliveries` as a retry that counts this attempt.
  func retry(at position: Int) -> Retry {
    let previousAttempts = isFromQueue ? 0 : retries[position].attempts
    return Retry(sink: sink, delivery: deliveries[position], attempts: previousAttempts + 1)
  }
}

extension SinkAnswer {
  /// Whether the answer is only a success, without a response or devices to remove.
  fileprivate var isPlain: Bool { isDelivered && response == nil && goneDevices.isEmpty }
}

extension Attempt {
  fileprivate init(of delivery: Delivery, by sink: String, at now: Instant, _ answer: SinkAnswer) {
    let (verdict, reason): (Verdict, String) =
      switch answer.verdict {
      case .delivered: (.delivered, "")
      case .retry(_, let reason): (.retry, reason)
      case .rejected(let reason): (.rejected, reason)
      }
    self.init(
      of: delivery, by: sink, at: now, verdict, reason: reason,
      status: answer.response?.status, excerpt: answer.response?.excerpt ?? "",
      duration: answer.response?.duration)
  }
}
