import CivilTime
import Outbox
import Reminders
import Store

/// Dispatches deliveries; each dispatch is recorded before a sink receives the delivery (rule D1).
extension EngineOutbox {
  /// How many times in one engine cycle a lane, which is a sink's queue, may look for deliveries to
  /// dispatch. Then the next lane may look.
  private static let looksMax = 4

  /// How many recipients are read together, for gates or addresses.
  private static let readMax = 256

  /// The number of deliveries whose gates are evaluated together.
  private static let recheckMax = 1_024

  /// Dispatches the next batch of every free lane, and the next analytics events.
  ///
  /// - Parameters:
  ///   - planner: evaluates the gates of deliveries that have waited.
  ///   - showProgress: called when a full or locked store has paused a lane.
  func dispatch(
    planner: Planner, now: Instant, showProgress: () -> Void
  ) throws(StoreError) {
    for lane in dispatcher.free where shards.mayAct {
      do {
        try dispatch(lane: lane, planner: planner, now: now)
      } catch {
        guard error.isTemporary else { throw error }
        dispatcher.pause(lane, SinkOutage(error.description), now: now)
        showProgress()
      }
    }
    try dispatchAnalytics(now: now)
  }

  private func dispatch(lane: Int, planner: Planner, now: Instant) throws(StoreError) {
    for _ in 0..<Self.looksMax {
      switch dispatcher.next(lane, now: now) {
      case .none: return
      case .read(let cursor): try supply(lane: lane, after: cursor)
      case .dispatch(let chunk, let isStale):
        let batch = try prepare(
          chunk, isStale: isStale, lane: lane, planner: planner, now: now)
        guard batch.isEmpty else { return dispatch(batch, [], toLane: lane, now: now) }
      case .retry(let limit):
        let retries = try startRetries(
          lane: lane, limit: limit, planner: planner, now: now)
        let batch = retries.map(\.delivery)
        guard batch.isEmpty else { return dispatch(batch, retries, toLane: lane, now: now) }
      }
    }
  }

  private func dispatch(_ batch: [Delivery], _ retries: [Retry], toLane lane: Int, now: Instant) {
    dispatcher.dispatch(batch, retries: retries, toLane: lane, now: now)
    if let sink = dispatcher.lane(lane)?.sink { observeDispatch(of: batch, sink: sink, now: now) }
    let links = published.actionLinks
    actions.dispatch(batch.map { $0.linked(by: links) }, toLane: lane)
  }

  /// Reads the next recorded deliveries of a lane, and adds them to its queue.
  ///
  /// - Parameter cursor: the notification after which to read.
  private func supply(lane: Int, after cursor: Int64) throws(StoreError) {
    guard let channels = dispatcher.lane(lane)?.lane.channels else { return }
    let (deliveries, through) = try store.commit { transaction in
      try transaction.deliveries(after: cursor, limit: EngineCore.batchMax, on: channels)
    }
    dispatcher.supply(deliveries, through: through, toLane: lane)
  }

  /// Evaluates the gates of deliveries that have waited, records the dispatch and adds the
  /// recipients' addresses, all in one transaction.
  ///
  /// - Returns: the deliveries to dispatch.
  private func prepare(
    _ chunk: [Delivery], isStale: Bool, lane: Int, planner: Planner, now: Instant
  ) throws(StoreError) -> [Delivery] {
    let preparation = dispatcher.preparation(of: chunk, isStale: isStale, lane: lane)
    guard !preparation.isEmpty, let sink = dispatcher.lane(lane)?.sink else { return chunk }
    let (passing, batch, nextRetries, effects) = try store.commit { transaction in
      var (passing, effects) = (chunk, OutboxEffects())
      if isStale {
        let chunkRetries = chunk.map { Retry(sink: sink, delivery: $0, attempts: 0) }
        passing = try recheckGates(
          of: chunkRetries, &effects, planner: planner, now: now, in: transaction
        ).map(\.delivery)
      }
      if let progress = dispatcher.progress(dispatching: passing, of: chunk.count, lane: lane) {
        try transaction.save([progress])
      }
      var batch = passing
      if preparation.contains(.addressees) {
        try address(&batch, planner: planner, in: transaction)
      }
      return (passing, batch, try transaction.nextRetries(of: dispatcher.sinks), effects)
    }
    report(effects)
    dispatcher.setNextRetries(nextRetries)
    dispatcher.confirmPreparation(passing, of: chunk.count, isStale: isStale, lane: lane)
    return batch
  }

  /// Records as dispatched the due retries that the gates let pass, and returns them.
  private func startRetries(
    lane number: Int, limit: Int, planner: Planner, now: Instant
  ) throws(StoreError) -> [Retry] {
    guard let state = dispatcher.lane(number) else { return [] }
    let (sink, window) = (state.sink, state.lane.window)
    let (retries, nextRetries, effects) = try store.commit { transaction in
      var effects = OutboxEffects()
      let due = try transaction.dueRetries(
        of: sink, now: now, limit: min(limit, EngineCore.batchMax),
        batchMax: { Suspicion.batchMax(deaths: $0, window: window) })
      var changes = DeliveryChanges()
      // Gates do not concern withdrawals. A reload may have moved withdrawals to a sink that would
      // send them as new notifications.
      let withdrawals = changes.currentWithdrawals(
        among: due, canWithdraw: sinks[number]?.canWithdraw ?? false, now: now)
      var retries = try recheckGates(
        of: due.filter { !$0.delivery.isWithdrawal }, &effects, planner: planner, now: now,
        in: transaction)
      retries += withdrawals
      for retry in retries { changes.dispatch(retry.delivery) }
      try transaction.save(changes)
      if state.needsAddressee {
        var batch = retries.map(\.delivery)
        try address(&batch, planner: planner, in: transaction)
        for index in retries.indices { retries[index].delivery = batch[index] }
      }
      return (retries, try transaction.nextRetries(of: dispatcher.sinks), effects)
    }
    report(effects)
    dispatcher.setNextRetries(nextRetries)
    dispatcher.beginRetries(retries, lane: number, now: now)
    return retries
  }

  /// Counts the usage of committed effects and reports their notes.
  private func report(_ effects: OutboxEffects) {
    published.countUsage(effects.usage.counts)
    for note in effects.notes.notes { actions.report(note) }
  }

  // MARK: - Gates and addresses

  /// Evaluates the gates again (rule V7). Returns the retries that pass, perhaps muted, and writes
  /// the outcomes of the others.
  ///
  /// - Parameter effects: gets the usage counts and notes, to be reported after the commit.
  private func recheckGates(
    of retries: [Retry], _ effects: inout OutboxEffects, planner: Planner, now: Instant,
    in transaction: any StoreWriter
  ) throws -> [Retry] {
    var passing: [Retry] = []
    var remaining = retries[...]
    while !remaining.isEmpty {
      let group = Array(remaining.prefix(Self.recheckMax))
      var contexts: [UInt32: PlanningContext] = [:]
      let deliveries = group.map(\.delivery)
      var replaced = try transaction.replaced(among: deliveries)
      let byRow = Dictionary(grouping: deliveries, by: \.row)
      try forEachRecipient(of: deliveries, in: transaction) { stored in
        let (row, recipient) = (stored.row, stored.recipient)
        let context = PlanningContext(facts: recipient.facts, planner: planner)
        contexts[row] = context
        let recipientDeliveries = byRow[row, default: []]
        replaced.formUnion(
          recipientDeliveries.filter(recipient.progress.isReplaced).map(\.notification))
        replaced.formUnion(
          try transaction.emptiedDigests(among: recipientDeliveries, of: recipient, in: context))
      }
      var recheck = Recheck(group, contexts, replaced: replaced, now: now)
      recheck.conclude(try transaction.channelProgress(of: Array(Set(recheck.dropped))))
      try write(recheck.effects, in: transaction)
      effects.addReports(of: recheck.effects)
      let fallbacks = try fallbacks(after: recheck.unreachable, contexts, now: now, in: transaction)
      try write(fallbacks, in: transaction)
      effects.addReports(of: fallbacks)
      passing += recheck.passing
      remaining = remaining.dropFirst(Self.recheckMax)
    }
    return passing
  }

  /// Returns the effects that start the fallbacks of dead letters. Such a fallback has waited for a
  /// delivery on another channel, which the gates have now dropped.
  ///
  /// - Parameter dropped: the deliveries that the gates have dropped.
  private func fallbacks(
    after dropped: [Delivery], _ contexts: [UInt32: PlanningContext], now: Instant,
    in transaction: any StoreWriter
  ) throws -> OutboxEffects {
    let deadLetters = try dropped.flatMap { delivery in
      try Channel.allCases.filter { $0 != delivery.channel }.compactMap {
        try transaction.deadLetter(delivery.notification, $0)
      }
    }
    return try fallbacks(of: deadLetters, contexts, now: now, in: transaction)
  }

  /// Starts the fallbacks of quarantined deliveries, which are dead letters because they were in
  /// flight at several crashes.
  ///
  /// - Returns: the written effects.
  func startFallbacks(
    of quarantined: [Retry], planner: Planner, now: Instant, in transaction: any StoreWriter
  ) throws -> OutboxEffects {
    guard !quarantined.isEmpty else { return OutboxEffects() }
    var contexts: [UInt32: PlanningContext] = [:]
    try forEachRecipient(of: quarantined.map(\.delivery), in: transaction) { stored in
      contexts[stored.row] = PlanningContext(facts: stored.recipient.facts, planner: planner)
    }
    let deadLetters = try quarantined.compactMap {
      try transaction.deadLetter($0.delivery.notification, $0.delivery.channel)
    }
    let effects = try fallbacks(of: deadLetters, contexts, now: now, in: transaction)
    try write(effects, in: transaction)
    return effects
  }

  /// Returns the effects that start the fallbacks of dead letters.
  private func fallbacks(
    of deadLetters: [DeadLetter], _ contexts: [UInt32: PlanningContext], now: Instant,
    in transaction: any StoreWriter
  ) throws -> OutboxEffects {
    var knowledge = DeliveryKnowledge(recorded: [])
    for letter in deadLetters {
      let fallbacks = contexts[letter.delivery.row]?.fallbacks(of: letter.delivery, at: now)
      knowledge.fallbacks[DeliveryChanges.Key(letter.delivery)] = fallbacks
    }
    knowledge.reaches = try transaction.reaches(of: deadLetters.map(\.delivery))
    return dispatcher.fallBack(from: deadLetters, knowing: knowledge, now: now)
  }

  /// Adds the recipients' addresses and the deliveries' urgencies. Reads recipients in the order of
  /// their rows.
  private func address(
    _ batch: inout [Delivery], planner: Planner, in transaction: any StoreWriter
  ) throws {
    var addressees: [UInt32: Addressee] = [:]
    try forEachRecipient(of: batch, in: transaction) { stored in
      let facts = stored.recipient.facts
      addressees[stored.row] = Addressee(facts, zone: planner.zone(of: facts))
    }
    for index in batch.indices {
      batch[index].addressee = addressees[batch[index].row]
      batch[index].urgency = planner.catalog.urgency(of: batch[index])
    }
  }

  /// Reads the recipients of some deliveries, each once, in the order of their rows.
  private func forEachRecipient(
    of batch: [Delivery], in transaction: any StoreWriter, _ body: (StoredRecipient) throws -> Void
  ) throws {
    var remaining = Set(batch.map(\.row)).sorted()[...]
    while !remaining.isEmpty {
      for stored in try transaction.recipients(rows: remaining.prefix(Self.readMax)) {
        try body(stored)
      }
      remaining = remaining.dropFirst(Self.readMax)
    }
  }

  // MARK: - Stop

  /// Records once that the service is stopping, so that the deliveries in flight are not suspected
  /// of having crashed it.
  func recordStop() throws(StoreError) {
    guard !isStopRecorded, !dispatcher.hasNothingInFlight else { return }
    do {
      try store.commit { try $0.recordStop() }
      isStopRecorded = true
    } catch {
      // The next cycle tries again.
      guard error.isTemporary else { throw error }
    }
  }
}
