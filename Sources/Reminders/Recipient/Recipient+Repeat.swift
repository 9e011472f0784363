import CivilTime

/// Decides between a reminder and its repetitions if the gates let several of them pass at one
/// instant (rule T14).
extension Recipient {
  /// Drops occurrences of each chain: a chain is an occurrence with its repetitions. All candidates
  /// of a chain except the latest are dropped. If the repeated occurrence was dropped and never
  /// sent, its repetitions are dropped too.
  mutating func dropRepeated(_ passed: inout [Candidate], _ decisions: inout Decisions) {
    let context = decisions.context
    var latest: [OccurrenceInGroup: Candidate] = [:]
    for candidate in passed {
      guard let chain = candidate.chain(in: context) else { continue }
      let isLater = latest[chain].map { $0.isEarlier(than: candidate, in: context) } ?? true
      if isLater { latest[chain] = candidate }
    }
    guard !latest.isEmpty else { return }
    let unsentChains = Set(latest.filter { repeatsUnsent($0.value, decisions) }.keys)
    var expiries: [OccurrenceInGroup: Instant] = [:]
    passed.removeAll { candidate in
      guard let chain = candidate.chain(in: context), let last = latest[chain] else { return false }
      let repeatsUnsent = unsentChains.contains(chain)
      guard repeatsUnsent || candidate.isEarlier(than: last, in: context) else { return false }
      expiries[chain] = max(expiries[chain] ?? candidate.input.expiry, candidate.input.expiry)
      drop(candidate.entry, of: candidate.reminder, isReplaced: !repeatsUnsent, &decisions)
      return true
    }
    for index in passed.indices {
      guard let chain = passed[index].chain(in: context) else { continue }
      let expiry = dropEarlier(than: passed[index], &decisions)
      if let last = [expiries[chain], expiry].compactMap({ $0 }).max() {
        passed[index].extend(to: last)
      }
    }
  }

  /// Drops an occurrence as `missed`. If another occurrence of its chain is sent instead
  /// (`isReplaced`), the dropped one counts as sent.
  mutating func drop(
    _ entry: Progress.InProgress, of reminder: Reminder, isReplaced: Bool,
    _ decisions: inout Decisions
  ) {
    decisions.firings.append(missed(entry, of: reminder, at: decisions.now, in: decisions.context))
    progress.finish(
      entry.reminder, key: latestKey(entry.key, of: reminder, in: decisions.context), message: nil,
      isSent: isReplaced, replacing: reminder.replacedRecords)
  }

  /// Returns whether a candidate repeats an occurrence that was never sent and is no longer held.
  private func repeatsUnsent(_ candidate: Candidate, _ decisions: Decisions) -> Bool {
    guard let repeated = candidate.reminder.repeated else { return false }
    let chain = decisions.context.catalog.ownChain(of: candidate.reminder)
    let key = candidate.entry.key
    if chain.contains(where: { progress.hasSent($0, key: key) }) { return false }
    // For repeating reminders, only the latest finished date is remembered.
    if candidate.reminder.isRepeating,
      let finished = progress.finished(repeated, inSeriesOf: key, of: candidate.reminder),
      finished.key > key
    {
      return false
    }
    let isFinished = progress.finished.contains { $0.reminder == repeated && $0.key == key }
    return isFinished
      && !(progress.inProgress + decisions.held).contains { entry in
        chain.contains(entry.reminder) && entry.key == key
          && entry.planned < candidate.entry.planned
      }
  }

  /// Drops the earlier entries of a candidate's chain that are held in the same channel group.
  ///
  /// - Returns: the latest expiry of these entries; nil if there are none.
  private mutating func dropEarlier(
    than candidate: Candidate, _ decisions: inout Decisions
  ) -> Instant? {
    let chain = decisions.context.catalog.ownChain(of: candidate.reminder)
    func isEarlier(_ entry: Progress.InProgress) -> Bool {
      chain.contains(entry.reminder) && entry.key == candidate.entry.key && !entry.isSnoozed
        && entry.channelGroup.number == candidate.entry.channelGroup.number
        && entry.planned < candidate.entry.planned
    }
    let earlier = (progress.inProgress + decisions.held).filter(isEarlier)
    guard !earlier.isEmpty else { return nil }
    progress.inProgress.removeAll(where: isEarlier)
    decisions.held.removeAll(where: isEarlier)
    var expiry: Instant?
    for entry in earlier {
      guard let reminder = decisions.context.catalog.reminder(entry.reminder) else { continue }
      expiry = [expiry, decisions.context.expiry(of: entry, reminder)].compactMap { $0 }.max()
      drop(entry, of: reminder, isReplaced: true, &decisions)
    }
    return expiry
  }
}

extension Candidate {
  /// Returns an identity that an occurrence shares with its repetitions. Returns nil if the
  /// occurrence has no repetitions and is none, if it is collected e-mail, or if it is sent early.
  /// The parameter is the context because passing the catalog would copy it.
  fileprivate func chain(in context: PlanningContext) -> OccurrenceInGroup? {
    guard entry.channelGroup != .collected, !isEarly,
      reminder.repeated != nil || context.catalog.repetitions[reminder.symbol] != nil
    else { return nil }
    var chain = OccurrenceInGroup(entry, key: entry.key)
    chain.reminder = reminder.repeated ?? reminder.symbol
    return chain
  }

  /// Returns whether another candidate of the chain replaces this one. A snooze may move several
  /// candidates to one instant. Then the last repetition replaces the others.
  fileprivate func isEarlier(than other: Candidate, in context: PlanningContext) -> Bool {
    guard entry.planned == other.entry.planned else { return entry.planned < other.entry.planned }
    let chain = context.catalog.chain(of: reminder)
    guard let index = chain.firstIndex(of: reminder.symbol),
      let otherIndex = chain.firstIndex(of: other.reminder.symbol)
    else { return false }
    return index < otherIndex
  }

  /// Extends the expiry to the latest expiry of the occurrences that this one replaces.
  fileprivate mutating func extend(to expiry: Instant) {
    guard input.expiry < expiry else { return }
    entry.expiryPause = entry.expiryPause + (expiry - input.expiry)
    input.setExpiryPause(of: entry)
  }
}
