package import CivilTime

/// Finds and resumes cancelled occurrences (rule N4).
extension Recipient {
  /// Returns the cancelled occurrences as if they were pending, with the digests in which they
  /// would be sent. For an ended series, the next occurrence is returned.
  package func cancelledOccurrences(now: Instant, planner: Planner) -> PendingReminders {
    let context = PlanningContext(facts: facts, planner: planner)
    let entries = progress.cancelled.filter { $0.cause == .occurrence }
    guard !entries.isEmpty || context.catalog.reminders.contains(where: context.hasStop) else {
      return PendingReminders(pending: [], digests: [])
    }
    var copy = self
    (copy.facts.stops, copy.facts.entityStops) = ([], [])
    let contextWithoutStops = PlanningContext(facts: copy.facts, planner: planner)
    let restored = copy.restore(
      entries, isAlwaysQueued: true, now: now, in: contextWithoutStops)
    for stop in context.stopsOfRunningRuns() { copy.facts.note(stop) }
    Work.count(progress.inProgress.count)
    let inProgress = Set(progress.inProgress.map(OccurrenceName.init))
    var reminders = copy.pendingReminders(now: now, planner: planner).filter { pending in
      let name = OccurrenceName(reminder: pending.reminder, key: pending.key)
      return restored.contains(name)
        || !inProgress.contains(name) && context.hasStop(pending.reminder, key: pending.key)
    }
    // In the copy, only ended series have dates. A date that was cancelled by itself belongs to the
    // other series, so its entities follow from the recipient's facts.
    for index in reminders.pending.indices {
      let pending = reminders.pending[index]
      guard restored.contains(OccurrenceName(pending)),
        let reminder = context.catalog.reminder(pending.reminder)
      else { continue }
      reminders.pending[index].sharedDate = context.sharedDate(of: reminder, key: pending.key)
    }
    return reminders
  }

  /// Returns the cancelled occurrences without digests, in the order in which they would be sent.
  package func cancelled(now: Instant, planner: Planner) -> [Pending] {
    cancelledOccurrences(now: now, planner: planner).pending
  }

  /// Resumes the cancelled occurrences to which a command refers. For a series, these are the
  /// occurrences that were due, or held by a gate, when the series was cancelled. For a digest,
  /// these are all members.
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
    restore(entries, now: now, in: context)
  }

  /// Returns the occurrences that an event resumes; empty for a series and for other events.
  func resumableNames(
    of event: Event, now: Instant, in context: PlanningContext
  ) -> [OccurrenceName] {
    guard case .resumption(let reminder, let key, isSeries: false) = event.content else {
      return []
    }
    return resumable(reminder, key: key, now: max(now, progress.cutoff), in: context)
      .map(OccurrenceName.init)
  }

  /// Returns the cancelled occurrences to which a resumption refers: the one with the key, or the
  /// first that can be resumed. For a digest, returns all members.
  private func resumable(
    _ reminder: Symbol, key: Int64?, now: Instant, in context: PlanningContext
  ) -> [Progress.Cancelled] {
    if let key, reminder == Digest.symbol, context.catalog.reminder(reminder) == nil {
      let digests = cancelledOccurrences(now: now, planner: context.planner).digests
      let members = digests.first { $0.firing.key == key }?.members ?? []
      let names = Set(members.map { OccurrenceName(reminder: $0.reminder, key: $0.key) })
      return resumable(now: now, in: context) { names.contains(OccurrenceName($0)) }
    }
    let found = resumable(now: now, in: context) { entry in
      entry.reminder == reminder && key.map { $0 == entry.key } ?? true
    }
    return found.min { $0.planned < $1.planned }.map { [$0] } ?? []
  }

  /// Returns the cancelled occurrences that satisfy `isWanted` and have neither ended nor expired.
  private func resumable(
    now: Instant, in context: PlanningContext, _ isWanted: (Progress.Cancelled) -> Bool
  ) -> [Progress.Cancelled] {
    Work.count(progress.cancelled.count)
    return progress.cancelled.filter { entry in
      entry.cause == .occurrence && isWanted(entry)
        && ResumedOccurrence(entry, now: now, in: context) != nil
    }
  }

  /// Makes cancelled occurrences pending again, except occurrences that have ended or expired. An
  /// occurrence whose planned instant has passed is due now. Other occurrences keep their planned
  /// instants, and may be sent earlier (rule V15).
  ///
  /// - Parameter isAlwaysQueued: whether occurrences are put in progress even if planning yields
  ///   them again.
  /// - Returns: the occurrences that are pending again.
  @discardableResult
  mutating func restore(
    _ entries: [Progress.Cancelled], isAlwaysQueued: Bool = false, now: Instant,
    in context: PlanningContext
  ) -> Set<OccurrenceName> {
    let now = max(now, progress.cutoff)
    var names: Set<OccurrenceName> = []
    let resumed = entries.compactMap { ResumedOccurrence($0, now: now, in: context) }
      .filter { names.insert($0.name).inserted }
    guard !resumed.isEmpty else { return [] }
    Work.count(progress.cancelled.count)
    progress.cancelled.removeAll { names.contains(OccurrenceName($0)) }
    var plannedKeys: [Symbol: Set<Int64>] = [:]
    for occurrence in resumed {
      let isQueued =
        isAlwaysQueued || occurrence.planned <= now || occurrence.entry.originalInstant != nil
        || !isPlannedAgain(occurrence, &plannedKeys, context)
      guard isQueued else { continue }
      let entries = resumedEntries(of: occurrence, now: now, in: context)
      progress.inProgress += entries
    }
    progress.sortByDue()
    return names
  }

  private mutating func resumedEntries(
    of resumed: ResumedOccurrence, now: Instant, in context: PlanningContext
  ) -> [Progress.InProgress] {
    let (planned, reminder) = (resumed.planned, resumed.reminder)
    var entries = newEntries(
      of: resumed.occurrence, of: reminder, due: max(planned, now), in: context)
    for index in entries.indices {
      entries[index].planned = planned
      (entries[index].originalInstant, entries[index].round) = (
        resumed.entry.originalInstant, resumed.entry.round
      )
      guard planned > now else { continue }
      entries[index].due = context.dueInstant(of: entries[index], of: reminder, after: now)
    }
    return entries
  }

  /// Returns whether planning yields a resumed occurrence again. Planning does not yield an
  /// occurrence of a series if a later one is due, held or finished.
  ///
  /// - Parameter knownKeys: the keys that planning yields, for the reminders that were looked up so
  ///   far. It omits repeating reminders, whose keys change with each resumed occurrence.
  private func isPlannedAgain(
    _ resumed: ResumedOccurrence, _ knownKeys: inout [Symbol: Set<Int64>],
    _ context: PlanningContext
  ) -> Bool {
    let (occurrence, reminder) = (resumed.occurrence, resumed.reminder)
    guard !reminder.isRepeating else {
      return context.laterDate(of: reminder, key: occurrence.key, progress: progress) != nil
    }
    let keys = knownKeys[reminder.symbol] ?? plannedKeys(of: reminder, in: context)
    knownKeys[reminder.symbol] = keys
    return keys.contains(occurrence.key)
  }

  private func plannedKeys(of reminder: Reminder, in context: PlanningContext) -> Set<Int64> {
    var keys: Set<Int64> = []
    context.forEachNext(reminder, after: progress.cutoff, progress: progress) {
      keys.insert($0.key)
    }
    return keys
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
    let isCancelled = progress.cancelled.contains { entry in
      entry.reminder == reminder && entry.cause == .occurrence
        && (key.map { $0 == entry.key } ?? true)
    }
    guard !isCancelled,
      resumable(reminder, key: key, now: progress.cutoff, in: context).isEmpty
    else { return }
    guard key == nil else {
      throw Refusal(
        path: "data.occurrence",
        "is not cancelled for this recipient; set \"series\" to resume a whole series")
    }
    throw Refusal(
      path: "data.reminder",
      "has no cancelled occurrence for this recipient; set \"series\" to resume a whole series")
  }
}

/// A cancelled occurrence that can be resumed.
private struct ResumedOccurrence {
  /// The record of the cancellation.
  let entry: Progress.Cancelled
  let reminder: Reminder
  let occurrence: Occurrence
  /// The instant for which the occurrence is planned. For a snoozed occurrence, it is the end of
  /// the snooze. For others, it follows from the current settings.
  let planned: Instant

  var name: OccurrenceName { OccurrenceName(entry) }

  /// Returns nil if the occurrence has ended or expired.
  init?(_ entry: Progress.Cancelled, now: Instant, in context: PlanningContext) {
    guard let reminder = context.catalog.reminder(entry.reminder),
      let occurrence = context.wantedOccurrence(of: reminder, key: entry.key)
    else { return nil }
    let planned = entry.originalInstant == nil ? occurrence.planned : entry.planned
    let expiry = planned + context.lifetime(of: reminder, key: entry.key)
    guard expiry > now, occurrence.deadline.map({ max(planned, now) < $0 }) ?? true else {
      return nil
    }
    (self.entry, self.reminder, self.occurrence, self.planned) = (
      entry, reminder, occurrence, planned
    )
  }
}

extension OccurrenceName {
  init(_ entry: Progress.Cancelled) {
    self.init(reminder: entry.reminder, key: entry.key)
  }
}

extension PendingReminders {
  /// Returns the occurrences that satisfy `isWanted`, and the digests with at least two of them.
  fileprivate func filter(_ isWanted: (Pending) -> Bool) -> PendingReminders {
    let digests = digests.compactMap { digest -> Digest? in
      let members = digest.members.filter(isWanted)
      return members.count < 2 ? nil : Digest(firing: digest.firing, members: members)
    }
    let bundled = Set(digests.memberOccurrences)
    return PendingReminders(
      pending: pending.filter(isWanted).map { pending in
        var pending = pending
        if pending.decision.outcome == .bundled, !bundled.contains(OccurrenceInGroup(pending)) {
          pending.decision.outcome = .delivered
        }
        return pending
      }, digests: digests)
  }
}

extension [PendingReminders.Digest] {
  fileprivate var memberOccurrences: [OccurrenceInGroup] {
    flatMap { $0.members.map { OccurrenceInGroup($0) } }
  }
}
