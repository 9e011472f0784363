package import CivilTime
package import Reminders
package import Store

/// Checks the answers of sinks, and computes and applies their effects.
extension Dispatcher {
  /// The checked answers of a sink.
  package enum Reply: Sendable {
    case answers(AnsweredBatch)
    /// The sink accepted none of the batch.
    case outage(SinkOutage)
  }

  /// Checks a sink's answers. If answers are missing although the sink has finished, it may have
  /// lost deliveries; this counts as an outage.
  ///
  /// - Parameters:
  ///   - result: an answer for each delivery; nil for one that the sink still works on.
  ///   - number: the number of the sink's lane, which is its queue.
  ///   - part: the deliveries that are answered.
  /// - Returns: nil if the lane has ended or has no such batch.
  package func reply(
    _ result: Result<[SinkAnswer?], SinkOutage>, of number: Int, to part: BatchPart = .all
  ) -> Reply? {
    let count = (try? result.get())?.count
    guard let state = lane(number), let dispatched = DispatchedBatch(part, of: state, first: count)
    else {
      return nil
    }
    switch result {
    case .failure(let outage): return .outage(outage)
    case .success(let answers) where answers.count == dispatched.deliveries.count:
      return .answers(AnsweredBatch(answers, of: dispatched, state, isCurrent: isCurrent(number)))
    case .success(let answers):
      let count = dispatched.deliveries.count
      return .outage(SinkOutage("it answered \(answers.count) of \(count) deliveries"))
    }
  }

  /// Returns the deliveries that the batch's sink has given up and that have no next sink on their
  /// channel. The caller looks up fallback channels for these deliveries.
  ///
  /// - Parameter recorded: the notifications that are still in the store.
  package func exhaustedDeliveries(
    by batch: AnsweredBatch, among recorded: Set<Int64>, now: Instant
  ) -> [Delivery] {
    let settlement = Settlement(routes, DeliveryKnowledge(recorded: recorded), now: now)
    return batch.indicesToRecord.compactMap { position in
      let retry = batch.retry(at: position)
      guard recorded.contains(retry.delivery.notification), !retry.delivery.isWithdrawal,
        case .moveOn = settlement.course(of: retry, batch.answers[position].verdict)
      else { return nil }
      return settlement.isLast(retry) ? retry.delivery : nil
    }
  }

  /// Returns the changes to write for a batch that a sink has answered.
  package func settle(
    _ batch: AnsweredBatch, knowing known: DeliveryKnowledge, now: Instant
  ) -> OutboxEffects {
    var settlement = Settlement(routes, known, now: now)
    for (delivery, answer) in zip(batch.deliveries, batch.answers)
    where answer.isDelivered && !delivery.isWithdrawal {
      settlement.recordDelivered(delivery)
    }
    // Answers for erased recipients are not recorded (rule H4).
    for position in batch.indicesToRecord
    where known.recorded.contains(batch.deliveries[position].notification) {
      guard !batch.deliveries[position].isWithdrawal else {
        settlement.followWithdrawal(batch.retry(at: position), batch.answers[position].verdict)
        continue
      }
      settlement.effects.add(batch.attempt(at: position, now: now), isFirst: batch.isFromQueue)
      settlement.follow(batch.retry(at: position), batch.answers[position].verdict)
    }
    if batch.isFromQueue {
      for straggler in batch.stragglers
      where known.recorded.contains(straggler.delivery.notification) {
        settlement.effects.changes.wait(straggler, due: now, reason: "")
        settlement.effects.changes.dispatch(straggler.delivery)
      }
    }
    if let cursor = batch.cursor {
      settlement.effects.progress.append(LaneProgress(sink: batch.sink, cursor: cursor))
    }
    if batch.hasRecovered { settlement.effects.notes.add(.recovered(sink: batch.sink)) }
    return settlement.effects
  }

  /// Returns the effects that start the fallbacks of dead letters, except for notifications that
  /// reach the recipient on another channel. A quarantined delivery was in flight at several
  /// crashes. Its fallback is sent alone, and quarantined at the next crash (rule D9).
  package func fallBack(
    from letters: [DeadLetter], knowing known: DeliveryKnowledge, now: Instant
  ) -> OutboxEffects {
    var settlement = Settlement(routes, known, now: now)
    for letter in letters {
      let retry = Retry(sink: letter.sink, delivery: letter.delivery, attempts: letter.attempts)
      let deaths = min(letter.deaths, Suspicion.deathsMax - 1)
      _ = settlement.fallBack(from: retry, letter.reason, deaths: deaths)
    }
    return settlement.effects
  }

  /// Concludes a batch whose answers are on disk.
  ///
  /// - Returns: the number of the batch's lane if the caller has to close this lane, which is no
  ///   longer current; otherwise nil.
  package mutating func conclude(_ batch: AnsweredBatch, now: Instant) -> Int? {
    guard isCurrent(batch.lane) else {
      return releaseFromLeavingLane(batch.lane) { batch.release(&$0, now: now) }
    }
    change(batch.lane) { state in
      state.savedCursor = batch.cursor ?? state.savedCursor
      if batch.isFromQueue {
        state.lane.removeAnswered(count: batch.leavingCount, isFree: batch.isLaneFree)
      } else if batch.isLaneFree {
        state.lane.recordAnsweredRetries()
      }
      state.answers.add(batch.release(&state, now: now))
      let failure = batch.answers.firstFailure.map { SinkFailure(at: now, reason: $0) }
      state.lastFailure = failure ?? state.lastFailure
    }
    return nil
  }

  /// Removes answered deliveries from a lane that is no longer current. The answers count for the
  /// current lane of the same name.
  ///
  /// - Parameter release: removes the deliveries, and returns the counts of their answers.
  /// - Returns: the lane's number if the lane has nothing left in flight; otherwise nil.
  mutating func releaseFromLeavingLane(
    _ number: Int, _ release: (inout LaneState) -> LaneCounters
  ) -> Int? {
    guard let index = leaving.firstIndex(where: { $0.number == number }) else { return nil }
    let counters = release(&leaving[index])
    let state = leaving[index]
    if let currentIndex = lanes.firstIndex(where: { $0.sink == state.sink }) {
      lanes[currentIndex].answers.add(counters)
    }
    guard state.hasNothingInFlight else { return nil }
    leaving.remove(at: index)
    return number
  }
}

/// The part of a sink's deliveries in flight to which its answers belong.
package enum BatchPart: Hashable, Sendable {
  /// All remaining deliveries of the sink's batch.
  case all
  /// The first of the remaining deliveries of the sink's batch. The unanswered ones among them
  /// become stragglers with the number `stragglers`, which is unique since the service's start. If
  /// `freesLane` is true, the lane continues without these stragglers; otherwise answers to `all`
  /// follow, even if no delivery remains.
  case some(stragglers: Int, freesLane: Bool = true)
  /// The stragglers with this number, which `some` assigned.
  case stragglers(Int)

  /// The number of the answered stragglers; nil for other deliveries.
  var stragglersNumber: Int? { if case .stragglers(let number) = self { number } else { nil } }
}

/// The deliveries in flight to which a sink's answers belong.
struct DispatchedBatch {
  let part: BatchPart
  /// The deliveries to which the answers belong, in order.
  private(set) var deliveries: [Delivery]
  /// The retries of the batch; empty if it is from the queue.
  private(set) var retries: [Retry]
  /// The instant at which the deliveries were dispatched.
  let dispatchedAt: Instant
  /// Whether the answer lets the lane dispatch its next batch. An answer to stragglers does not,
  /// because they do not occupy the lane.
  private(set) var isLaneFree: Bool

  /// - Parameter count: the number of answers, if they are for the first deliveries of the batch.
  init?(_ part: BatchPart, of state: LaneState, first count: Int? = nil) {
    self.part = part
    guard let stragglersNumber = part.stragglersNumber else {
      (deliveries, retries, dispatchedAt) = (state.batch, state.retries, state.dispatchedAt)
      isLaneFree = true
      if case .some(_, let freesLane) = part, !freesLane {
        deliveries = Array(deliveries.prefix(count ?? 0))
        retries = Array(retries.prefix(count ?? 0))
        isLaneFree = false
      }
      return
    }
    guard let stragglers = state.stragglers[stragglersNumber] else { return nil }
    isLaneFree = false
    (retries, dispatchedAt) = (stragglers.retries, stragglers.dispatchedAt)
    deliveries = retries.map(\.delivery)
  }

  /// Returns the deliveries that the sink still works on, as retries in flight.
  func stragglers(without answers: [SinkAnswer?], sink: String) -> [Retry] {
    answers.indices.filter { answers[$0] == nil }.map { position in
      retries.isEmpty
        ? Retry(sink: sink, delivery: deliveries[position], attempts: 0) : retries[position]
    }
  }
}

extension [SinkAnswer] {
  /// The reason of the first failure.
  fileprivate var firstFailure: String? {
    lazy.compactMap { answer in
      switch answer.verdict {
      case .delivered: nil
      case .retry(_, let reason), .rejected(let reason): reason
      }
    }.first
  }
}
