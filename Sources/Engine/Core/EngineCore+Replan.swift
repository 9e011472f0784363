import CivilTime
import Outbox
import Reminders
import Store

extension EngineCore {
  /// Plans recipients anew after the catalog or the tz database changed (rules T1, T5), and notes
  /// with the last of them that it is done.
  func planAnew(_ turn: inout Turn, in transaction: any StoreWriter) throws {
    guard !turn.staleRows.isEmpty else { return }
    for row in turn.staleRows { try planAnew(row: row, &turn, in: transaction) }
    if turn.staleRows.count == stale.count {
      try transaction.saveNote("plan", turn.planner.fingerprint)
      if rewind != nil { try saveRewind(nil, in: transaction) }
    }
  }

  private func planAnew(
    row: UInt32, _ turn: inout Turn, in transaction: any StoreWriter
  ) throws {
    guard var stored = try transaction.recipient(row: row) else { return }
    try takeBack(&stored, in: transaction)
    // What is due is still as it was planned before.
    if let due = stored.due, due <= turn.now {
      let context = PlanningContext(facts: stored.recipient.facts, planner: stalePlanner)
      try fire(&stored, knowing: context, &turn, in: transaction)
    }
    let before = planned(stored.recipient, stalePlanner, &turn)
    stored.recipient.rewind(to: turn.now, planner: turn.planner)
    stored.recipient.replan(from: stalePlanner, to: turn.planner, now: turn.now)
    if let before { countMoved(stored.recipient, from: before, &turn) }
    let context = PlanningContext(facts: stored.recipient.facts, planner: turn.planner)
    try keep([stored], [stored.recipient.schedule(in: context)], &turn, in: transaction)
  }

  // MARK: - Change of the tz database

  /// Begins to count what other zones come to.
  func noteZones(of planner: Planner) {
    guard planner.zones.generation != self.planner.zones.generation else { return }
    let changes = planner.zones.changes(since: self.planner.zones)
    zoneUpdate = ZoneUpdate(
      version: planner.zones.version, zones: changes.union(zoneUpdate?.zones ?? []))
  }

  /// The instants of what is pending for one who lives where the rules have changed; nil for
  /// others.
  private func planned(
    _ recipient: Recipient, _ planner: Planner, _ turn: inout Turn
  ) -> [PendingPlace: Instant]? {
    guard let zoneUpdate else { return nil }
    turn.zoneUpdate.recipients += 1
    let zone = recipient.facts.zoneName ?? turn.planner.defaultZone.name
    guard zoneUpdate.zones.contains(zone) else { return nil }
    turn.zoneUpdate.affected += 1
    return instants(recipient, planner, turn.now)
  }

  private func countMoved(
    _ recipient: Recipient, from before: [PendingPlace: Instant], _ turn: inout Turn
  ) {
    for (place, instant) in instants(recipient, turn.planner, turn.now) {
      if let old = before[place], old != instant { turn.zoneUpdate.moved += 1 }
    }
  }

  private func instants(
    _ recipient: Recipient, _ planner: Planner, _ now: Instant
  ) -> [PendingPlace: Instant] {
    let pending = recipient.pending(now: now, planner: planner)
    return Dictionary(pending.map { (PendingPlace($0), $0.planned) }) { first, _ in first }
  }

  /// Adds what a turn that is on disk has counted, and tells it when everyone has had their turn.
  func concludeZones(_ turn: Turn) {
    guard var update = zoneUpdate else { return }
    update.recipients += turn.zoneUpdate.recipients
    update.affected += turn.zoneUpdate.affected
    update.moved += turn.zoneUpdate.moved
    zoneUpdate = stale.isEmpty ? nil : update
    if stale.isEmpty { actions.report(update) }
  }
}

/// What tells a pending reminder from the others of the same person.
private struct PendingPlace: Hashable {
  let reminder: Symbol
  let key: Int64
  let channelGroup: ChannelGroup

  init(_ pending: Pending) {
    (reminder, key, channelGroup) = (pending.reminder, pending.key, pending.channelGroup)
  }
}

extension Planner {
  /// Tells two planners apart that may plan differently.
  var fingerprint: String {
    "\(zones.version) \(defaultZone.name) \(catalog.fingerprint)"
  }
}

/// The gates before another attempt (rule V7).
extension EngineCore {
  /// How many deliveries are asked about together.
  private static let recheckMax = 1_024

  /// Those that the gates let go now. What they hold becomes a retry at the end of the hold; what
  /// they drop is recorded as dropped.
  func passing(
    _ retries: [Retry], now: Instant, in transaction: any StoreWriter
  ) throws -> [Retry] {
    var passing: [Retry] = []
    var rest = retries[...]
    while !rest.isEmpty {
      let group = rest.prefix(Self.recheckMax)
      var situations: [UInt32: PlanningContext] = [:]
      try forEachRecipient(of: group.map(\.delivery), in: transaction) { stored in
        situations[stored.row] = PlanningContext(facts: stored.recipient.facts, planner: planner)
      }
      var handling = Handling(candidates: group.map(\.delivery.notification))
      for retry in group {
        guard let context = situations[retry.delivery.row],
          let passed = try pass(retry, context, &handling, now: now, in: transaction)
        else { continue }
        passing.append(passed)
      }
      if !handling.changes.isEmpty { try transaction.keep(handling.changes) }
      rest = rest.dropFirst(Self.recheckMax)
    }
    return passing
  }

  /// The delivery as it may go now; nil if it may not. One that was decided by day makes no sound
  /// where it would make none if it were decided now (rule V3).
  private func pass(
    _ retry: Retry, _ context: PlanningContext, _ handling: inout Handling, now: Instant,
    in transaction: any StoreWriter
  ) throws -> Retry? {
    let decision = context.decision(retrying: retry.delivery, now: now)
    if decision.outcome == .dropped {
      try drop(retry, decision.trace, &handling, now: now, in: transaction)
      return nil
    }
    guard decision.at > now else {
      var passed = retry
      passed.delivery.isSilent = passed.delivery.isSilent || decision.isSilent
      return passed
    }
    let delivery = retry.delivery
    handling.changes.settle(
      delivery.notification, outcome: .delivered, trace: decision.trace)
    let reasons = decision.trace.reasons.joined(separator: ", ")
    handling.changes.wait(retry, due: decision.at, reason: "held by \(reasons)")
    return nil
  }

  /// Records that the gates keep a delivery from its channel. The notification counts as dropped
  /// when that is so of all its channels; what is in the inbox has been delivered, whatever a sink
  /// made of it.
  private func drop(
    _ retry: Retry, _ trace: GateTrace, _ handling: inout Handling, now: Instant,
    in transaction: any StoreWriter
  ) throws {
    let delivery = retry.delivery
    let reasons = trace.reasons.joined(separator: ", ")
    handling.keep(
      Attempt(of: delivery, by: retry.sink, at: now, .dropped, reason: reasons), isFirst: false)
    try count(.dropped, delivery, at: now, reason: trace.firstDrop, in: transaction)
    let isDroppedEverywhere = try handling.drop(delivery, in: transaction)
    guard delivery.channel != .inapp, isDroppedEverywhere else { return }
    handling.changes.settle(delivery.notification, outcome: .dropped, trace: trace)
  }
}
