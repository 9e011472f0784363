package import CivilTime

/// Cancelled occurrences and their resumption (rule N4).
extension Recipient {
  /// Returns the cancelled occurrences as if they were pending, with the digests in which they
  /// would be sent. Of an ended series it returns the next occurrence.
  package func cancelledReminders(now: Instant, planner: Planner) -> PendingReminders {
    let context = PlanningContext(facts: facts, planner: planner)
    let entries = progress.cancelled.filter { $0.cause == .occurrence }
    guard !entries.isEmpty || context.catalog.reminders.contains(where: context.hasStop) else {
      return PendingReminders(pending: [], digests: [])
    }
    var copy = self
    (copy.facts.stops, copy.facts.entityStops) = ([], [])
    let whole = PlanningContext(facts: copy.facts, planner: planner)
    var names: Set<OccurrenceName> = []
    for entry in entries where copy.bringBack(entry, isByItself: true, now: now, in: whole) {
      names.insert(OccurrenceName(entry))
    }
    for stop in context.stopsOfRunningRuns() { copy.facts.note(stop) }
    return copy.pendingReminders(now: now, planner: planner).filter { pending in
      !progress.isUnderWay(pending.reminder, key: pending.key)
        && context.hasStop(pending.reminder, key: pending.key)
        || names.contains(OccurrenceName(reminder: pending.reminder, key: pending.key))
    }
  }

  /// Returns the cancelled occurrences without digests, in the order in which they would be sent.
  package func cancelled(now: Instant, planner: Planner) -> [Pending] {
    cancelledReminders(now: now, planner: planner).pending
  }

  /// Resumes cancelled occurrences: for a series, those that were due or held; for a digest, all of
  /// its members.
  mutating func resume(
    _ reminder: Symbol, key: Int64?, isSeries: Bool, now: Instant, in context: PlanningContext
  ) {
    let entries =
      isSeries
      ? progress.cancelled.filter { entry in
        entry.cause == .series
          && context.catalog.series(of: reminder).contains {
            $0.symbol == entry.reminder && !context.isStopped($0, key: entry.key)
          }
      }
      : resumable(reminder, key: key, now: max(now, progress.cutoff), in: context)
    for entry in entries { bringBack(entry, now: now, in: context) }
  }

  /// Returns the cancelled occurrences that a resumption refers to: the one with the key, or the
  /// first that can be resumed; for a digest, all of its members.
  private func resumable(
    _ reminder: Symbol, key: Int64?, now: Instant, in context: PlanningContext
  ) -> [Progress.Cancelled] {
    if let key, reminder == Digest.symbol, context.catalog.reminder(reminder) == nil {
      let digests = cancelledReminders(now: now, planner: context.planner).digests
      let members = digests.first { $0.firing.key == key }?.members ?? []
      return members.flatMap { resumable($0.reminder, key: $0.key, now: now, in: context) }
    }
    let found = progress.cancelled.filter { entry in
      guard entry.reminder == reminder, entry.cause == .occurrence,
        key.map({ $0 == entry.key }) ?? true
      else { return false }
      var copy = self
      return copy.bringBack(entry, now: now, in: context)
    }
    return found.min { $0.planned < $1.planned }.map { [$0] } ?? []
  }

  /// Makes a cancelled occurrence pending again, for its planned instant if that is still ahead.
  ///
  /// - Parameter isByItself: whether an entry is queued even if planning would yield it again.
  /// - Returns: false if the occurrence has ended or expired.
  @discardableResult
  mutating func bringBack(
    _ entry: Progress.Cancelled, isByItself: Bool = false, now: Instant,
    in context: PlanningContext
  ) -> Bool {
    let now = max(now, progress.cutoff)
    guard let declared = context.catalog.reminder(entry.reminder),
      let occurrence = context.wantedOccurrence(of: declared, key: entry.key)
    else { return false }
    // A snoozed occurrence keeps the end of its snooze. Others follow the current settings.
    let planned = entry.origin == nil ? occurrence.planned : entry.planned
    let expiry = planned + context.expires(declared, key: entry.key)
    guard expiry > now, occurrence.deadline.map({ max(planned, now) < $0 }) ?? true else {
      return false
    }
    progress.cancelled.removeAll { $0.reminder == entry.reminder && $0.key == entry.key }
    let isUnderWay = isByItself || planned <= now || entry.origin != nil
    guard isUnderWay || !isPlannedAgain(occurrence, declared, context) else { return true }
    var entries = ways(of: occurrence, of: declared, due: max(planned, now), in: context)
    for index in entries.indices {
      entries[index].planned = planned
      (entries[index].origin, entries[index].round) = (entry.origin, entry.round)
      guard planned > now else { continue }
      entries[index].due = context.turn(of: entries[index], of: declared, after: now)
    }
    progress.enqueue(entries)
    return true
  }

  /// Returns whether planning yields a resumed occurrence again, as it does unless a later
  /// occurrence of the reminder is due, held or finished.
  private func isPlannedAgain(
    _ occurrence: Occurrence, _ reminder: Reminder, _ context: PlanningContext
  ) -> Bool {
    var isFound = false
    guard reminder.isRepeating else {
      context.forEachNext(reminder, after: progress.cutoff, progress: progress) {
        isFound = isFound || $0.key == occurrence.key
      }
      return isFound
    }
    var after = progress.cutoff
    var bound = LoopBound("dates before a resumed one")
    while !isFound, bound.goesOn(),
      let next = context.next(reminder, after: after, progress: progress),
      next.planned <= occurrence.planned
    {
      (after, isFound) = (next.planned, next.key == occurrence.key)
    }
    return isFound
  }

  /// Refuses a resumption of an occurrence or series that is not cancelled.
  func checkResumption(_ event: Event, _ planner: Planner) throws(Refusal) {
    guard case .resumption(let reminder, let key, let isSeries) = event.content else { return }
    let context = PlanningContext(facts: facts, planner: planner)
    if isSeries {
      let isStopped =
        key.map { context.hasStop(reminder, key: $0) }
        ?? context.catalog.reminder(reminder).map(context.hasStop)
      let isUnknown = seriesExtent(of: event, planner)?.entities?.isEmpty == true
      guard isStopped != true || isUnknown else { return }
      throw Refusal(path: "data.reminder", "has no cancelled series for this recipient")
    }
    let isThere = progress.cancelled.contains { entry in
      entry.reminder == reminder && entry.cause == .occurrence
        && (key.map { $0 == entry.key } ?? true)
    }
    guard !isThere,
      resumable(reminder, key: key, now: progress.cutoff, in: context).isEmpty
    else { return }
    throw Refusal(
      path: key == nil ? "data.reminder" : "data.occurrence",
      "has no cancelled occurrence for this recipient; set \"series\" to resume a whole series")
  }
}

extension OccurrenceName {
  init(_ entry: Progress.Cancelled) {
    self.init(reminder: entry.reminder, key: entry.key)
  }
}

extension PendingReminders {
  /// Returns the wanted occurrences, and the digests with at least two of them.
  fileprivate func filter(_ isWanted: (Pending) -> Bool) -> PendingReminders {
    let digests = digests.compactMap { digest -> Digest? in
      let members = digest.members.filter(isWanted)
      return members.count < 2 ? nil : Digest(firing: digest.firing, members: members)
    }
    let parts = Set(digests.joinedMembers)
    return PendingReminders(
      pending: pending.filter(isWanted).map { pending in
        var pending = pending
        if pending.decision.outcome == .bundled, !parts.contains(OccurrencePlace(pending)) {
          pending.decision.outcome = .delivered
        }
        return pending
      }, digests: digests)
  }
}

extension [PendingReminders.Digest] {
  fileprivate var joinedMembers: [OccurrencePlace] {
    flatMap { $0.members.map { OccurrencePlace($0) } }
  }
}
