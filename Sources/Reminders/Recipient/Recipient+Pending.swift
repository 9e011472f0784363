package import CivilTime

/// One planned instant of a reminder that waits in the wheel, with the instant at which the gates
/// will let it out as things stand (rules V7, N4).
package struct Pending: Hashable, Sendable {
  package var reminder: Symbol
  package var key: Int64
  package var planned: Instant
  package var decision: Decision
  package var message: UInt8
  package var number: Int64?
}

extension Recipient {
  /// Everything that is pending: of each reminder what is under way and its next occurrence, in
  /// the order in which they go out.
  package func pending(now: Instant, planner: Planner) -> [Pending] {
    let situation = Situation(facts: facts, planner: planner)
    let entries = underWay(now: now, in: situation) + planned(in: situation)
    return entries.sorted { ($0.decision.at, $0.reminder) < ($1.decision.at, $1.reminder) }
  }

  private func underWay(now: Instant, in situation: Situation) -> [Pending] {
    progress.underWay.compactMap { entry in
      guard let reminder = situation.catalog.reminder(entry.reminder) else { return nil }
      let input = situation.gateInput(reminder, planned: entry.planned)
      var decision = Gates.decide(input, from: max(now, entry.planned))
      decision.trace.add(entry.holds)
      return Pending(
        reminder: reminder.symbol, key: entry.key, planned: entry.planned, decision: decision,
        message: message(for: reminder, key: entry.key),
        number: situation.occurrences(reminder).first { $0.key == entry.key }?.number)
    }
  }

  private func planned(in situation: Situation) -> [Pending] {
    situation.catalog.reminders.compactMap { reminder in
      guard !situation.channels(of: reminder).isEmpty,
        let next = situation.next(reminder, after: progress.cutoff, progress: progress)
      else { return nil }
      let input = situation.gateInput(reminder, planned: next.planned)
      return Pending(
        reminder: reminder.symbol, key: next.key, planned: next.planned,
        decision: Gates.decide(input, from: next.planned),
        message: message(for: reminder, key: next.key), number: next.number)
    }
  }
}
