import CivilTime
import Outbox
import Reminders
import Store

/// Answers of sinks (rule D2). The outbox decides the effects; this code reads and writes the
/// store.
extension EngineCore {
  /// Records a sink's answers to its batch, or to a part of its deliveries in flight.
  func record(
    _ result: Result<[SinkAnswer?], SinkOutage>, to part: BatchPart = .all, lane number: Int,
    _ turn: inout Turn, in transaction: any StoreWriter
  ) throws {
    switch (outbox.reply(result, of: number, to: part), part) {
    case (.answers(let batch), _): try record(batch, &turn, in: transaction)
    case (.outage(let outage), .rest(let call)):
      try record(outage, ofStragglers: call, lane: number, &turn, in: transaction)
    case (.outage(let outage), _): try record(outage, lane: number, &turn, in: transaction)
    case (nil, _): break
    }
  }

  private func record(
    _ batch: AnsweredBatch, _ turn: inout Turn, in transaction: any StoreWriter
  ) throws {
    let now = turn.now
    let recorded = try transaction.recorded(among: batch.notifications)
    for (devices, delivery) in batch.goneDevices(among: recorded) {
      try remove(devices, of: delivery, asOf: batch.dispatchedAt, &turn, in: transaction)
    }
    let exhausted = outbox.exhaustedDeliveries(by: batch, among: recorded, now: now)
    let known = try knowledge(of: exhausted, recorded, &turn, in: transaction)
    try write(outbox.settle(batch, knowing: known, now: now), &turn, in: transaction)
    if !testObservers.isEmpty { try observe(batch.attempts(now: now), &turn, in: transaction) }
    if batch.isLaneFree { turn.answered[batch.lane] = batch.countOfQueue }
    turn.answers.append { [self] in
      if let closed = outbox.conclude(batch, now: now) { close(lane: closed) }
    }
  }

  private func record(
    _ outage: SinkOutage, lane number: Int, _ turn: inout Turn, in transaction: any StoreWriter
  ) throws {
    let now = turn.now
    let (effects, isAstray) = outbox.requeue(from: number)
    try write(effects, &turn, in: transaction)
    if isAstray { try moveStrays(by: outbox.routes, in: transaction) }
    let count = try redirectLate(behind: number, outage, &turn, in: transaction)
    turn.answers.append { [self] in
      let closed = outbox.fail(number, outage, redirected: count, now: now)
      if let closed { close(lane: closed) }
    }
  }

  private func record(
    _ outage: SinkOutage, ofStragglers call: Int, lane number: Int, _ turn: inout Turn,
    in transaction: any StoreWriter
  ) throws {
    let now = turn.now
    let (effects, isAstray) = outbox.requeue(.rest(call), from: number)
    try write(effects, &turn, in: transaction)
    if isAstray { try moveStrays(by: outbox.routes, in: transaction) }
    turn.answers.append { [self] in
      let closed = outbox.failStragglers(call, of: number, outage, now: now)
      if let closed { close(lane: closed) }
    }
  }

  /// Moves retries and queued deliveries that cannot wait for the end of an outage to other sinks.
  ///
  /// - Returns: how many of the first of the queue wait elsewhere now.
  private func redirectLate(
    behind number: Int, _ outage: SinkOutage, _ turn: inout Turn, in transaction: any StoreWriter
  ) throws -> Int {
    let now = turn.now
    guard outbox.hasAlternative(to: number), let sink = outbox.lane(number)?.sink else { return 0 }
    // Deliveries due before the next attempt at the sink could expire before it.
    let next = now + RetrySchedule.longestPause
    let retries = try transaction.dueRetries(
      of: sink, now: next, limit: Dispatcher.redirectMax, batchMax: { _ in .max })
    guard let late = outbox.lateDeliveries(behind: number, retries: retries, now: now) else {
      return 0
    }
    let recorded = try transaction.recorded(among: late.notifications)
    let exhausted = outbox.exhaustedDeliveries(of: late, among: recorded, now: now)
    let known = try knowledge(of: exhausted, recorded, &turn, in: transaction)
    let effects = outbox.redirect(late, outage, knowing: known, now: now)
    try write(effects, &turn, in: transaction)
    try observe(effects.changes.laterAttempts, &turn, in: transaction)
    return late.countOfQueue
  }

  // MARK: - The store

  /// Writes effects of the outbox within a cycle.
  private func write(
    _ effects: OutboxEffects, _ turn: inout Turn, in transaction: any StoreWriter
  ) throws {
    try transaction.keep(effects.changes)
    try transaction.save(effects.progress)
    turn.usage.add(effects.usage)
    turn.deliveryNotes.add(effects.notes)
  }

  /// Reads what decides which channels may take over.
  ///
  /// - Parameter exhausted: the deliveries that no other sink carries.
  private func knowledge(
    of exhausted: [Delivery], _ recorded: Set<Int64>, _ turn: inout Turn,
    in transaction: any StoreWriter
  ) throws -> DeliveryKnowledge {
    var known = DeliveryKnowledge(recorded: recorded)
    for delivery in exhausted {
      guard let person = try person(named: delivery.recipient, &turn, in: transaction) else {
        continue
      }
      let context = PlanningContext(facts: person.stored.recipient.facts, planner: turn.planner)
      known.fallbacks[DeliveryChanges.Key(delivery)] = context.fallbacks(of: delivery)
    }
    known.reaches = try transaction.reaches(
      of: exhausted.filter { known.fallbacks[DeliveryChanges.Key($0)]?.isEmpty == false })
    return known
  }

  /// Removes devices that a push service no longer knows, by events of the service, because facts
  /// derive from events. The recipient is replanned.
  ///
  /// - Parameter asOf: when the delivery was dispatched; a device registered since is kept.
  private func remove(
    _ devices: [String], of delivery: Delivery, asOf time: Instant, _ turn: inout Turn,
    in transaction: any StoreWriter
  ) throws {
    guard let known = try person(named: delivery.recipient, &turn, in: transaction)
    else { return }
    let registered = known.stored.recipient.facts.devices.filter { $0.token != nil }
    for device in devices where registered.contains(where: { $0.identifier == device }) {
      let event = Event(
        removing: device, of: delivery.recipient, at: time,
        identifier: "\(delivery.identifier)-\(device)")
      _ = try takeIn(event, &turn, in: transaction)
    }
    foldArrivals(&turn)
  }
}
