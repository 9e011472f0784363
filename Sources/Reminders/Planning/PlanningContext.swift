package import CivilTime

/// A recipient's facts as the catalog reads them: effective settings and zone resolved once, then
/// every question about what is planned is a pure function of them. A class, because all that is
/// decided of a person passes it on and nothing changes it.
package final class PlanningContext: Sendable {
  package let planner: Planner
  package let facts: Facts
  package let settings: Settings
  package let zone: Zone
  /// The channels that each category is on for, by its index.
  let categoryChannels: [ChannelSet]
  /// The channels that have nowhere to send to.
  let unreachable: ChannelSet
  /// The person's vacation, if there is one.
  package let vacation: Vacation?
  /// What has been worked out of many things; nil where there are few.
  let memo: ItemMemo?
  /// The occurrence that is decided without some of its gates.
  let exemption: GateExemption?
  /// The events that have happened.
  private let happened: SymbolSketch

  /// - Parameter zone: the person's zone if it is another than that of their facts.
  package convenience init(facts: Facts, planner: Planner, zone otherZone: Zone? = nil) {
    self.init(facts: facts, planner: planner, zone: otherZone, exempting: nil)
  }

  init(
    facts: Facts, planner: Planner, zone otherZone: Zone? = nil,
    exempting exemption: GateExemption?
  ) {
    self.planner = planner
    self.exemption = exemption
    self.facts = facts
    let settings: Settings
    if facts.settings.isEmpty {
      (settings, categoryChannels) = (planner.initialSettings, planner.initialChannels)
    } else {
      settings = Settings(schema: planner.catalog.settings, registers: facts.settings)
      categoryChannels = Self.categoryChannels(of: planner.catalog, settings)
    }
    self.settings = settings
    unreachable = planner.unreachable(facts)
    memo = facts.items.count > Facts.fewThings ? ItemMemo() : nil
    happened = SymbolSketch(facts.marks.lazy.map(\.type))
    let zone = otherZone ?? planner.zone(of: facts)
    self.zone = zone
    vacation = settings.vacationUntil.map { date in
      Vacation(
        end: zone.instant(of: date + 1, at: .midnight),
        release: settings.dayStart(on: date + 1, in: zone))
    }
  }

  package var catalog: Catalog { planner.catalog }

  /// The events that ask for notifications.
  private static let requests = SymbolSketch([Symbol(Reminder.requested)])

  /// Every reminder that may have an occurrence: one that is switched on, and whose events have
  /// happened; those of the categories only if something is requested.
  ///
  /// - Parameter causes: events of which its occurrences must follow one; nil for whatever they
  ///   follow.
  func forEachPlanned(following causes: SymbolSketch? = nil, _ body: (Reminder) -> Void) {
    let (outlines, reminders) = (catalog.outlines, catalog.reminders)
    for index in outlines.indices {
      let outline = outlines[index]
      guard outline.mayOccur(after: happened), causes.map(outline.causes.mayMeet) ?? true
      else { continue }
      if isPlanned(reminders[index]) { body(reminders[index]) }
    }
    guard !facts.requests.isEmpty, causes.map(Self.requests.mayMeet) ?? true else { return }
    for reminder in catalog.requested where isPlanned(reminder) { body(reminder) }
  }

  /// The first occurrence of a reminder planned after an instant that is neither done nor
  /// cancelled, nor snoozed before its time.
  package func next(
    _ reminder: Reminder, after cutoff: Instant, progress: Progress
  ) -> Occurrence? {
    var after = cutoff
    var bound = LoopBound("cancelled occurrences")
    while bound.goesOn(), let next = upcoming(reminder, after: after, progress: progress) {
      let isKnown =
        progress.isCancelled(reminder.symbol, key: next.key)
        || reminder.isRepeating && progress.isSnoozed(reminder.symbol, key: next.key)
        || isUnheard(next, of: reminder, progress)
      guard isKnown else { return next }
      after = next.planned
    }
    return nil
  }

  /// Whether it repeats an occurrence that never had its turn, because the person cancelled it, or,
  /// on a calendar, was not known yet (rule T7).
  private func isUnheard(
    _ occurrence: Occurrence, of reminder: Reminder, _ progress: Progress
  ) -> Bool {
    guard let repeated = reminder.repeated, let first = catalog.reminder(repeated),
      reminder.isRepeating || progress.isCancelled(repeated, key: occurrence.key)
    else { return false }
    if reminder.isRepeating, let settled = progress.settled(repeated),
      settled.key >= occurrence.key
    {
      return false
    }
    let chain = catalog.chain(of: reminder)
    let isKnown = chain.contains { symbol in
      progress.hasSaid(symbol, key: occurrence.key)
        || progress.underWay.contains { $0.reminder == symbol && $0.key == occurrence.key }
    }
    guard !isKnown else { return false }
    return progress.isCancelled(repeated, key: occurrence.key)
      || occurrence.planned - (reminder.offset - first.offset) <= progress.cutoff
  }

  /// The first occurrence planned after an instant whose key is beyond those that have had their
  /// turn (of a calendar) or is not one of them (of the others).
  private func upcoming(
    _ reminder: Reminder, after cutoff: Instant, progress: Progress
  ) -> Occurrence? {
    Work.countByTime()
    switch reminder.trigger {
    case .calendar(let trigger):
      return next(
        reminder, trigger, after: cutoff, beyond: progress.highestKey(of: reminder.symbol),
        progress: progress)
    case .milestone(let trigger):
      guard let next = candidates(trigger).next(after: cutoff) else { return nil }
      return progress.isDone(reminder.symbol, key: next.key) ? nil : next
    case .after(let trigger):
      return open(occurrence(trigger, of: reminder), of: reminder, after: cutoff, progress)
    case .idle(let trigger):
      return open(occurrence(trigger), of: reminder, after: cutoff, progress)
    case .items, .request:
      var first: Occurrence?
      forEachOpen(reminder, after: cutoff, progress) { occurrence in
        if first.map({ occurrence.planned < $0.planned }) ?? true { first = occurrence }
      }
      return first
    }
  }

  private func open(
    _ occurrence: Occurrence?, of reminder: Reminder, after cutoff: Instant, _ progress: Progress
  ) -> Occurrence? {
    guard let occurrence = occurrence.flatMap({ allowed($0, of: reminder) }),
      occurrence.planned > cutoff
    else { return nil }
    return progress.isDone(reminder.symbol, key: occurrence.key) ? nil : occurrence
  }

  /// Every occurrence of a reminder that waits for its instant: of a repeating one the next alone.
  ///
  /// - Parameter body: called with each, in no particular order.
  func forEachNext(
    _ reminder: Reminder, after cutoff: Instant, progress: Progress, _ body: (Occurrence) -> Void
  ) {
    guard reminder.isPlural else {
      if let next = next(reminder, after: cutoff, progress: progress) { body(next) }
      return
    }
    forEachOpen(reminder, after: cutoff, progress, body)
  }

  /// The same for a reminder of which several may wait.
  private func forEachOpen(
    _ reminder: Reminder, after cutoff: Instant, _ progress: Progress,
    _ body: (Occurrence) -> Void
  ) {
    let done = done(of: reminder, progress)
    func visit(_ occurrence: Occurrence) {
      guard occurrence.planned > cutoff, !done.contains(occurrence.key),
        !isUnheard(occurrence, of: reminder, progress)
      else { return }
      body(occurrence)
    }
    if case .request = reminder.trigger {
      forEachRequest(of: reminder, visit)
    } else {
      occurrences(reminder).forEach(visit)
    }
  }

  /// The occurrences of a reminder that have had their turn, be it as another of which it takes the
  /// place by a setting (rule V11).
  func done(of reminder: Reminder, _ progress: Progress) -> DoneKeys {
    let others = catalog.standIns.isEmpty ? nil : catalog.standIns[reminder.symbol]
    return progress.done(of: reminder.symbol, or: others ?? [])
  }

  /// The occurrences that events determine, whether past or to come.
  ///
  /// - Parameter isRetold: whether those of before their thing was last told of count as well.
  package func occurrences(_ reminder: Reminder, isRetold: Bool = false) -> [Occurrence] {
    switch reminder.trigger {
    case .calendar: []
    case .after(let trigger):
      [occurrence(trigger, of: reminder)].compactMap { allowed($0, of: reminder) }
    case .milestone(let trigger): candidates(trigger).all
    case .items(let trigger):
      occurrences(trigger, of: reminder, isRetold: isRetold)
    case .idle(let trigger): [occurrence(trigger)].compactMap { allowed($0, of: reminder) }
    case .request: requests(of: reminder)
    }
  }

  /// What apps want said in the reminder's category.
  private func requests(of reminder: Reminder) -> [Occurrence] {
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

  /// Nil for a request in another category, and for what a switch turns off.
  func occurrence(_ request: RequestPlan, of reminder: Reminder) -> Occurrence? {
    guard request.category == reminder.requestedCategory else { return nil }
    return occurrence(request, of: reminder, on: channels(of: reminder))
  }

  private func occurrence(
    _ request: RequestPlan, of reminder: Reminder, on channels: ChannelSet
  ) -> Occurrence? {
    guard !request.narrowed(channels).isEmpty else { return nil }
    return Occurrence(
      key: request.key, planned: request.planned, cause: request.stamp)
  }

  /// Occurrences of a reminder of which several may wait, in the order in which they have their
  /// turn; requests of one instant in that in which they were asked for.
  func inTurn(_ occurrences: [Occurrence], of reminder: Reminder) -> [Occurrence] {
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

  /// Whether an occurrence that is under way is still wanted: switched on, and not superseded.
  package func isOpen(_ entry: Progress.UnderWay, of reminder: Reminder) -> Bool {
    guard isPlanned(reminder) else { return false }
    guard case .calendar(let trigger) = reminder.trigger else {
      return occurrence(of: reminder, key: entry.key) != nil
    }
    guard isWanted(entry.key, planned: entry.ownInstant, of: reminder, trigger) else {
      return false
    }
    guard entry.isSnoozed, let upcoming = upcomingInstant(reminder, at: entry.ownInstant) else {
      return true
    }
    return entry.planned < upcoming
  }

  /// Whether an occurrence goes out elsewhere than on an entry's way out.
  func isElsewhere(_ entry: Progress.UnderWay, of reminder: Reminder) -> Bool {
    let reach = reach(of: reminder, key: entry.key)
    let wanted = reach.isEmpty ? channels(of: reminder, key: entry.key) : reach
    return !wanted.isEmpty && wanted.isDisjoint(with: entry.channelGroup.channels)
  }
}

extension Progress {
  /// The latest occurrence of a calendar reminder that has reached its planned instant.
  func highestKey(of reminder: Symbol) -> Int64? {
    var highest = settled(reminder)?.key
    for entry in underWay where entry.reminder == reminder {
      highest = max(highest ?? entry.key, entry.key)
    }
    return highest
  }

  fileprivate func isSnoozed(_ reminder: Symbol, key: Int64) -> Bool {
    underWay.contains { $0.isSnoozed && $0.reminder == reminder && $0.key == key }
  }
}
