package import CivilTime

extension Recipient {
  /// Takes back what a clock that ran ahead has let pass (rule T6): what is planned from `now` on
  /// is open again, but for the occurrences that the store has an outcome of.
  package mutating func rewind(to now: Instant, planner: Planner) {
    guard progress.cutoff > now else { return }
    progress.cutoff = now
    progress.underWay.removeAll { $0.planned > now && !$0.isSnoozed }
    progress.forgetRecent(after: now)
    progress.batches.removeAll { $0.latest > now }
    reopen(after: now, planner: planner)
    let yesterday = Int64(planner.zone(of: facts).date(at: now).daysSinceEpoch) - 1
    for index in progress.settled.indices {
      let reminder = planner.catalog.reminder(progress.settled[index].reminder)
      guard let reminder, reminder.isRepeating else { continue }
      progress.settled[index].key = min(progress.settled[index].key, yesterday)
    }
  }

  /// The same for what is said once. A key that nothing has keeps the message in mind that was sent
  /// last.
  private mutating func reopen(after now: Instant, planner: Planner) {
    let situation = Situation(facts: facts, planner: planner)
    for index in progress.settled.indices {
      let (symbol, key) = (progress.settled[index].reminder, progress.settled[index].key)
      guard let reminder = planner.catalog.reminder(symbol), !reminder.isRepeating,
        let occurrence = situation.occurrence(of: reminder, key: key),
        occurrence.planned > now
      else { continue }
      progress.settled[index].key = .max
    }
  }
}
