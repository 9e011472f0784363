import CivilTime

/// Decides the messages to other people, which follow a reminder that the recipient has not
/// answered (rule G17).
extension Recipient {
  /// Decides due messages to other people, after the recipient's own occurrences of the instant. A
  /// message waits as long as its reminder waits, and is dropped if the reminder was never sent.
  mutating func decideRelays(_ relays: [Candidate], _ decisions: inout Decisions) {
    for candidate in relays {
      if let instant = releaseInstant(of: candidate, decisions) {
        decisions.held.append(candidate.entry.moved(to: instant))
      } else if wasNeverSent(candidate, decisions) {
        drop(candidate.entry, of: candidate.reminder, isReplaced: false, &decisions)
      } else if let passing = evaluateGates(of: candidate, &decisions) {
        deliver(passing, &decisions)
      }
    }
  }

  /// Returns whether neither the reminder of a message nor one of its repetitions was sent.
  private func wasNeverSent(_ candidate: Candidate, _ decisions: Decisions) -> Bool {
    guard let repeated = candidate.reminder.repeated else { return false }
    let (reminder, key) = (candidate.reminder, candidate.entry.key)
    let chain = decisions.context.catalog.ownChain(of: reminder)
    if chain.contains(where: { progress.hasSent($0, key: key) }) { return false }
    // For repeating reminders, only the latest finished date is remembered.
    if reminder.isRepeating,
      let last = progress.finished(repeated, inSeriesOf: key, of: reminder), last.key > key
    {
      return false
    }
    return true
  }

  /// Delays the messages to other people if their reminder was sent late. The recipient's time to
  /// answer counts from this late notification.
  mutating func delayRelays(_ decisions: inout Decisions) {
    let late = decisions.firings.filter { isLate($0, decisions) }
    for firing in late {
      let catalog = decisions.context.catalog
      for relay in catalog.relays(repeating: firing.reminder) {
        let name = OccurrenceName(reminder: relay.symbol, key: firing.key)
        delay(name, of: relay, to: decisions.now + catalog.delay(of: relay), &decisions)
      }
    }
  }

  private mutating func delay(
    _ name: OccurrenceName, of relay: Reminder, to instant: Instant, _ decisions: inout Decisions
  ) {
    if let index = decisions.held.firstIndex(where: { OccurrenceName($0) == name }) {
      decisions.held[index] = decisions.held[index].moved(to: instant)
      return
    }
    if let index = progress.inProgress.firstIndex(where: { OccurrenceName($0) == name }) {
      let entry = progress.inProgress.remove(at: index)
      return decisions.held.append(entry.moved(to: instant))
    }
    guard !progress.isDone(name.reminder, key: name.key),
      let occurrence = decisions.context.wantedOccurrence(of: relay, key: name.key)
    else { return }
    let entry = Progress.InProgress(
      reminder: name.reminder, key: name.key, channelGroup: .interrupting,
      planned: occurrence.planned, due: occurrence.planned, holds: GateTrace())
    decisions.held.append(entry.moved(to: instant))
  }

  /// Returns whether a firing sends an occurrence, or its latest repetition instead of it, later
  /// than planned.
  private func isLate(_ firing: Firing, _ decisions: Decisions) -> Bool {
    guard decisions.now - firing.planned > Self.countedDelayMax,
      !decisions.context.catalog.relays(repeating: firing.reminder).isEmpty
    else { return false }
    return progress.hasSent(firing.reminder, key: firing.key)
  }

  /// Returns when a due message is decided again, because its reminder waits or is sent late at
  /// this instant. Returns nil if the message is decided now.
  private func releaseInstant(of candidate: Candidate, _ decisions: Decisions) -> Instant? {
    guard let repeated = candidate.reminder.repeated else { return nil }
    let delay = decisions.context.catalog.delay(of: candidate.reminder)
    let isSentLate = decisions.firings.contains {
      $0.reminder == repeated && $0.key == candidate.entry.key && isLate($0, decisions)
    }
    if isSentLate { return decisions.now + delay }
    let dues = (progress.inProgress + decisions.held).filter { entry in
      entry.reminder == repeated && entry.key == candidate.entry.key
        && entry.channelGroup != .collected
    }.map(\.due)
    return dues.max().map { max($0, decisions.now) + delay }
  }
}

extension Recipient {
  /// Starts another round of each message about another person that arrives again (rule G17). This
  /// person has snoozed the delivered occurrence, and has not answered after the snooze either. A
  /// message that arrives for the first time has already been started.
  mutating func startRounds(after arrivals: [Arrival], now: Instant, _ planner: Planner) {
    guard planner.catalog.hasRelays, arrivals.contains(where: \.event.isOfEntity) else { return }
    let rounds = Dictionary(arrivals.map { ($0.stamp, $0.order) }) { max($0, $1) }
    let context = PlanningContext(facts: facts, planner: planner)
    var entries: [Progress.InProgress] = []
    context.forEachPlanned { reminder in
      guard reminder.recipientRole != nil else { return }
      for occurrence in context.occurrences(reminder) {
        let name = OccurrenceName(reminder: reminder.symbol, key: occurrence.key)
        guard let round = occurrence.cause.flatMap({ rounds[$0] }),
          !progress.isInProgress(name.reminder, key: name.key),
          !progress.isCancelled(name.reminder, key: name.key),
          occurrence.planned + context.lifetime(of: reminder, key: name.key) >= now
        else { continue }
        entries += newEntries(
          of: occurrence, of: reminder, due: max(occurrence.planned, now), round: round, in: context
        )
      }
    }
    progress.enqueue(entries)
  }
}

extension Progress.InProgress {
  /// Returns the entry, planned for another instant, as if it were snoozed to that instant.
  fileprivate func moved(to instant: Instant) -> Self {
    var entry = self
    entry.originalInstant = unsnoozedInstant
    (entry.planned, entry.due) = (instant, instant)
    return entry
  }
}

extension Catalog {
  /// Returns the messages to other people that follow a reminder.
  fileprivate func relays(repeating symbol: Symbol) -> [Reminder] {
    guard hasRelays else { return [] }
    return repetitions[symbol, default: []].compactMap(reminder).filter { $0.relay != nil }
  }

  /// Returns the time from a reminder to a message that follows it.
  fileprivate func delay(of relay: Reminder) -> TimeSpan {
    let first = relay.repeated.flatMap { reminder($0) }
    return first.map { relay.offset.span - $0.offset.span } ?? .zero
  }
}
