import CivilTime
import Delivery
import Reminders
import Store

extension EngineCore {
  /// Gives every lane that is free its next batch.
  func dispatch(now: Instant) throws(StoreError) {
    guard !isDraining else { return }
    for index in lanes.indices {
      guard lanes[index].batch.isEmpty else { continue }
      do {
        try dispatch(lane: index, now: now)
      } catch {
        guard case .full = error else { throw error }
        lanes[index].lane.failed(SinkOutage(error.description), now: now)
      }
    }
  }

  private func dispatch(lane index: Int, now: Instant) throws(StoreError) {
    while true {
      switch lanes[index].lane.next(now: now) {
      case .none: return
      case .read(let place): try supply(lane: index, after: place)
      case .hand(let chunk, let isStale):
        let batch = isStale ? try askGates(chunk, lane: index, now: now) : chunk
        guard !batch.isEmpty else { continue }
        lanes[index].batch = batch
        actions.hand(batch, toLane: index)
        return
      }
    }
  }

  private func supply(lane index: Int, after place: Int64) throws(StoreError) {
    let sink = lanes[index].lane.sink
    let (deliveries, through) = try store.transaction { transaction in
      try transaction.deliveries(after: place, limit: Self.batch, butRetriesOf: sink)
    }
    lanes[index].lane.supply(deliveries, through: through)
  }

  // MARK: - Gates before a retry

  /// Applies the gates again to what has waited (rule V7): what they hold now becomes a retry at
  /// the end of the hold, what has expired is dropped.
  ///
  /// - Returns: what passes.
  private func askGates(
    _ chunk: [Delivery], lane index: Int, now: Instant
  ) throws(StoreError) -> [Delivery] {
    let lane = lanes[index].lane
    let (passing, nextRetry) = try store.transaction { transaction in
      let passing = try chunk.filter { delivery in
        let retry = Retry(sink: lane.sink, delivery: delivery, attempts: 0)
        return try passes(retry, now: now, in: transaction)
      }
      if passing.count < chunk.count {
        let place = lane.place(withoutFirst: chunk.count, but: passing)
        try transaction.savePlace(of: lane.sink, through: place)
      }
      return (passing, try transaction.nextRetry(of: lane.sink))
    }
    lanes[index].nextRetry = nextRetry
    lanes[index].lane.keep(passing, of: chunk.count)
    return passing
  }

  private func passes(
    _ retry: Retry, now: Instant, in transaction: StoreTransaction
  ) throws -> Bool {
    let delivery = retry.delivery
    guard let stored = try transaction.recipient(row: delivery.row) else { return false }
    let situation = Situation(facts: stored.recipient.facts, planner: planner)
    guard let input = situation.gateInput(retrying: delivery) else { return true }
    let decision = Gates.decide(input, from: now)
    if decision.outcome == .dropped {
      // What is in the inbox has been delivered, whatever a sink made of it.
      if delivery.channel != .inapp {
        try transaction.settle(
          delivery.notification, outcome: .dropped, trace: decision.trace)
      }
      try transaction.deleteRetry(sink: retry.sink, delivery)
      return false
    }
    guard decision.at > now else { return true }
    try transaction.settle(delivery.notification, outcome: .delivered, trace: decision.trace)
    let reasons = decision.trace.reasons.joined(separator: ", ")
    try transaction.saveRetry(retry, due: decision.at, reason: "held by \(reasons)")
    return false
  }

  // MARK: - Answers

  /// Records what a sink said to its batch.
  func record(
    _ result: Result<[SinkAnswer], SinkOutage>, lane index: Int, _ turn: inout Turn,
    in transaction: StoreTransaction
  ) throws {
    let state = lanes[index]
    switch checked(result, against: state.batch) {
    case .failure(let outage):
      let now = turn.now
      turn.answers.append { [self] in
        lanes[index].batch = []
        lanes[index].retries = []
        lanes[index].lane.failed(outage, now: now)
        lanes[index].answers.outages += 1
      }
    case .success(let answers):
      for (position, answer) in zip(state.batch.indices, answers) where !answer.isDelivered {
        let known = state.retries.isEmpty ? nil : state.retries[position]
        try record(answer, state, state.batch[position], known, turn, in: transaction)
      }
      for (retry, answer) in zip(state.retries, answers) where answer.isDelivered {
        try transaction.deleteRetry(sink: retry.sink, retry.delivery)
      }
      try finish(index, &turn, in: transaction)
      let counted = LaneCounters(answers)
      turn.answers.append { [self] in lanes[index].answers.add(counted) }
    }
  }

  /// A sink that does not answer for each delivery may have lost some: it is asked again.
  private func checked(
    _ result: Result<[SinkAnswer], SinkOutage>, against batch: [Delivery]
  ) -> Result<[SinkAnswer], SinkOutage> {
    guard case .success(let answers) = result, answers.count != batch.count else { return result }
    return .failure(SinkOutage("it answered \(answers.count) of \(batch.count) deliveries"))
  }

  private func record(
    _ answer: SinkAnswer, _ state: LaneState, _ delivery: Delivery, _ known: Retry?,
    _ turn: Turn, in transaction: StoreTransaction
  ) throws {
    // Of who was erased meanwhile, not even what a sink says of them is kept (rule H4).
    guard try answer.isDelivered || transaction.isRecorded(delivery.notification) else { return }
    let attempts = (known?.attempts ?? 0) + 1
    let retry = Retry(sink: state.lane.sink, delivery: delivery, attempts: attempts)
    switch answer.verdict {
    case .delivered: break
    case .retry(let wished, let reason):
      let due = RetrySchedule.next(
        after: attempts, wished: wished, notification: delivery.notification, now: turn.now)
      try transaction.saveRetry(retry, due: due, reason: reason)
    case .rejected(let reason):
      try transaction.saveRetry(retry, due: nil, reason: reason)
    }
  }

  private func finish(
    _ index: Int, _ turn: inout Turn, in transaction: StoreTransaction
  ) throws {
    let isQueue = lanes[index].retries.isEmpty
    let count = lanes[index].batch.count
    if isQueue {
      let lane = lanes[index].lane
      try transaction.savePlace(of: lane.sink, through: lane.place(withoutFirst: count))
    }
    turn.answers.append { [self] in
      if isQueue {
        lanes[index].lane.answered(count: count)
      } else {
        lanes[index].lane.endRetries()
      }
      lanes[index].batch = []
      lanes[index].retries = []
    }
  }

  // MARK: - Retries

  /// Lets the retries' times follow a clock that was set back; gates that held them are asked
  /// again.
  func shiftRetries(_ turn: inout Turn, in transaction: StoreTransaction) throws {
    guard retryShift > .zero else { return }
    try transaction.shiftRetries(by: retryShift)
    try transaction.trustClock(at: turn.now)
    turn.answers.append { [self] in retryShift = .zero }
  }

  /// Hands the retries that are due to their lanes, one batch at a time.
  func startRetries(_ turn: inout Turn, in transaction: StoreTransaction) throws {
    for index in lanes.indices where !isDraining && lanes[index].isRetryDue(turn.now) {
      let now = turn.now
      let due = try transaction.dueRetries(
        of: lanes[index].lane.sink, now: now, limit: Self.batch)
      let passing = try due.filter { try passes($0, now: now, in: transaction) }
      guard !passing.isEmpty else { continue }
      turn.answers.append { [self] in
        lanes[index].retries = passing
        lanes[index].batch = passing.map(\.delivery)
        lanes[index].lane.beginRetries()
        actions.hand(lanes[index].batch, toLane: index)
      }
    }
  }
}

extension LaneCounters {
  fileprivate init(_ answers: [SinkAnswer]) {
    self.init()
    for answer in answers {
      switch answer.verdict {
      case .delivered: delivered += 1
      case .retry: retried += 1
      case .rejected: rejected += 1
      }
    }
  }
}
