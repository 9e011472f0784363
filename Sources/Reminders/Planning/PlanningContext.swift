package import CivilTime
import Synchronization

/// A recipient's facts, with settings and zone resolved by the catalog. All planning consists of
/// pure functions of this context. It is a class, because it is immutable and passed to every
/// decision.
package final class PlanningContext: Sendable {
  package let planner: Planner
  package let facts: Facts
  package let settings: Settings
  package let zone: Zone
  /// The zones that plans name.
  let zones: ZoneDatabase
  /// The channels on which each category is on, by the index of the category.
  let categoryChannels: [ChannelSet]
  /// The channels that cannot reach the recipient.
  let unreachable: ChannelSet
  /// When a device of the recipient was last in use; nil if that is not reported.
  let lastSeen: Instant?
  /// The recipient's vacations, ascending and disjoint.
  package let vacations: [Vacation]
  /// The operator's hours that concern the recipient (rule V18).
  let allowedHours: [AllowedHours]
  /// The computed occurrences of items (remembered reports); nil if there are few items.
  let memo: ItemMemo?
  /// The occurrence that is decided without some of its gates; nil if there is none.
  let exemption: GateRemoval?
  /// Whether muted entities, and entities without a channel, have occurrences.
  let ignoresMuting: Bool
  /// The context for deliveries that were sent; nil until it is needed. See
  /// `contextOfSentDeliveries`.
  let sentContext = Mutex<PlanningContext?>(nil)
  /// The types of the events that have happened, as an approximate set.
  private let happenedTypes: SymbolSketch

  /// - Parameters:
  ///   - zone: the recipient's zone if it differs from the facts' zone.
  ///   - zones: the zones that plans name, if they differ from the planner's zones.
  package convenience init(
    facts: Facts, planner: Planner, zone otherZone: Zone? = nil,
    zones otherZones: ZoneDatabase? = nil
  ) {
    self.init(facts: facts, planner: planner, zone: otherZone, zones: otherZones, exempting: nil)
  }

  init(
    facts: Facts, planner: Planner, zone otherZone: Zone? = nil,
    zones otherZones: ZoneDatabase? = nil, exempting exemption: GateRemoval?,
    ignoringMuting ignoresMuting: Bool = false
  ) {
    self.planner = planner
    self.exemption = exemption
    self.ignoresMuting = ignoresMuting
    let settings: Settings
    if facts.settings.isEmpty {
      (settings, categoryChannels) = (planner.initialSettings, planner.initialChannels)
    } else {
      settings = Settings(schema: planner.catalog.settings, registers: facts.settings)
      categoryChannels = Self.categoryChannels(of: planner.catalog, settings)
    }
    self.settings = settings
    unreachable = planner.unreachable(facts)
    lastSeen = facts.lastSeen
    let hours = planner.catalog.policies.hours
    allowedHours = hours.isEmpty ? [] : hours.filter { $0.concerns(facts) }
    memo = facts.items.count > Facts.unindexedItemsMax ? ItemMemo() : nil
    happenedTypes = SymbolSketch(facts.marks.lazy.map(\.type))
    let zone = otherZone ?? planner.zone(of: facts)
    self.zone = zone
    zones = otherZones ?? planner.zones
    vacations = Vacation.all(of: facts, settings, in: zone)
    // This is the last use of the parameter, so that the facts are moved and not copied.
    self.facts = facts
  }

  package var catalog: Catalog { planner.catalog }

  /// The approximate set with `notification.requested` alone.
  private static let requestSketch = SymbolSketch([Symbol(Reminder.requested)])

  /// Calls `body` with each reminder that may have an occurrence, because it is switched on and its
  /// events have happened. The reminders for requests are included only if there is a request.
  ///
  /// - Parameter causes: the types of events that the reminder's occurrences must follow; nil for
  ///   all types.
  func forEachPlanned(following causes: SymbolSketch? = nil, _ body: (Reminder) -> Void) {
    for reminder in plannedReminders(following: causes) { body(reminder) }
  }

  /// Returns the reminders that `forEachPlanned` visits. A loop over them copies nothing, but a
  /// closure copies the values that it uses, such as a recipient's progress.
  func plannedReminders(following causes: SymbolSketch? = nil) -> PlannedReminders {
    PlannedReminders(
      self, following: causes, after: happenedTypes,
      hasRequests: !facts.requests.isEmpty && causes.map(Self.requestSketch.mayIntersect) ?? true)
  }

  /// Returns the first occurrence of a reminder that is planned after an instant and is neither
  /// finished, cancelled nor in progress.
  ///
  /// - Parameter item: the index of the entity whose plan is the series; nil for all series.
  package func next(
    _ reminder: Reminder, item: Int? = nil, after cutoff: Instant, progress: Progress
  ) -> Occurrence? {
    var after = cutoff
    var bound = LoopBound("cancelled occurrences")
    while bound.countStep(),
      let next = nextUnstarted(reminder, item, after: after, progress: progress)
    {
      after = next.planned
      if progress.isCancelled(reminder.symbol, key: next.key)
        || reminder.isRepeating && progress.isInProgressEarly(reminder.symbol, key: next.key)
      {
        continue
      }
      guard repeatsUndecided(next, of: reminder, progress) else { return next }
      guard let start = laterStart(next, of: reminder, item, progress) else { return nil }
      after = max(after, start)
    }
    return nil
  }

  /// Returns the instant after which the search for a repetition continues; nil if the search ends.
  /// The search jumps to the next occurrence of the repeated reminder that is decided or planned.
  /// So it needs no step for each date that a condition or a switch excludes. It cannot jump if the
  /// reminder does not repeat, or if the repeated occurrence is past or cancelled.
  ///
  /// - Parameter occurrence: a repetition that is not planned.
  private func laterStart(
    _ occurrence: Occurrence, of reminder: Reminder, _ item: Int?, _ progress: Progress
  ) -> Instant? {
    guard reminder.isRepeating, let first = reminder.repeated.flatMap(catalog.reminder) else {
      return occurrence.planned
    }
    let instant = repeatedInstant(of: occurrence, reminder, first)
    guard instant > progress.cutoff, !progress.isCancelled(first.symbol, key: occurrence.key)
    else { return occurrence.planned }
    let chain = catalog.chain(of: reminder)
    let keys =
      progress.inProgress.filter { chain.contains($0.reminder) }.map(\.key)
      + progress.finished.filter { chain.contains($0.reminder) }.map(\.key)
    // A key further ahead belongs to another kind of reminder that had the same name.
    let end = instant + .days(Recipient.snoozeDaysMax)
    let decided = keys.compactMap { repeatingInstant(of: $0, first) }
      .filter { $0 > instant && $0 <= end }
    let planned =
      isPlanned(first) ? next(first, item: item, after: instant, progress: progress) : nil
    return (decided + [planned?.planned].compactMap(\.self)).min()
  }

  /// Returns whether an occurrence repeats an occurrence that was never decided (rule T14). The
  /// possible reasons are:
  ///
  /// - The recipient cancelled the repeated occurrence.
  /// - Conditions did not allow the repeated occurrence.
  /// - The reminder repeats, and a switch excluded the repeated occurrence.
  /// - The reminder repeats, and chimed did not know the recipient yet.
  func repeatsUndecided(
    _ occurrence: Occurrence, of reminder: Reminder, _ progress: Progress
  ) -> Bool {
    guard let repeated = reminder.repeated, let first = catalog.reminder(repeated),
      reminder.isRepeating || first.terms != nil
        || progress.isCancelled(repeated, key: occurrence.key)
    else { return false }
    if reminder.isRepeating,
      let finished = progress.finished(repeated, inSeriesOf: occurrence.key, of: reminder),
      finished.key >= occurrence.key
    {
      return false
    }
    let chain = catalog.chain(of: reminder)
    let isDecided = chain.contains { symbol in
      progress.hasSent(symbol, key: occurrence.key)
        || progress.inProgress.contains { $0.reminder == symbol && $0.key == occurrence.key }
    }
    guard !isDecided else { return false }
    if progress.isCancelled(repeated, key: occurrence.key) { return true }
    guard reminder.isRepeating else {
      return disallowedKeys(of: first, among: [occurrence.key], progress) == [occurrence.key]
    }
    let instant = repeatedInstant(of: occurrence, reminder, first)
    return instant <= progress.cutoff || !isPlanned(occurrence.key, at: instant, of: first)
  }

  /// Returns whether switches and conditions allow an occurrence of a repeating reminder.
  private func isPlanned(_ key: Int64, at instant: Instant, of reminder: Reminder) -> Bool {
    guard isPlanned(reminder) else { return false }
    guard case .calendar(let trigger) = reminder.trigger else {
      return occurrence(of: reminder, key: key) != nil
    }
    return isStillAllowed(key, planned: instant, of: reminder, trigger)
  }

  /// Returns the instant of the occurrence that another one repeats.
  private func repeatedInstant(
    of occurrence: Occurrence, _ reminder: Reminder, _ first: Reminder
  ) -> Instant {
    repeatingInstant(of: occurrence.key, first)
      ?? occurrence.planned - (reminder.offset.span - first.offset.span)
  }

  /// Returns the keys of all occurrences for which `repeatsUndecided` is true.
  ///
  /// - Parameter reminder: a reminder that does not repeat.
  private func undecidedKeys(of reminder: Reminder, _ progress: Progress) -> Set<Int64> {
    guard let repeated = reminder.repeated, let first = catalog.reminder(repeated),
      first.terms != nil || !progress.cancelled.isEmpty
    else { return [] }
    var keys = Set(progress.cancelled.lazy.filter { $0.reminder == repeated }.map(\.key))
    if first.terms != nil {
      let all = Set(occurrences(reminder, includingPassedLeads: true).map(\.key))
      keys.formUnion(disallowedKeys(of: first, among: all, progress))
    }
    guard !keys.isEmpty else { return [] }
    let chain = catalog.chain(of: reminder)
    for entry in progress.finished where entry.isSent && chain.contains(entry.reminder) {
      keys.remove(entry.key)
    }
    for entry in progress.inProgress where chain.contains(entry.reminder) { keys.remove(entry.key) }
    return keys
  }

  /// Returns those of `keys` whose occurrences are excluded by conditions and not finished; none
  /// while the reminder is switched off.
  ///
  /// - Parameter reminder: a reminder that does not repeat.
  private func disallowedKeys(
    of reminder: Reminder, among keys: Set<Int64>, _ progress: Progress
  ) -> Set<Int64> {
    guard !keys.isEmpty, isPlanned(reminder) else { return [] }
    let finished = progress.finished.lazy.filter { $0.reminder == reminder.symbol }.map(\.key)
    return keys.subtracting(occurrences(reminder, includingPassedLeads: true).map(\.key))
      .subtracting(finished)
  }

  /// Returns the first occurrence that is planned after an instant and is not finished. For a
  /// repeating reminder, its key is above the keys of all occurrences that are finished or have
  /// become due. For other reminders, the occurrence is neither cancelled nor in progress.
  private func nextUnstarted(
    _ reminder: Reminder, _ item: Int?, after cutoff: Instant, progress: Progress
  ) -> Occurrence? {
    Work.countByTime()
    switch reminder.trigger {
    case .calendar(let trigger):
      return next(
        reminder, trigger, after: cutoff, beyond: progress.highestKey(of: reminder.symbol),
        progress: progress)
    case .plan where item == nil:
      var first: Occurrence?
      forEachNext(reminder, after: cutoff, progress: progress) { occurrence in
        if first.map({ occurrence.planned < $0.planned }) ?? true { first = occurrence }
      }
      return first
    case .plan:
      return nextOfSeries(reminder, item: item, after: cutoff, progress: progress)
    case .milestone(let trigger):
      guard let next = milestoneOccurrences(trigger).next(after: cutoff) else { return nil }
      return progress.isDone(reminder.symbol, key: next.key) ? nil : next
    case .after(let trigger):
      return unstarted(occurrence(trigger, of: reminder), of: reminder, after: cutoff, progress)
    case .idle(let trigger):
      return unstarted(occurrence(trigger), of: reminder, after: cutoff, progress)
    case .items, .request:
      var first: Occurrence?
      forEachOpen(reminder, after: cutoff, progress) { occurrence in
        if first.map({ occurrence.planned < $0.planned }) ?? true { first = occurrence }
      }
      return first
    }
  }

  /// Returns the occurrence if conditions allow it and it is planned after an instant. Returns nil
  /// otherwise, or if the occurrence is finished, cancelled or in progress.
  private func unstarted(
    _ occurrence: Occurrence?, of reminder: Reminder, after cutoff: Instant, _ progress: Progress
  ) -> Occurrence? {
    guard let occurrence = occurrence.flatMap({ allowed($0, of: reminder) }),
      occurrence.planned > cutoff
    else { return nil }
    return progress.isDone(reminder.symbol, key: occurrence.key) ? nil : occurrence
  }

  /// Calls `body`, in no particular order, with each occurrence of a reminder that is planned after
  /// an instant. If the reminder repeats, `body` gets only the next occurrence of each series.
  func forEachNext(
    _ reminder: Reminder, after cutoff: Instant, progress: Progress, _ body: (Occurrence) -> Void
  ) {
    guard reminder.allowsSeveralPending else {
      if let next = next(reminder, after: cutoff, progress: progress) { body(next) }
      return
    }
    guard !reminder.isRepeating else {
      return forEachSeries(of: reminder) { item in
        let next = next(reminder, item: item, after: cutoff, progress: progress)
        if let next { body(next) }
      }
    }
    forEachOpen(reminder, after: cutoff, progress, body)
  }

  /// Calls `body` with each future occurrence of a reminder that may have several at once.
  private func forEachOpen(
    _ reminder: Reminder, after cutoff: Instant, _ progress: Progress,
    _ body: (Occurrence) -> Void
  ) {
    let doneKeys = doneKeys(of: reminder, progress)
    let undecided = undecidedKeys(of: reminder, progress)
    func visit(_ occurrence: Occurrence) {
      guard occurrence.planned > cutoff, !doneKeys.contains(occurrence.key),
        !undecided.contains(occurrence.key)
      else { return }
      body(occurrence)
    }
    if case .request = reminder.trigger {
      forEachRequest(of: reminder, visit)
    } else {
      occurrences(reminder).forEach(visit)
    }
  }

  /// Returns the keys of a reminder's occurrences that are finished, cancelled or in progress. The
  /// result includes the keys that an alternative reminder has finished (rule V11).
  func doneKeys(of reminder: Reminder, _ progress: Progress) -> DoneKeys {
    let others = catalog.alternatives.isEmpty ? nil : catalog.alternatives[reminder.symbol]
    return progress.doneKeys(of: reminder.symbol, or: others ?? [])
  }

  /// Returns the past and future occurrences that follow events; none for a repeating reminder.
  ///
  /// - Parameter includingPassedLeads: whether leads (occurrences ahead of an instant) are included
  ///   that had passed at the latest report of their entity.
  package func occurrences(
    _ reminder: Reminder, includingPassedLeads: Bool = false
  ) -> [Occurrence] {
    switch reminder.trigger {
    case .calendar, .plan: []
    case .after(let trigger):
      [occurrence(trigger, of: reminder)].compactMap { allowed($0, of: reminder) }
    case .milestone(let trigger): milestoneOccurrences(trigger).all
    case .items(let trigger):
      occurrences(trigger, of: reminder, includingPassedLeads: includingPassedLeads)
    case .idle(let trigger): [occurrence(trigger)].compactMap { allowed($0, of: reminder) }
    case .request: requestOccurrences(of: reminder)
    }
  }

  /// Returns the occurrences of requested notifications in the reminder's category.
  private func requestOccurrences(of reminder: Reminder) -> [Occurrence] {
    var occurrences: [Occurrence] = []
    forEachRequest(of: reminder) { occurrences.append($0) }
    return occurrences
  }

  private func forEachRequest(of reminder: Reminder, _ body: (Occurrence) -> Void) {
    Work.count(facts.requests.count)
    let channels = channels(of: reminder)
    facts.requests.forEachPlan { request in
      guard request.category == reminder.requestedCategory else { return }
      if let occurrence = occurrence(request, of: reminder, on: channels) { body(occurrence) }
    }
  }

  /// Returns the occurrence of a request; nil if the request is in another category or a switch
  /// turns it off.
  func occurrence(_ request: RequestPlan, of reminder: Reminder) -> Occurrence? {
    guard request.category == reminder.requestedCategory else { return nil }
    return occurrence(request, of: reminder, on: channels(of: reminder))
  }

  private func occurrence(
    _ request: RequestPlan, of reminder: Reminder, on channels: ChannelSet
  ) -> Occurrence? {
    guard !request.narrowed(channels).isEmpty else { return nil }
    return Occurrence(
      key: request.key, planned: request.planned, cause: request.stamp,
      requestedChannels: request.channels)
  }

  /// Sorts occurrences of a reminder by their planned instant, then by their cause. Requests for
  /// one instant are sorted by their order of arrival.
  func sortedByInstant(_ occurrences: [Occurrence], of reminder: Reminder) -> [Occurrence] {
    guard occurrences.count > 1 else { return occurrences }
    guard case .request = reminder.trigger else {
      return occurrences.sorted { one, other in
        guard one.planned == other.planned else { return one.planned < other.planned }
        guard let cause = one.cause, let another = other.cause, cause != another
        else { return one.key < other.key }
        return cause < another
      }
    }
    return occurrences.sorted { one, other in
      guard one.planned == other.planned else { return one.planned < other.planned }
      return facts.isEarlier(request: one.key, than: other.key)
    }
  }

  /// Returns whether an occurrence that is due or held by a gate is still to be sent. Its reminder
  /// must be switched on, and the facts must still plan the occurrence. If the reminder needs an
  /// upcoming entity, a snooze must end before that entity's instant.
  package func isOpen(_ entry: Progress.InProgress, of reminder: Reminder) -> Bool {
    guard isPlanned(reminder) else { return false }
    guard case .calendar(let trigger) = reminder.trigger else {
      return occurrence(of: reminder, key: entry.key) != nil
    }
    guard isStillAllowed(entry.key, planned: entry.unsnoozedInstant, of: reminder, trigger) else {
      return false
    }
    guard entry.isSnoozed,
      let upcoming = upcomingInstant(reminder, key: entry.key, at: entry.unsnoozedInstant)
    else { return true }
    return entry.planned < upcoming
  }

  /// Returns whether an occurrence is no longer sent in the channel group of its entry, but only in
  /// other groups.
  func hasLeftGroup(_ entry: Progress.InProgress, of reminder: Reminder) -> Bool {
    let reach = reach(of: reminder, key: entry.key)
    let wanted = reach.isEmpty ? channels(of: reminder, key: entry.key) : reach
    return !wanted.isEmpty && wanted.isDisjoint(with: entry.channelGroup.channels)
  }
}

extension Progress {
  /// Returns the highest key among a calendar reminder's occurrences that have become due.
  func highestKey(of reminder: Symbol) -> Int64? {
    var highest = finished(reminder)?.key
    for entry in inProgress where entry.reminder == reminder && hasBecomeDue(entry) {
      highest = max(highest ?? entry.key, entry.key)
    }
    return highest
  }

  /// Returns whether the planned instant of an occurrence in progress, without a snooze, has
  /// passed. A snooze or a resumption can put an occurrence in progress before that instant.
  /// Earlier occurrences may then still be planned.
  func hasBecomeDue(_ entry: InProgress) -> Bool { entry.unsnoozedInstant <= cutoff }

  /// Returns whether an occurrence is in progress before its planned instant.
  fileprivate func isInProgressEarly(_ reminder: Symbol, key: Int64) -> Bool {
    inProgress.contains { !hasBecomeDue($0) && $0.reminder == reminder && $0.key == key }
  }
}
