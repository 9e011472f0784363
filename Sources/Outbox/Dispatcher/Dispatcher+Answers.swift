package import CivilTime
package import Reminders
internal import Store

/// What sinks say, and what becomes of what they had.
extension Dispatcher {
  package enum Reply: Sendable {
    case answers(AnsweredBatch)
    /// It has none of it.
    case outage(SinkOutage)
  }

  /// Looks through what a sink has said to its batch. One that does not answer for each delivery
  /// may have lost some: it is asked again.
  ///
  /// - Returns: nil for a lane that is not there any more.
  package func reply(
    _ result: Result<[SinkAnswer], SinkOutage>, of number: Int
  ) -> Reply? {
    guard let state = lane(number) else { return nil }
    switch result {
    case .failure(let outage): return .outage(outage)
    case .success(let answers) where answers.count == state.batch.count:
      return .answers(AnsweredBatch(answers, of: state, isInForce: isInForce(number)))
    case .success(let answers):
      let count = state.batch.count
      return .outage(SinkOutage("it answered \(answers.count) of \(count) deliveries"))
    }
  }

  /// Those that their sink has given up and no other carries: their channel may have a fallback.
  ///
  /// - Parameter recorded: the notifications that are there.
  package func exhausted(
    by batch: AnsweredBatch, among recorded: Set<Int64>, now: Instant
  ) -> [Delivery] {
    let settlement = Settlement(routes, DeliveryKnowledge(recorded: recorded), now: now)
    return batch.open.compactMap { position in
      let retry = batch.retry(at: position)
      guard recorded.contains(retry.delivery.notification),
        case .moveOn = settlement.course(of: retry, batch.answers[position].verdict)
      else { return nil }
      return settlement.isLast(retry) ? retry.delivery : nil
    }
  }

  /// What is to be written of a batch that a sink has answered for.
  package func settle(
    _ batch: AnsweredBatch, knowing known: DeliveryKnowledge, now: Instant
  ) -> OutboxEffects {
    var settlement = Settlement(routes, known, now: now)
    for (delivery, answer) in zip(batch.deliveries, batch.answers) where answer.isDelivered {
      settlement.effects.usage.add(.delivered, delivery, at: now)
    }
    // Of who was erased meanwhile, not even what a sink says of them is kept (rule H4).
    for position in batch.open
    where known.recorded.contains(batch.deliveries[position].notification) {
      settlement.effects.keep(batch.attempt(at: position, now: now), isFirst: batch.isQueue)
      settlement.follow(batch.retry(at: position), batch.answers[position].verdict)
    }
    if let place = batch.place {
      settlement.effects.progress.append(LaneProgress(sink: batch.sink, place: place))
    }
    if batch.hasRecovered { settlement.effects.notes.add(.recovered(sink: batch.sink)) }
    return settlement.effects
  }

  /// A batch is settled, and that is on disk.
  ///
  /// - Returns: the number of a lane that is to be closed now, as it is not in force any more.
  package mutating func conclude(_ batch: AnsweredBatch, now: Instant) -> Int? {
    let counted = LaneCounters(batch.answers, after: now - batch.handedAt)
    guard isInForce(batch.lane) else { return close(batch.lane, counted) }
    change(batch.lane) { state in
      state.saved = batch.place ?? state.saved
      if batch.isQueue {
        state.lane.answered(count: batch.deliveries.count)
      } else {
        state.lane.retriesAnswered()
      }
      state.release()
      state.answers.add(counted)
      let failure = batch.answers.firstFailure.map { SinkFailure(at: now, reason: $0) }
      state.lastFailure = failure ?? state.lastFailure
    }
    return nil
  }

  /// A sink that is not in force any more has said its last. It counts for the one of its name.
  mutating func close(_ number: Int, _ counted: LaneCounters) -> Int? {
    guard let place = leaving.firstIndex(where: { $0.number == number }) else { return nil }
    let state = leaving.remove(at: place)
    if let heir = lanes.firstIndex(where: { $0.sink == state.sink }) {
      lanes[heir].answers.add(counted)
    }
    return number
  }
}

/// What a sink has said to each delivery of its batch.
package struct AnsweredBatch: Sendable {
  package let lane: Int
  package let sink: String
  /// When the sink was handed it.
  package let handedAt: Instant
  package let deliveries: [Delivery]
  package let answers: [SinkAnswer]
  private let retries: [Retry]
  /// Up to where the lane has been answered for then; nil if that does not change.
  let place: Int64?
  let hasRecovered: Bool
  /// The positions of those of which there is more to write than the lane's place.
  let open: [Int]

  init(_ answers: [SinkAnswer], of state: LaneState, isInForce: Bool) {
    (lane, sink, handedAt) = (state.number, state.sink, state.handedAt)
    (deliveries, self.answers, retries) = (state.batch, answers, state.retries)
    let isQueue = state.hasQueueWithSink
    open = answers.indices.filter { !isQueue || !answers[$0].isPlain }
    place = isInForce && isQueue ? state.lane.place(withoutFirst: answers.count) : nil
    hasRecovered = isInForce && state.lane.outages > 0
  }

  var isQueue: Bool { retries.isEmpty }

  /// How many of the lane's queue are answered for.
  package var countOfQueue: Int { isQueue ? deliveries.count : 0 }

  /// The notifications of which there is more to write than the lane's place.
  package var notifications: [Int64] { open.map { deliveries[$0].notification } }

  /// The devices that push services do not know any more, each with the delivery that says so.
  ///
  /// - Parameter recorded: the notifications that are there.
  package func goneDevices(
    among recorded: Set<Int64>
  ) -> [(devices: [String], delivery: Delivery)] {
    open.compactMap { position in
      let gone = answers[position].goneDevices
      guard !gone.isEmpty, recorded.contains(deliveries[position].notification) else { return nil }
      return (gone, deliveries[position])
    }
  }

  package func attempts(now: Instant) -> [Attempt] {
    answers.indices.map { attempt(at: $0, now: now) }
  }

  func attempt(at position: Int, now: Instant) -> Attempt {
    Attempt(of: deliveries[position], by: sink, at: now, answers[position])
  }

  /// A delivery as it stands after this attempt.
  func retry(at position: Int) -> Retry {
    let before = isQueue ? 0 : retries[position].attempts
    return Retry(sink: sink, delivery: deliveries[position], attempts: before + 1)
  }
}

extension SinkAnswer {
  /// Whether there is nothing to it but that it was delivered.
  fileprivate var isPlain: Bool { isDelivered && response == nil && goneDevices.isEmpty }
}

extension [SinkAnswer] {
  /// Why the first was not taken that was not.
  fileprivate var firstFailure: String? {
    lazy.compactMap { answer in
      switch answer.verdict {
      case .delivered: nil
      case .retry(_, let reason), .rejected(let reason): reason
      }
    }.first
  }
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
