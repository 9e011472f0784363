import CivilTime

/// What becomes of a reminder and its repetitions that are open at one instant (rule T7).
extension Recipient {
  /// Of an occurrence and its repetitions the latest goes, in the place of all others that wait.
  /// What repeats an occurrence that was dropped is dropped as well.
  mutating func dropRepeated(_ open: inout [Candidate], _ turn: inout Turn) {
    let catalog = turn.context.catalog
    var latest: [OccurrencePlace: Candidate] = [:]
    for candidate in open {
      guard let place = candidate.chain(in: catalog) else { continue }
      let isLater = latest[place].map { candidate.entry.planned > $0.entry.planned } ?? true
      if isLater { latest[place] = candidate }
    }
    guard !latest.isEmpty else { return }
    let unheard = Set(latest.filter { isUnheard($0.value, turn) }.keys)
    var expiries: [OccurrencePlace: Instant] = [:]
    open.removeAll { candidate in
      guard let place = candidate.chain(in: catalog), let last = latest[place] else { return false }
      let isUnheard = unheard.contains(place)
      guard isUnheard || candidate.entry.planned < last.entry.planned else { return false }
      expiries[place] = max(expiries[place] ?? candidate.input.expiry, candidate.input.expiry)
      drop(candidate.entry, of: candidate.reminder, isReplaced: !isUnheard, &turn)
      return true
    }
    for index in open.indices {
      guard let place = open[index].chain(in: catalog) else { continue }
      let expiry = dropEarlier(than: open[index], &turn)
      if let last = [expiries[place], expiry].compactMap({ $0 }).max() {
        open[index].extend(to: last)
      }
    }
  }

  private mutating func drop(
    _ entry: Progress.UnderWay, of reminder: Reminder, isReplaced: Bool, _ turn: inout Turn
  ) {
    turn.firings.append(missed(entry, of: reminder, at: turn.now, in: turn.context))
    progress.settle(
      entry.reminder, key: latestKey(entry.key, of: reminder, in: turn.context), message: nil,
      isSaid: isReplaced, isPlural: reminder.isPlural)
  }

  /// Whether it repeats what the person has never been told, and nothing of that still waits.
  private func isUnheard(_ candidate: Candidate, _ turn: Turn) -> Bool {
    guard let first = candidate.reminder.repeated else { return false }
    let (chain, key) = (turn.context.catalog.chain(of: candidate.reminder), candidate.entry.key)
    if chain.contains(where: { progress.hasSaid($0, key: key) }) { return false }
    // Of an earlier date nothing is kept in mind.
    if candidate.reminder.isRepeating, let settled = progress.settled(first), settled.key > key {
      return false
    }
    let settled = progress.settled.contains { $0.reminder == first && $0.key == key }
    return settled
      && !(progress.underWay + turn.held).contains { entry in
        chain.contains(entry.reminder) && entry.key == key
          && entry.planned < candidate.entry.planned
      }
  }

  /// Drops what of its chain still waits for a gate on the same way out.
  ///
  /// - Returns: when the last of that would have expired; nil if nothing waits.
  private mutating func dropEarlier(than candidate: Candidate, _ turn: inout Turn) -> Instant? {
    let chain = turn.context.catalog.chain(of: candidate.reminder)
    func isEarlier(_ entry: Progress.UnderWay) -> Bool {
      chain.contains(entry.reminder) && entry.key == candidate.entry.key && !entry.isSnoozed
        && entry.channelGroup.place == candidate.entry.channelGroup.place
        && entry.planned < candidate.entry.planned
    }
    let earlier = (progress.underWay + turn.held).filter(isEarlier)
    guard !earlier.isEmpty else { return nil }
    progress.underWay.removeAll(where: isEarlier)
    turn.held.removeAll(where: isEarlier)
    var expiry: Instant?
    for entry in earlier {
      guard let reminder = turn.context.catalog.reminder(entry.reminder) else { continue }
      expiry = [expiry, turn.context.expiry(of: entry, reminder)].compactMap { $0 }.max()
      drop(entry, of: reminder, isReplaced: true, &turn)
    }
    return expiry
  }
}

extension Candidate {
  /// The place that it shares with its repetitions, or with what it repeats; nil if there are none.
  fileprivate func chain(in catalog: Catalog) -> OccurrencePlace? {
    guard entry.channelGroup != .collected, !isForward,
      reminder.repeated != nil || catalog.repetitions[reminder.symbol] != nil
    else { return nil }
    var place = OccurrencePlace(entry, key: entry.key)
    place.reminder = reminder.repeated ?? reminder.symbol
    return place
  }

  /// Lets it wait for as long as what it takes the place of.
  fileprivate mutating func extend(to expiry: Instant) {
    guard input.expiry < expiry else { return }
    entry.stood = entry.stood + (expiry - input.expiry)
    input.stood = entry.stood
  }
}
