import CivilTime
import Delivery
import Reminders
import Store

extension EngineCore {
  /// Plans recipients anew after the catalog or the tz database changed (rules T1, T5), and notes
  /// with the last of them that it is done.
  func planAnew(_ turn: inout Turn, in transaction: StoreTransaction) throws {
    guard !turn.staleRows.isEmpty else { return }
    for row in turn.staleRows { try planAnew(row: row, &turn, in: transaction) }
    if turn.staleRows.count == stale.count {
      try transaction.saveNote("plan", turn.planner.fingerprint)
    }
  }

  private func planAnew(
    row: UInt32, _ turn: inout Turn, in transaction: StoreTransaction
  ) throws {
    guard var stored = try transaction.recipient(row: row) else { return }
    // What is due is still as it was planned before.
    if let due = stored.due, due <= turn.now {
      let situation = Situation(facts: stored.recipient.facts, planner: stalePlanner)
      try fire(&stored, knowing: situation, &turn, in: transaction)
    }
    stored.recipient.rewind(to: turn.now, planner: turn.planner)
    stored.recipient.replan(from: stalePlanner, to: turn.planner, now: turn.now)
    let situation = Situation(facts: stored.recipient.facts, planner: turn.planner)
    try keep([stored], [stored.recipient.outlook(in: situation)], &turn, in: transaction)
  }

  /// A step of less than a minute lets nothing pass: what is planned within it went out already.
  func clockWasSetBack(to now: Instant) {
    for index in lanes.indices { lanes[index].lane.clockWasSetBack(to: now) }
    if now < latest - .minutes(1) { rewindAll(to: now) }
  }

  /// The clock was set back (rule T6): what a clock that ran ahead has let pass is opened again,
  /// and no retry waits for that clock's time.
  private func rewindAll(to now: Instant) {
    retryShift = retryShift + (latest - now)
    if stale.isEmpty { stalePlanner = planner }
    stale.append(upTo: timers.count - 1)
  }
}

extension Planner {
  /// Tells two planners apart that may plan differently.
  var fingerprint: String {
    "\(zones.version) \(defaultZone.name) \(catalog.fingerprint)"
  }
}
