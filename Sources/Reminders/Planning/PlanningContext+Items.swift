import CivilTime

extension PlanningContext {
  /// Returns the past and future occurrences for each entity or event of a trigger.
  ///
  /// Leads (distances before the entity's instant) that had passed when the entity was reported are
  /// omitted. If all had passed, but not the entity's instant, the latest is included as a late
  /// lead (rule T13).
  ///
  /// - Parameter includingPassedLeads: whether passed leads are included, because the entity may
  ///   have been reported again after they were planned.
  func occurrences(
    _ trigger: ItemTrigger, of reminder: Reminder, includingPassedLeads: Bool
  ) -> [Occurrence] {
    let occurrences = itemOccurrences(trigger, of: reminder)
    return includingPassedLeads ? occurrences.all : occurrences.fresh
  }

  /// Returns all occurrences of a trigger. For few items, the occurrences are computed at each
  /// call, which is faster than storing them.
  func itemOccurrences(_ trigger: ItemTrigger, of reminder: Reminder) -> ItemOccurrences {
    guard let memo else {
      let isEmpty = facts.items(of: trigger.event).isEmpty
      return itemOccurrences(trigger, of: reminder, isEmpty ? [] : facts.itemCodes())
    }
    return memo.occurrences(of: reminder.symbol) {
      itemOccurrences(trigger, of: reminder, memo.codes(facts))
    }
  }

  private func itemOccurrences(
    _ trigger: ItemTrigger, of reminder: Reminder, _ codes: [UInt64]
  ) -> ItemOccurrences {
    let planned = plannedOccurrences(trigger, of: reminder, codes)
    var isAlwaysFresh = false
    if case .after = trigger.timing { isAlwaysFresh = true }
    var occurrences = ItemOccurrences(all: [], isFresh: [])
    // Occurrences are filtered after keys are assigned, so that a cancelled occurrence keeps its
    // key.
    for var occurrence in planned {
      guard let item = occurrence.item.map({ facts.items[$0] }),
        !isCancelled(item, by: trigger.cancelledBy),
        !isStopped(reminder, about: item.identifier, since: item.stamp)
      else { continue }
      if occurrence.isLateLead { occurrence.planned = item.stamp.time }
      guard let allowed = allowed(occurrence, of: reminder) else { continue }
      occurrences.all.append(allowed)
      occurrences.isFresh.append(
        isAlwaysFresh || occurrence.isLateLead || occurrence.planned > item.stamp.time)
    }
    return occurrences
  }

  /// Returns the occurrences of a trigger's entities, whether or not conditions allow them.
  func plannedOccurrences(
    _ trigger: ItemTrigger, of reminder: Reminder, _ codes: [UInt64]
  ) -> [Occurrence] {
    var planned: [Occurrence] = []
    for index in facts.items(of: trigger.event) {
      let start = planned.count
      appendAll(trigger, of: reminder, item: index, codes[index], to: &planned)
      // If late leads are skipped, a late lead has no repetitions.
      if !reminder.skipsLate || reminder.offset == .zero {
        markLate(&planned, from: start, item: index)
      }
    }
    makeKeysUnique(&planned)
    Work.count(planned.count)
    return planned
  }

  /// Returns the index of the item of the planned occurrence with this key; nil if there is none.
  func plannedItem(_ trigger: ItemTrigger, of reminder: Reminder, key: Int64) -> Int? {
    guard let memo else {
      return plannedOccurrences(trigger, of: reminder, facts.itemCodes())
        .first { $0.key == key }?.item
    }
    return memo.item(of: reminder.symbol, key: key) {
      plannedOccurrences(trigger, of: reminder, memo.codes(facts))
    }
  }

  func isCancelled(_ item: Item, by conditions: [EventCondition]) -> Bool {
    conditions.contains { facts.isCancelled(item.stamp, about: item.identifier, by: $0) }
  }

  /// Marks the latest lead of an entity that was reported after all its leads and before its
  /// instant. A marked lead is planned for the instant of the report (rule T13).
  ///
  /// - Parameter start: the index of the entity's first occurrence.
  private func markLate(_ occurrences: inout [Occurrence], from start: Int, item: Int) {
    let indices = occurrences.indices[start...]
    let reported = facts.items[item].stamp.time
    guard let latest = indices.max(by: { occurrences[$0].planned < occurrences[$1].planned }),
      occurrences[latest].planned <= reported,
      let deadline = occurrences[latest].deadline, reported < deadline
    else { return }
    occurrences[latest].isLateLead = true
  }

  /// Makes keys unique if two different occurrences have the same hash. The occurrence whose entity
  /// was reported later gets the next free key.
  private func makeKeysUnique(_ occurrences: inout [Occurrence]) {
    guard hasCollision(occurrences) else { return }
    let order = occurrences.indices.sorted { isBefore(occurrences[$0], occurrences[$1]) }
    var indicesByKey: [Int64: Int] = [:]
    for index in order {
      while let other = indicesByKey[occurrences[index].key],
        !isSame(occurrences[other], occurrences[index])
      {
        occurrences[index].key = (occurrences[index].key &+ 1) & .max
      }
      if indicesByKey[occurrences[index].key] == nil {
        indicesByKey[occurrences[index].key] = index
      }
    }
  }

  /// Returns whether two different occurrences have the same key.
  private func hasCollision(_ occurrences: [Occurrence]) -> Bool {
    guard occurrences.count > 1 else { return false }
    Work.count(occurrences.count)
    if occurrences.count <= Facts.unindexedItemsMax {
      return occurrences.indices.contains { index in
        occurrences[..<index].contains { areColliding($0, occurrences[index]) }
      }
    }
    var indicesByKey: [Int64: Int] = [:]
    indicesByKey.reserveCapacity(occurrences.count)
    for index in occurrences.indices {
      let other = indicesByKey.updateValue(index, forKey: occurrences[index].key)
      if let other, areColliding(occurrences[other], occurrences[index]) { return true }
    }
    return false
  }

  private func areColliding(_ one: Occurrence, _ other: Occurrence) -> Bool {
    one.key == other.key && !isSame(one, other)
  }

  /// Returns whether two occurrences of a reminder have the same entity, instant and lead. An
  /// entity has one instant, so different leads have different planned instants.
  private func isSame(_ one: Occurrence, _ other: Occurrence) -> Bool {
    one.item == other.item && one.planned == other.planned
  }

  /// Compares by the first report of the entity, then by planned instant.
  private func isBefore(_ one: Occurrence, _ other: Occurrence) -> Bool {
    let (left, right) = (facts.items[one.item ?? 0].first, facts.items[other.item ?? 0].first)
    return left == right ? one.planned < other.planned : left < right
  }

  /// Appends all occurrences of a trigger for one entity.
  ///
  /// - Parameters:
  ///   - item: the index of the entity's item.
  ///   - code: the entity's code, as `Facts.itemCodes` assigns it.
  func appendAll(
    _ trigger: ItemTrigger, of reminder: Reminder, item: Int, _ code: UInt64,
    to occurrences: inout [Occurrence]
  ) {
    let settings = settings(of: reminder, about: facts.items[item].identifier)
    switch trigger.timing {
    case .after(let delay): appendAfter(delay, settings, item: item, code, to: &occurrences)
    case .hoursBefore(let field, let hours):
      for count in hours.numbers(settings) {
        append(trigger, field, by: .hours(Int(count)), item: item, code, to: &occurrences)
      }
    case .spansBefore(let field, let spans):
      for span in Set(spans.map { $0.span(settings) }).sorted() {
        append(trigger, field, by: span, item: item, code, to: &occurrences)
      }
    case .datesBefore(let field, let days, let time):
      for count in days.numbers(settings) {
        append(
          trigger, field, days: count, at: time.time(settings), item: item, code, to: &occurrences)
      }
    }
  }

  /// Appends one occurrence for an entity, however often the entity was reported.
  private func appendAfter(
    _ delay: Delay, _ settings: Settings, item: Int, _ code: UInt64,
    to occurrences: inout [Occurrence]
  ) {
    let stamp = facts.items[item].stamp
    occurrences.append(
      Occurrence(
        key: Occurrence.key(code), planned: planned(delay, after: stamp.time, settings),
        cause: stamp, item: item))
  }

  /// Appends an occurrence at an elapsed time before or after the entity's instant.
  private func append(
    _ trigger: ItemTrigger, _ field: Symbol, by span: TimeSpan, item: Int, _ code: UInt64,
    to occurrences: inout [Occurrence]
  ) {
    guard let instant = facts.items[item].instant(field) else { return }
    let planned = trigger.isPast ? instant + span : instant - span
    guard trigger.isPast || planned <= instant else { return }
    appendLead(
      item: item, code, identity: UInt64(bitPattern: instant.milliseconds), end: instant,
      planned: planned, advance: span.milliseconds, to: &occurrences)
  }

  /// Appends an occurrence a number of dates before or after an instant or a date. Nothing is
  /// appended if the time of day would put a lead after the instant or date, or a later occurrence
  /// before it.
  private func append(
    _ trigger: ItemTrigger, _ field: Symbol, days: Int64, at time: LocalTime, item: Int,
    _ code: UInt64, to occurrences: inout [Occurrence]
  ) {
    guard let announced = facts.items[item].announcedDate(field, in: zone) else { return }
    let count = Int(clamping: days)
    let date = announced.date
    // If the zone skipped the date, a lead uses the previous date (rule T2), because the next could
    // be too late.
    let day =
      trigger.isPast ? zone.firstDate(from: date + count) : zone.lastDate(through: date - count)
    let planned = zone.instant(of: day, at: time)
    guard trigger.isPast ? planned >= announced.start : planned <= announced.end else { return }
    // A negative advance differs from every span in milliseconds.
    appendLead(
      item: item, code, identity: announced.identity, end: trigger.isPast ? nil : announced.end,
      planned: planned, advance: -1 - days, to: &occurrences)
  }

  /// Appends an occurrence before or after an entity's instant or date. Its key includes the
  /// instant or date, so that a postponed entity gets new reminders.
  ///
  /// - Parameters:
  ///   - identity: the instant or date, as a part of the key.
  ///   - end: the instant before which the occurrence is sent; nil if there is none.
  ///   - advance: the lead as a part of the key: in milliseconds, or negative for a number of
  ///     dates.
  private func appendLead(
    item: Int, _ code: UInt64, identity: UInt64, end: Instant?, planned: Instant, advance: Int64,
    to occurrences: inout [Occurrence]
  ) {
    let stamp = facts.items[item].stamp
    let time = mixed(identity)
    let key = Occurrence.key(mixed(code ^ time) ^ mixed(UInt64(bitPattern: advance)))
    occurrences.append(
      Occurrence(
        key: key, planned: planned, cause: stamp, item: item,
        deadline: end.flatMap { planned < $0 ? $0 : nil }))
  }
}

extension PlanningContext {
  /// Returns a reminder's past or future occurrence with a key; nil for a calendar reminder.
  func occurrence(of reminder: Reminder, key: Int64) -> Occurrence? {
    switch reminder.trigger {
    case .items(let trigger): return itemOccurrences(trigger, of: reminder)[key]
    case .request: return facts.request(key).flatMap { occurrence($0, of: reminder) }
    case .plan(let trigger): return occurrence(trigger, of: reminder, key: key)
    case .calendar, .after, .milestone, .idle:
      return occurrences(reminder, includingPassedLeads: true).first { $0.key == key }
    }
  }

  /// Returns the instant before which an occurrence in progress must be sent; nil if there is none.
  /// An announced date ends in the recipient's current zone (rule G20).
  func deadline(of entry: Progress.InProgress, _ reminder: Reminder) -> Instant? {
    guard let deadline = entry.deadline, case .items(let trigger) = reminder.trigger,
      case .datesBefore = trigger.timing
    else { return entry.deadline }
    return itemOccurrences(trigger, of: reminder)[entry.key]?.deadline ?? deadline
  }

  /// Returns whether a due occurrence is a late lead that its reminder skips. A lead that was
  /// already due when its entity was reported again is not skipped. Its planned instant is not that
  /// of the late lead.
  func isSkipped(_ entry: Progress.InProgress, of reminder: Reminder) -> Bool {
    guard reminder.skipsLate, let occurrence = occurrence(of: reminder, key: entry.key) else {
      return false
    }
    return occurrence.isLateLead && occurrence.planned == entry.planned
  }

  /// Returns the subject of an occurrence's text: the instant, the number and the event's fields
  /// that the text can contain.
  package func subject(of reminder: Reminder, key: Int64) -> Subject {
    if case .calendar(let trigger) = reminder.trigger { return subject(of: key, trigger, reminder) }
    if case .plan(let trigger) = reminder.trigger {
      let item = run(trigger, of: reminder, key: key)?.item
      return Subject(
        details: item.map { Details(values: facts.items[$0].details, zone: zone) })
    }
    guard let occurrence = occurrence(of: reminder, key: key) else { return Subject() }
    var subject = Subject(instant: occurrence.cause?.time, details: details(of: occurrence))
    switch reminder.trigger {
    case .items(let trigger): fill(&subject, of: occurrence, trigger)
    case .after(let trigger):
      subject.count =
        trigger.onlyHighest ? .fixed(key) : count(trigger.delay, after: subject.instant)
    case .milestone(let trigger): subject.count = .fixed(trigger.days)
    case .idle(let trigger):
      subject.instant = subject.instant ?? facts.created?.time
      subject.count = subject.instant.map { .spans($0, trigger.unit) }
    case .calendar, .plan, .request: break
    }
    return subject
  }

  private func fill(
    _ subject: inout Subject, of occurrence: Occurrence, _ trigger: ItemTrigger
  ) {
    func instant(_ field: Symbol) -> Instant? {
      occurrence.item.flatMap { facts.items[$0].instant(field) }
    }
    switch trigger.timing {
    case .after(let delay): subject.count = count(delay, after: subject.instant)
    case .hoursBefore(let field, _), .spansBefore(let field, _):
      subject.instant = instant(field)
      subject.count = subject.instant.map { .spans($0, .hours(1)) }
    case .datesBefore(let field, _, _):
      subject.instant = instant(field)
      let announced = occurrence.item.flatMap { facts.items[$0].announcedDate(field, in: zone) }
      subject.count = announced.map {
        trigger.countsWeeks ? .weeks($0.date) : .dates($0.date)
      }
    }
  }

  private func count(_ delay: Delay, after instant: Instant?) -> Count? {
    guard case .dates = delay else { return nil }
    return instant.map { .dates(zone.date(at: $0)) }
  }

  /// Returns the fields of the event that an occurrence is about.
  package func details(of occurrence: Occurrence) -> Details? {
    occurrence.item.map { Details(values: facts.items[$0].details, zone: zone) }
  }
}
