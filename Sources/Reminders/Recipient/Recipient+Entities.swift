import CivilTime

/// Counts the open entities of a recipient, and limits them (rule H12).
extension Recipient {
  /// Forgets finished entities that are old, and the oldest ones if there are too many.
  ///
  /// - Parameter context: the context of the recipient's current facts.
  mutating func forgetFinished(in context: PlanningContext) {
    let progress = progress
    facts.forgetFinished(context.catalog) { context.openItems(progress) }
    facts.forgetEntityStops()
    facts.forgetEntitySettings()
  }

  /// Forgets the finished occurrences of entities that the facts have forgotten, for reminders with
  /// too many finished occurrences.
  mutating func forgetFinishedKeys(in context: PlanningContext) {
    for symbol in progress.overfullReminders {
      guard let reminder = context.catalog.reminder(symbol) else { continue }
      progress.forgetFinished(of: symbol, except: context.keys(of: reminder, progress))
    }
  }

  /// Returns a limit that has counted the recipient's open entities.
  func entityLimit(_ planner: Planner) -> EntityLimit {
    let context = PlanningContext(facts: facts, planner: planner)
    return EntityLimit(
      open: context.openItems(progress).map { facts.items[$0] }, progress.cutoff,
      planCounts: planner.catalog.entityUse.planCounts)
  }
}

extension PlanningContext {
  /// Returns the indices of the open items. An open item has an occurrence that is in the future,
  /// due or held, or a series that has not ended. Switches and conditions are ignored, because they
  /// may change.
  ///
  /// - Complexity: linear in the items and in the due and held occurrences.
  package func openItems(_ progress: Progress) -> Set<Int> {
    var open: Set<Int> = []
    let inProgress = Dictionary(grouping: progress.inProgress, by: \.reminder)
    for reminder in catalog.reminders {
      switch reminder.trigger {
      case .items(let trigger):
        addOpen(trigger, reminder, after: progress.cutoff, to: &open)
        for entry in inProgress[reminder.symbol] ?? [] {
          if let item = itemOccurrences(trigger, of: reminder)[entry.key]?.item {
            open.insert(item)
          }
        }
      case .after(let trigger):
        guard let occurrence = occurrence(trigger, of: reminder), let item = occurrence.item else {
          continue
        }
        let isInProgress =
          inProgress[reminder.symbol]?.contains { $0.key == occurrence.key } ?? false
        let planned = reminder.offset.instant(after: occurrence.planned, in: zone)
        if planned > progress.cutoff || isInProgress { open.insert(item) }
      case .calendar(let trigger): open.formUnion(seriesItems(trigger, of: reminder))
      case .plan(let trigger): addOpen(trigger, reminder, progress, to: &open)
      case .milestone, .idle, .request: break
      }
    }
    return open
  }

  /// Adds the items whose plan has a dose in the future, or one that is due or held. Conditions are
  /// ignored.
  private func addOpen(
    _ trigger: PlanTrigger, _ reminder: Reminder, _ progress: Progress, to open: inout Set<Int>
  ) {
    for item in facts.items(of: trigger.event) {
      guard let run = run(trigger, of: reminder, item: item), !run.isStopped else { continue }
      let isInProgress = progress.inProgress.contains {
        $0.reminder == reminder.symbol && PlanKey.series(of: $0.key) == run.series
      }
      let start = reminder.offset.earliestBase(after: progress.cutoff, in: run.zone)
      let hasNext = run.next(after: start, beyond: nil) != nil
      if isInProgress || hasNext { open.insert(item) }
    }
  }

  private func addOpen(
    _ trigger: ItemTrigger, _ reminder: Reminder, after cutoff: Instant, to open: inout Set<Int>
  ) {
    var planned: [Occurrence] = []
    for index in facts.items(of: trigger.event) {
      planned.removeAll(keepingCapacity: true)
      appendAll(trigger, of: reminder, item: index, 0, to: &planned)
      let item = facts.items[index]
      let isFuture = planned.contains {
        reminder.offset.instant(after: $0.planned, in: zone) > cutoff
      }
      guard isFuture, !isCancelled(item, by: trigger.cancelledBy),
        !isStopped(reminder, about: item.identifier, since: item.stamp)
      else { continue }
      open.insert(index)
    }
    Work.count(facts.items(of: trigger.event).count)
  }

  /// Returns the indices of the items whose reports started the open runs of a series.
  private func seriesItems(_ trigger: CalendarTrigger, of reminder: Reminder) -> [Int] {
    guard case .events(let events) = trigger.series?.start else { return [] }
    let runs = openRuns(trigger, of: reminder)
    let identifiers = Set(runs.compactMap { $0.identifier.map(ExactText.init) })
    guard !identifiers.isEmpty else { return [] }
    return events.flatMap { facts.items(of: $0.event) }.filter { index in
      facts.items[index].identifier.map { identifiers.contains(ExactText($0)) } ?? false
    }
  }

  /// Returns the keys of all occurrences of a reminder's remembered entities, whether or not
  /// conditions allow them.
  func keys(of reminder: Reminder, _ progress: Progress) -> Set<Int64> {
    if case .plan(let trigger) = reminder.trigger {
      let keys = progress.finished.lazy.filter { $0.reminder == reminder.symbol }.map(\.key)
      return Set(keys.filter { self.run(trigger, of: reminder, key: $0) != nil })
    }
    guard case .items(let trigger) = reminder.trigger else { return [] }
    return Set(
      plannedOccurrences(trigger, of: reminder, memo?.codes(facts) ?? facts.itemCodes()).map(\.key))
  }
}
