import CivilTime

/// Plans the series of entities that have a plan (rule G15).
extension PlanningContext {
  /// Calls `body` for each series of a repeating reminder. The argument is the index of the
  /// entity's item, or nil if the reminder is one series. Plans whose series has ended are omitted.
  func forEachSeries(of reminder: Reminder, _ body: (Int?) -> Void) {
    guard case .plan(let trigger) = reminder.trigger else { return body(nil) }
    for item in facts.items(of: trigger.event) {
      if let run = run(trigger, of: reminder, item: item), !run.isStopped { body(item) }
    }
  }

  /// Returns the first occurrence of a plan that is after an instant and that the reminder's
  /// conditions allow.
  ///
  /// - Parameter floor: the key that the occurrence's key must exceed; nil for any key.
  func next(
    _ reminder: Reminder, _ run: PlanRun, after cutoff: Instant, beyond floor: Int64?
  ) -> Occurrence? {
    guard !run.isStopped, !sendsNothing(reminder, about: run.identifier) else { return nil }
    let offset = reminder.offset
    var (after, floor) = (offset.earliestBase(after: cutoff, in: run.zone), floor)
    var bound = LoopBound("doses that conditions skip")
    while bound.countStep(), let dose = run.next(after: after, beyond: floor) {
      (after, floor) = (dose.planned, dose.key.key)
      let planned = run.planned(dose.key, by: offset)
      guard planned > max(cutoff, run.start.time) else { continue }
      guard let possible = firstPossible(reminder, run, from: planned) else { return nil }
      if possible > planned {
        after = max(after, offset.earliestBase(after: possible - .milliseconds(1), in: run.zone))
      } else if isAllowed(run, dose.key, planned: planned, of: reminder) {
        return Occurrence(key: dose.key.key, planned: planned, item: run.item)
      }
    }
    return nil
  }

  /// Returns a plan's occurrence with a key. Returns nil if the series has ended, if conditions do
  /// not allow the occurrence, or if the recipient has muted the entity.
  func occurrence(_ trigger: PlanTrigger, of reminder: Reminder, key: Int64) -> Occurrence? {
    let name = PlanKey(key)
    guard let run = run(trigger, of: reminder, key: key), !run.isStopped, run.hasDose(name),
      !sendsNothing(reminder, about: run.identifier)
    else { return nil }
    let planned = run.planned(name, by: reminder.offset)
    guard isAllowed(run, name, planned: planned, of: reminder) else { return nil }
    return Occurrence(key: key, planned: planned, item: run.item)
  }

  /// Returns the local date of a repeating reminder's occurrence; nil for other reminders.
  func repeatingDate(of key: Int64, _ reminder: Reminder) -> LocalDate? {
    switch reminder.trigger {
    case .calendar(let trigger): date(of: key, trigger)
    case .plan: PlanKey(key).date
    case .after, .milestone, .items, .idle, .request: nil
    }
  }

  /// Returns the planned instant of a repeating reminder's occurrence; nil if an event has ended
  /// the occurrence's series. Returns nil for other reminders.
  func repeatingInstant(of key: Int64, _ reminder: Reminder) -> Instant? {
    switch reminder.trigger {
    case .calendar(let trigger):
      return instant(of: key, trigger, by: reminder.offset)
    case .plan(let trigger):
      guard let run = run(trigger, of: reminder, key: key) else { return nil }
      return run.planned(PlanKey(key), by: reminder.offset)
    case .after, .milestone, .items, .idle, .request: return nil
    }
  }

  /// Returns the first occurrence of a series after `cutoff` that follows all finished occurrences
  /// and all that have become due. Cancelled occurrences, and those that were snoozed before they
  /// became due, are included.
  ///
  /// - Parameter item: the index of the entity whose plan is the series; nil for a calendar.
  func nextOfSeries(
    _ reminder: Reminder, item: Int?, after cutoff: Instant, beyond floor: Int64? = nil,
    progress: Progress
  ) -> Occurrence? {
    switch reminder.trigger {
    case .calendar(let trigger):
      let floor = max(floor ?? .min, progress.highestKey(of: reminder.symbol) ?? .min)
      return next(
        reminder, trigger, after: cutoff, beyond: floor == .min ? nil : floor, progress: progress)
    case .plan(let trigger):
      guard let item, let run = run(trigger, of: reminder, item: item) else { return nil }
      let floor = max(
        floor ?? .min, progress.highestKey(of: reminder, inSeries: run.series) ?? .min)
      return next(reminder, run, after: cutoff, beyond: floor)
    case .after, .milestone, .items, .idle, .request: return nil
    }
  }

  // MARK: - Runs

  /// Returns the series of an item; nil if the item has no plan. A series that an event has
  /// cancelled or ended is omitted, but a series that the recipient has ended is returned.
  func run(_ trigger: PlanTrigger, of reminder: Reminder, item: Int) -> PlanRun? {
    guard let memo else {
      return computedRun(trigger, of: reminder, item, series: series(of: item))
    }
    return memo.plans(of: reminder.symbol) { computedRuns(trigger, of: reminder) }[item: item]
  }

  /// Returns the series that a key belongs to.
  func run(_ trigger: PlanTrigger, of reminder: Reminder, key: Int64) -> PlanRun? {
    guard key >= 0 else { return nil }
    let code = PlanKey.series(of: key)
    guard let memo else {
      let item = facts.items(of: trigger.event).first { series(of: $0) == code }
      return item.flatMap { computedRun(trigger, of: reminder, $0, series: code) }
    }
    return memo.plans(of: reminder.symbol) { computedRuns(trigger, of: reminder) }[series: code]
  }

  private func computedRuns(_ trigger: PlanTrigger, of reminder: Reminder) -> PlanRuns {
    let items = facts.items(of: trigger.event)
    let codes = seriesCodes(of: items)
    Work.count(items.count)
    return PlanRuns(
      zip(items, codes).map { computedRun(trigger, of: reminder, $0, series: $1) }, of: items)
  }

  private func computedRun(
    _ trigger: PlanTrigger, of reminder: Reminder, _ index: Int, series: Int64
  ) -> PlanRun? {
    let item = facts.items[index]
    let settings = settings(of: reminder, about: item.identifier)
    guard let plan = trigger.plan(of: item, settings),
      !isCancelled(item, by: trigger.cancelledBy)
    else { return nil }
    if let until = trigger.until, facts.latest(until, about: item.identifier) != nil { return nil }
    let paused = trigger.pause.flatMap { facts.latest($0.event, about: item.identifier) }
    let zone = plan.zoneName.flatMap { try? zones.zone(named: $0) } ?? self.zone
    return PlanRun(
      item: index, series: series, identifier: item.identifier, plan: plan, zone: zone,
      start: item.stamp, earliest: reminder.offset.earliestBase(after: item.stamp.time, in: zone),
      hasReportedTimes: item.plan(trigger.field) != nil,
      resumption: paused.map { self.zone.date(at: $0.time) + (trigger.pause?.days ?? 0) },
      isStopped: isStopped(reminder, about: item.identifier, since: item.stamp))
  }

  // MARK: - Codes

  /// Returns the code of an item's series. Two items of one type rarely have equal hashes.
  private func series(of item: Int) -> Int64 {
    let code = facts.items[item].seriesCode
    let items = facts.items(of: facts.items[item].type)
    Work.count(items.count)
    let isTaken = items.contains { $0 != item && facts.items[$0].seriesCode == code }
    return isTaken ? seriesCodes(of: items)[item - items.lowerBound] : code
  }

  /// Returns distinct codes. Of two items with equal hashes, the one that was reported later gets
  /// the next free code.
  private func seriesCodes(of items: Range<Int>) -> [Int64] {
    var codes = facts.items[items].map(\.seriesCode)
    guard Set(codes).count < codes.count else { return codes }
    var taken: Set<Int64> = []
    for index in codes.indices.sorted(by: { first(items, $0) < first(items, $1) }) {
      while !taken.insert(codes[index]).inserted {
        codes[index] = (codes[index] + 1) & Item.seriesMask
      }
    }
    return codes
  }

  private func first(_ items: Range<Int>, _ index: Int) -> Stamp {
    facts.items[items.lowerBound + index].first
  }
}

extension Item {
  /// The greatest code of a series, of 36 bits.
  fileprivate static let seriesMask: Int64 = 1 << 36 - 1

  fileprivate var seriesCode: Int64 { Int64(code >> 28) }

  func plan(_ field: Symbol) -> EntityPlan? {
    for detail in details where detail.field == field {
      if case .plan(let plan) = detail.value { return plan }
    }
    return nil
  }
}

extension PlanTrigger {
  /// Returns the reported plan of an entity, the anniversaries of its date, or the default times.
  fileprivate func plan(of item: Item, _ settings: Settings) -> EntityPlan? {
    guard let lead = anniversaryLead else {
      return item.plan(field) ?? defaultPlan(settings)
    }
    guard let date = item.date(field), var plan = defaultPlan(settings) else { return nil }
    (plan.dates, plan.lead) = (.months(step: 12), lead)
    plan.first = EntityPlan.Dose(date: date - lead, minute: 0)
    return plan
  }

  /// Returns the plan of an entity whose event has none.
  private func defaultPlan(_ settings: Settings) -> EntityPlan? {
    guard let minutes = defaultTimes?.minutes(settings), !minutes.isEmpty else { return nil }
    return EntityPlan(minutes: minutes)
  }
}

extension Progress {
  /// Returns the highest key among a series' occurrences that have become due.
  func highestKey(of reminder: Reminder, inSeries series: Int64) -> Int64? {
    var highest: Int64?
    for entry in finished
    where entry.reminder == reminder.symbol && PlanKey.series(of: entry.key) == series {
      highest = max(highest ?? entry.key, entry.key)
    }
    for entry in inProgress
    where entry.reminder == reminder.symbol && PlanKey.series(of: entry.key) == series
      && hasBecomeDue(entry)
    {
      highest = max(highest ?? entry.key, entry.key)
    }
    return highest
  }
}
