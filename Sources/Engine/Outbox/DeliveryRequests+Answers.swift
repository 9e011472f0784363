import CivilTime
import Outbox
import Reminders
import Store

/// Answers of sinks (rule D2). The outbox decides the effects; this code reads and writes the
/// store.
extension DeliveryRequests {
  /// Records a sink's answers to its batch, or to a part of its deliveries in flight.
  func record(
    _ result: Result<[SinkAnswer?], SinkOutage>, to part: BatchPart = .all, lane number: Int,
    _ turn: inout Turn
  ) throws {
    switch (outbox.dispatcher.reply(result, of: number, to: part), part) {
    case (.answers(let batch), _): try record(batch, &turn)
    case (.outage(let outage), .stragglers(let stragglersNumber)):
      try record(outage, ofStragglers: stragglersNumber, lane: number, &turn)
    case (.outage(let outage), _): try record(outage, lane: number, &turn)
    case (nil, _): break
    }
  }

  private func record(_ batch: AnsweredBatch, _ turn: inout Turn) throws {
    let now = turn.now
    let recorded = try turn.transaction.recorded(among: batch.notifications)
    for (devices, delivery) in batch.goneDevices(among: recorded) {
      try remove(devices, of: delivery, asOf: batch.dispatchedAt, &turn)
    }
    let exhausted = outbox.dispatcher.exhaustedDeliveries(by: batch, among: recorded, now: now)
    let knowledge = try knowledge(of: exhausted, recorded, &turn)
    try outbox.write(outbox.dispatcher.settle(batch, knowing: knowledge, now: now), &turn)
    try awaitReceipts(of: batch, &turn)
    try withdrawEnded(among: batch, &turn)
    if !outbox.testObservers.isEmpty { try outbox.observe(batch.attempts(now: now), &turn) }
    turn.traceAttempts(batch)
    if batch.isLaneFree { turn.effects.outbox.answered[batch.lane] = batch.leavingCount }
    turn.effects.answers.append { [outbox] in outbox.conclude(batch, now: now) }
  }

  private func record(_ outage: SinkOutage, lane number: Int, _ turn: inout Turn) throws {
    let now = turn.now
    if turn.sampler != nil, let state = outbox.dispatcher.lane(number) {
      turn.traceOutage(of: state.sink, state.batch, since: state.dispatchedAt)
    }
    let (effects, hasMisrouted) = outbox.dispatcher.requeue(from: number)
    try outbox.write(effects, &turn)
    if hasMisrouted { try outbox.moveMisrouted(by: outbox.dispatcher.routes, in: turn.transaction) }
    let count = try redirectLate(behind: number, outage, &turn)
    turn.effects.answers.append { [outbox] in
      outbox.fail(lane: number, outage, redirected: count, now: now)
    }
  }

  private func record(
    _ outage: SinkOutage, ofStragglers stragglersNumber: Int, lane number: Int, _ turn: inout Turn
  ) throws {
    let now = turn.now
    if turn.sampler != nil, let state = outbox.dispatcher.lane(number),
      let stragglers = state.stragglers[stragglersNumber]
    {
      turn.traceOutage(
        of: state.sink, stragglers.retries.map(\.delivery), since: stragglers.dispatchedAt)
    }
    let (effects, hasMisrouted) = outbox.dispatcher.requeue(
      .stragglers(stragglersNumber), from: number)
    try outbox.write(effects, &turn)
    if hasMisrouted { try outbox.moveMisrouted(by: outbox.dispatcher.routes, in: turn.transaction) }
    turn.effects.answers.append { [outbox] in
      outbox.failStragglers(stragglersNumber, lane: number, outage, now: now)
    }
  }

  /// Moves retries and queued deliveries to other sinks if they cannot wait for the end of an
  /// outage.
  ///
  /// - Returns: how many deliveries at the start of the queue became retries.
  private func redirectLate(
    behind number: Int, _ outage: SinkOutage, _ turn: inout Turn
  ) throws -> Int {
    let now = turn.now
    let dispatcher = outbox.dispatcher
    guard dispatcher.hasAlternative(to: number), let sink = dispatcher.lane(number)?.sink else {
      return 0
    }
    // A retry that is due before the next attempt at the sink could expire before that attempt.
    let nextAttempt = now + RetrySchedule.longestPause
    let retries = try turn.transaction.dueRetries(
      of: sink, now: nextAttempt, limit: Dispatcher.redirectMax, batchMax: { _ in .max })
    let late = dispatcher.lateDeliveries(behind: number, retries: retries, now: now)
    guard let late else { return 0 }
    let recorded = try turn.transaction.recorded(among: late.notifications)
    let exhausted = dispatcher.exhaustedDeliveries(of: late, among: recorded, now: now)
    let knowledge = try knowledge(of: exhausted, recorded, &turn)
    let effects = dispatcher.redirect(late, outage, knowing: knowledge, now: now)
    try outbox.write(effects, &turn)
    try outbox.observe(effects.changes.laterAttempts, &turn)
    return late.leavingCount
  }

  /// Reads the state that decides which fallback channels may deliver instead.
  ///
  /// - Parameters:
  ///   - exhausted: the deliveries that have no next sink on their channel.
  ///   - recorded: the notifications that the store contains.
  private func knowledge(
    of exhausted: [Delivery], _ recorded: Set<Int64>, _ turn: inout Turn
  ) throws -> DeliveryKnowledge {
    var knowledge = DeliveryKnowledge(recorded: recorded)
    for delivery in exhausted {
      guard let person = try ingestion.person(named: delivery.recipient, &turn) else { continue }
      let context = PlanningContext(facts: person.stored.recipient.facts, planner: turn.planner)
      knowledge.fallbacks[DeliveryChanges.Key(delivery)] =
        context.fallbacks(of: delivery, at: turn.now)
    }
    knowledge.reaches = try turn.transaction.reaches(
      of: exhausted.filter { knowledge.fallbacks[DeliveryChanges.Key($0)]?.isEmpty == false })
    return knowledge
  }

  /// Removes devices that a push service no longer knows. The removals are events of the service,
  /// because facts derive from events. The recipient is replanned.
  ///
  /// - Parameter time: when the delivery was dispatched; a device registered since then is not
  ///   removed.
  private func remove(
    _ devices: [String], of delivery: Delivery, asOf time: Instant, _ turn: inout Turn
  ) throws {
    guard let person = try ingestion.person(named: delivery.recipient, &turn) else { return }
    let registered = person.stored.recipient.facts.devices.filter { $0.token != nil }
    for device in devices where registered.contains(where: { $0.identifier == device }) {
      let event = Event(
        removing: device, of: delivery.recipient, at: time,
        identifier: "\(delivery.identifier)-\(device)")
      _ = try ingestion.ingest(event, &turn)
    }
    try ingestion.foldArrivals(&turn)
  }
}
