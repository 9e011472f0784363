package import CivilTime

extension Recipient {
  /// Fires what is due at `now`: each occurrence is delivered, held or dropped.
  ///
  /// After a pause it catches up (rule T7): what was missed goes out late if it has not expired,
  /// and of a repeating reminder only the latest.
  ///
  /// - Returns: what came of each, and what is to be done next.
  package mutating func fire(
    now: Instant, planner: Planner
  ) -> (firings: [Firing], outlook: Outlook) {
    fire(now: now, in: Situation(facts: facts, planner: planner))
  }

  /// The same for a caller that has the situation of these very facts at hand.
  package mutating func fire(
    now: Instant, in situation: Situation
  ) -> (firings: [Firing], outlook: Outlook) {
    var firings: [Firing] = []
    var outlook = startDue(now: now, in: situation, firings: &firings)
    progress.cutoff = max(progress.cutoff, now)
    decideDue(now: now, in: situation, firings: &firings)
    for entry in progress.underWay { outlook.add(entry.due) }
    return (firings, outlook)
  }

  /// Whether something under way waits for its turn at `now`.
  package func hasDue(at now: Instant) -> Bool {
    progress.underWay.contains { $0.due <= now }
  }

  /// Puts under way what was planned since the cutoff.
  ///
  /// - Returns: what is planned after `now`.
  private mutating func startDue(
    now: Instant, in situation: Situation, firings: inout [Firing]
  ) -> Outlook {
    var outlook = Outlook(due: nil, pending: 0)
    for reminder in situation.catalog.reminders where !situation.channels(of: reminder).isEmpty {
      var after = progress.cutoff
      while let occurrence = situation.next(reminder, after: after, progress: progress) {
        guard occurrence.planned <= now else {
          outlook.add(occurrence.planned)
          break
        }
        after = occurrence.planned
        if reminder.isRepeating {
          dropMissed(reminder, at: now, in: situation, firings: &firings)
        }
        progress.underWay.append(
          Progress.UnderWay(
            reminder: reminder.symbol, key: occurrence.key, planned: occurrence.planned,
            due: occurrence.planned, holds: GateTrace()))
      }
    }
    return outlook
  }

  /// Drops an earlier occurrence that is due as well: the later one takes its place.
  private mutating func dropMissed(
    _ reminder: Reminder, at now: Instant, in situation: Situation, firings: inout [Firing]
  ) {
    let isMissed = { (entry: Progress.UnderWay) in
      entry.reminder == reminder.symbol && entry.due <= now
    }
    for entry in progress.underWay where isMissed(entry) {
      var trace = entry.holds
      trace.note(.missed, .drops)
      firings.append(
        Firing(
          reminder: entry.reminder, key: entry.key, planned: entry.planned, at: now,
          result: .settled(.dropped), trace: trace, channels: situation.channels(of: reminder),
          message: message(for: reminder, key: entry.key), number: nil))
    }
    progress.underWay.removeAll(where: isMissed)
  }

  private mutating func decideDue(
    now: Instant, in situation: Situation, firings: inout [Firing]
  ) {
    var index = 0
    while index < progress.underWay.count {
      let entry = progress.underWay[index]
      guard entry.due <= now else {
        index += 1
        continue
      }
      guard let reminder = situation.catalog.reminder(entry.reminder) else {
        progress.underWay.remove(at: index)
        continue
      }
      let firing = decide(entry, reminder, now: now, in: situation)
      firings.append(firing)
      if case .held(let until) = firing.result {
        progress.underWay[index].due = until
        progress.underWay[index].holds = firing.trace
        index += 1
      } else {
        progress.underWay.remove(at: index)
        settle(firing)
      }
    }
  }

  private func decide(
    _ entry: Progress.UnderWay, _ reminder: Reminder, now: Instant, in situation: Situation
  ) -> Firing {
    let input = situation.gateInput(reminder, planned: entry.planned)
    let decision = Gates.decide(input, from: now)
    var trace = entry.holds
    trace.add(decision.trace)
    let isHeld = decision.outcome == .delivered && decision.at > now
    return Firing(
      reminder: reminder.symbol, key: entry.key, planned: entry.planned, at: now,
      result: isHeld ? .held(until: decision.at) : .settled(decision.outcome), trace: trace,
      channels: situation.channels(of: reminder), message: message(for: reminder, key: entry.key),
      number: situation.occurrences(reminder).first { $0.key == entry.key }?.number)
  }

  private mutating func settle(_ firing: Firing) {
    let isDelivered = firing.result == .settled(.delivered)
    progress.settle(
      firing.reminder, key: firing.key, message: isDelivered ? firing.message : nil)
  }

  /// Rotates through a reminder's messages by recipient, reminder and occurrence, never the same
  /// twice running (rule I6).
  func message(for reminder: Reminder, key: Int64) -> UInt8 {
    let count = UInt64(reminder.messages.count)
    guard count > 1 else { return 0 }
    let seed = stableHash(name) ^ UInt64(reminder.symbol.code)
    let choice = UInt8(mixed(seed &+ UInt64(bitPattern: key)) % count)
    let isRepeated = progress.settled(reminder.symbol)?.message == choice
    return isRepeated ? UInt8((UInt64(choice) + 1) % count) : choice
  }
}
