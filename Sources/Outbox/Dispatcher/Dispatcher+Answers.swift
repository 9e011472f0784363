package import CivilTime
package import Reminders
package import Store

/// Answers of sinks, and their effects.
extension Dispatcher {
  package enum Reply: Sendable {
    case answers(AnsweredBatch)
    /// The sink accepted none of the batch.
    case outage(SinkOutage)
  }

  /// Checks a sink's answers. If some are missing although the sink has finished, it may have lost
  /// deliveries: that is an outage.
  ///
  /// - Parameter result: nil for each delivery that the sink still works on.
  /// - Returns: nil if the lane has ended or has no such batch.
  package func reply(
    _ result: Result<[SinkAnswer?], SinkOutage>, of number: Int, to part: BatchPart = .all
  ) -> Reply? {
    let count = (try? result.get())?.count
    guard let state = lane(number), let handed = HandedBatch(part, of: state, first: count) else {
      return nil
    }
    switch result {
    case .failure(let outage): return .outage(outage)
    case .success(let answers) where answers.count == handed.deliveries.count:
      return .answers(AnsweredBatch(answers, of: handed, state, isInForce: isInForce(number)))
    case .success(let answers):
      let count = handed.deliveries.count
      return .outage(SinkOutage("it answered \(answers.count) of \(count) deliveries"))
    }
  }

  /// The deliveries that their sink gave up and that no other sink carries: their channel may have
  /// a fallback.
  ///
  /// - Parameter recorded: the notifications that exist.
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

  /// The changes to write for a batch that a sink has answered.
  package func settle(
    _ batch: AnsweredBatch, knowing known: DeliveryKnowledge, now: Instant
  ) -> OutboxEffects {
    var settlement = Settlement(routes, known, now: now)
    for (delivery, answer) in zip(batch.deliveries, batch.answers) where answer.isDelivered {
      settlement.noteDelivered(delivery)
    }
    // Answers for erased recipients are not recorded (rule H4).
    for position in batch.open
    where known.recorded.contains(batch.deliveries[position].notification) {
      settlement.effects.keep(batch.attempt(at: position, now: now), isFirst: batch.isQueue)
      settlement.follow(batch.retry(at: position), batch.answers[position].verdict)
    }
    if batch.isQueue {
      for straggler in batch.stragglers
      where known.recorded.contains(straggler.delivery.notification) {
        settlement.effects.changes.wait(straggler, due: now, reason: "")
        settlement.effects.changes.hand(straggler.delivery)
      }
    }
    if let place = batch.place {
      settlement.effects.progress.append(LaneProgress(sink: batch.sink, place: place))
    }
    if batch.hasRecovered { settlement.effects.notes.add(.recovered(sink: batch.sink)) }
    return settlement.effects
  }

  /// Starts the fallbacks of dead letters whose notifications reach the recipient on no other
  /// channel. The fallback of a quarantined one is sent alone, and quarantined at the next death
  /// (rule D9).
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
  /// - Returns: the number of a lane to close now, as it is no longer current.
  package mutating func conclude(_ batch: AnsweredBatch, now: Instant) -> Int? {
    let counted = LaneCounters(batch.answers, after: batch.isLast ? now - batch.handedAt : nil)
    guard isInForce(batch.lane) else { return leave(batch.lane, counted, batch.release) }
    change(batch.lane) { state in
      state.saved = batch.place ?? state.saved
      if batch.isQueue {
        state.lane.answered(count: batch.countOfQueue, isFree: batch.isLaneFree)
      } else if batch.isLaneFree {
        state.lane.retriesAnswered()
      }
      batch.release(&state)
      state.answers.add(counted)
      let failure = batch.answers.firstFailure.map { SinkFailure(at: now, reason: $0) }
      state.lastFailure = failure ?? state.lastFailure
    }
    return nil
  }

  /// Removes answered deliveries from a lane that is no longer current. The answers count for the
  /// current lane of the same name.
  ///
  /// - Returns: the lane's number if nothing of it is left in flight.
  mutating func leave(
    _ number: Int, _ counted: LaneCounters, _ release: (inout LaneState) -> Void
  ) -> Int? {
    guard let place = leaving.firstIndex(where: { $0.number == number }) else { return nil }
    release(&leaving[place])
    let state = leaving[place]
    if let heir = lanes.firstIndex(where: { $0.sink == state.sink }) {
      lanes[heir].answers.add(counted)
    }
    guard state.isQuiet else { return nil }
    leaving.remove(at: place)
    return number
  }
}

/// The part of a sink's deliveries in flight that its answers are for.
package enum BatchPart: Hashable, Sendable {
  /// All remaining deliveries of its batch.
  case all
  /// The first of the remaining deliveries of its batch. Those without an answer get a number,
  /// which is unique since the start. If `freesLane` is true, the lane continues without them;
  /// otherwise `all` follows, even if nothing remains.
  case some(rest: Int, freesLane: Bool = true)
  /// The stragglers with a number that `some` assigned.
  case rest(Int)

  /// The number of the answered stragglers; nil for others.
  var call: Int? { if case .rest(let number) = self { number } else { nil } }
}

/// The deliveries in flight that a sink's answers are for.
struct HandedBatch {
  let part: BatchPart
  private(set) var deliveries: [Delivery]
  /// The retries of the batch; empty if it is from the queue.
  private(set) var retries: [Retry]
  let handedAt: Instant
  /// Whether the lane continues after the answer.
  private(set) var isLaneFree: Bool

  /// - Parameter count: the number of answers, if they are for the first of the batch.
  init?(_ part: BatchPart, of state: LaneState, first count: Int? = nil) {
    self.part = part
    guard let call = part.call else {
      (deliveries, retries, handedAt) = (state.batch, state.retries, state.handedAt)
      isLaneFree = true
      if case .some(_, let freesLane) = part, !freesLane {
        deliveries = Array(deliveries.prefix(count ?? 0))
        retries = Array(retries.prefix(count ?? 0))
        isLaneFree = false
      }
      return
    }
    guard let stragglers = state.stragglers[call] else { return nil }
    isLaneFree = false
    (retries, handedAt) = (stragglers.retries, stragglers.handedAt)
    deliveries = retries.map(\.delivery)
  }

  /// The deliveries that the sink still works on, as retries in flight.
  func stragglers(without answers: [SinkAnswer?], sink: String) -> [Retry] {
    answers.indices.filter { answers[$0] == nil }.map { position in
      retries.isEmpty
        ? Retry(sink: sink, delivery: deliveries[position], attempts: 0) : retries[position]
    }
  }
}

/// A sink's answers to deliveries, and those that it still works on.
package struct AnsweredBatch: Sendable {
  package let lane: Int
  package let sink: String
  private let part: BatchPart
  /// When the batch was dispatched.
  package let handedAt: Instant
  /// The answered deliveries.
  package let deliveries: [Delivery]
  package let answers: [SinkAnswer]
  private let retries: [Retry]
  /// The deliveries that the sink still works on.
  let stragglers: [Retry]
  /// Whether the batch is from the lane's queue.
  let isQueue: Bool
  /// How many deliveries leave the lane's queue: they are answered, or retries now.
  package let countOfQueue: Int
  /// The lane's cursor afterwards; nil if it does not change.
  let place: Int64?
  let hasRecovered: Bool
  /// Whether the lane continues.
  package let isLaneFree: Bool
  /// The indices of deliveries that need more than a new cursor written.
  let open: [Int]

  init(_ said: [SinkAnswer?], of handed: HandedBatch, _ state: LaneState, isInForce: Bool) {
    (lane, sink, part, handedAt) = (state.number, state.sink, handed.part, handed.handedAt)
    let isQueue = handed.retries.isEmpty
    let answered = said.indices.filter { said[$0] != nil }
    let answers = said.compactMap { $0 }
    let isWhole = answered.count == said.count
    deliveries = isWhole ? handed.deliveries : answered.map { handed.deliveries[$0] }
    retries = isWhole || isQueue ? handed.retries : answered.map { handed.retries[$0] }
    stragglers = isWhole ? [] : handed.stragglers(without: said, sink: state.sink)
    isLaneFree = handed.isLaneFree
    open = answers.indices.filter { !isQueue || !answers[$0].isPlain }
    place = isInForce && isQueue ? state.lane.place(withoutFirst: said.count) : nil
    hasRecovered =
      isInForce && state.lane.outages > 0 && handed.part.call == nil && handed.isLaneFree
    countOfQueue = isQueue ? said.count : 0
    (self.isQueue, self.answers) = (isQueue, answers)
  }

  /// Whether nothing of it is left in flight.
  var isLast: Bool { part.call == nil ? isLaneFree : stragglers.isEmpty }

  /// The notifications that need more than a new cursor written.
  package var notifications: [Int64] {
    let left = isQueue ? stragglers.map(\.delivery.notification) : []
    return open.map { deliveries[$0].notification } + left
  }

  /// Removes it from the deliveries in flight.
  func release(_ state: inout LaneState) {
    switch part {
    case .all: state.release()
    case .some(let rest, _):
      state.releaseFirst(answers.count + stragglers.count)
      let before = state.stragglers[rest]?.retries ?? []
      state.keep(before + stragglers, since: handedAt, by: rest)
    case .rest(let number): state.keep(stragglers, since: handedAt, by: number)
    }
  }

  /// The devices that push services no longer know, each with the delivery that was answered so.
  ///
  /// - Parameter recorded: the notifications that exist.
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

  /// A delivery after this attempt.
  func retry(at position: Int) -> Retry {
    let before = isQueue ? 0 : retries[position].attempts
    return Retry(sink: sink, delivery: deliveries[position], attempts: before + 1)
  }
}

extension SinkAnswer {
  /// Whether it is only a success, without response or removed devices.
  fileprivate var isPlain: Bool { isDelivered && response == nil && goneDevices.isEmpty }
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
