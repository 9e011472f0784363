import CivilTime

/// One run of a calendar reminder: its dates since a start. A reminder whose start event has an
/// identifier has one run for each entity.
struct SeriesRun: Sendable {
  /// The identifier of the run's entity; nil if it has none.
  var identifier: String?
  /// The latest report that started the run; nil if no event starts it.
  var start: Stamp?
  /// The dates of the run; nil if the run has no start and uses every date.
  var dates: SeriesDates?
  /// The date on which the run is resumed after a pause; nil if it was not paused.
  var resumption: LocalDate?

  /// The first date on which the run may have an occurrence.
  var first: LocalDate {
    let first = dates?.first ?? LocalDate(daysSinceEpoch: .min)
    return max(first, resumption ?? first)
  }

  func contains(_ date: LocalDate) -> Bool { date >= first && dates?.contains(date) ?? true }
}

/// The dates of a calendar reminder, with facts and settings applied.
struct RunningDates: Sendable {
  let chosen: ChosenDates
  let runs: [SeriesRun]
  /// The moves of occurrences from days of rest to working days; nil if none are moved.
  var moves: RestMoves?

  /// The first date on which a run may have an occurrence; nil if there is none. A loop computes
  /// the date, because a lazy map would look up its key path at run time.
  var first: LocalDate? {
    guard !chosen.isEmpty, var first = runs.first?.first else { return nil }
    for run in runs.dropFirst() { first = min(first, run.first) }
    return first
  }

  /// Returns whether a date, and each later one, is beyond the last occurrence.
  func isOver(_ date: LocalDate) -> Bool {
    chosen.last.map { date > $0 + RestMoves.distanceMax } ?? false
  }

  func contains(_ date: LocalDate) -> Bool {
    moves == nil ? isSelected(date) : !selectedSources(of: date).isEmpty
  }

  /// Returns the selected dates whose occurrences are sent on a date.
  func selectedSources(of date: LocalDate) -> [LocalDate] {
    (moves?.sources(of: date) ?? [date]).filter(isSelected)
  }

  private func isSelected(_ date: LocalDate) -> Bool {
    chosen.contains(date) && runs.contains { $0.contains(date) }
  }

  /// Returns the runs that have an occurrence on a date.
  func runs(on date: LocalDate) -> [SeriesRun] {
    guard moves != nil else { return runs.filter { $0.contains(date) } }
    let sources = selectedSources(of: date)
    return runs.filter { sources.contains(where: $0.contains) }
  }
}

extension PlanningContext {
  func dates(_ trigger: CalendarTrigger, of reminder: Reminder) -> RunningDates {
    RunningDates(
      chosen: trigger.days.dates(settings), runs: runs(trigger, of: reminder),
      moves: restMoves(of: reminder))
  }

  /// Returns the runs of a calendar reminder that have started, have not ended and are not muted.
  func runs(_ trigger: CalendarTrigger, of reminder: Reminder) -> [SeriesRun] {
    let runs = openRuns(trigger, of: reminder)
    guard !facts.entitySettings.isEmpty else { return runs }
    return runs.filter { !sendsNothing(reminder, about: $0.identifier) }
  }

  /// Returns the runs that have started and have not ended, including muted ones.
  func openRuns(_ trigger: CalendarTrigger, of reminder: Reminder) -> [SeriesRun] {
    let runs = allRuns(trigger, of: reminder)
    guard !facts.entityStops.isEmpty else { return runs }
    return runs.filter { !isStopped(reminder, $0) }
  }

  /// Returns the runs that have started, including those that the recipient has ended.
  func allRuns(_ trigger: CalendarTrigger, of reminder: Reminder) -> [SeriesRun] {
    guard let memo, trigger.series != nil else { return computedRuns(trigger) }
    return memo.runs(of: reminder.symbol) { computedRuns(trigger) }
  }

  /// The run of a reminder that uses every date.
  private static let everyDate = [SeriesRun()]

  private func computedRuns(_ trigger: CalendarTrigger) -> [SeriesRun] {
    if trigger.series == nil, trigger.until == nil, trigger.pause == nil { return Self.everyDate }
    return startedRuns(trigger).compactMap { start in
      if let until = trigger.until, facts.latest(until, about: start.identifier) != nil {
        return nil
      }
      guard let pause = trigger.pause,
        let paused = facts.latest(pause.event, about: start.identifier)
      else { return start }
      var run = start
      run.resumption = zone.date(at: paused.time) + pause.days
      return run
    }
  }

  /// Returns the started runs, including those that `until` or `pause` ends or interrupts.
  private func startedRuns(_ trigger: CalendarTrigger) -> [SeriesRun] {
    guard let series = trigger.series else { return Self.everyDate }
    let chosen = trigger.days.dates(settings)
    switch series.start {
    case .date(let date):
      let dates = SeriesDates(series, origin: date, isAfter: false, of: chosen, settings)
      return [SeriesRun(dates: dates)]
    case .events(let events):
      return startedRuns(of: series, on: chosen, events)
    }
  }

  /// Returns a run for the latest start of each entity, and one for the events without an
  /// identifier. Runs that an event has cancelled since then are omitted.
  private func startedRuns(
    of series: Series, on chosen: ChosenDates, _ events: [EventCondition]
  ) -> [SeriesRun] {
    var latest: [ExactText?: Stamp] = [:]
    func add(_ stamp: Stamp, _ identifier: ExactText?) {
      latest[identifier] = max(latest[identifier] ?? stamp, stamp)
    }
    for event in events {
      guard event.isPerEntity else {
        if let last = facts.mark(event.event)?.last { add(last, nil) }
        continue
      }
      Work.count(facts.items(of: event.event).count)
      for index in facts.items(of: event.event) {
        let item = facts.items[index]
        if let identifier = item.identifier { add(item.stamp, ExactText(identifier)) }
      }
    }
    return latest.compactMap { name, start in
      let identifier = name?.text
      let isCancelled = series.cancelledBy.contains {
        facts.isCancelled(start, about: identifier, by: $0)
      }
      guard !isCancelled else { return nil }
      let origin = zone.date(at: start.time)
      return SeriesRun(
        identifier: identifier, start: start,
        dates: SeriesDates(series, origin: origin, isAfter: true, of: chosen, settings))
    }
  }

  /// Returns the runs that an occurrence is about: the runs that have its date and that conditions
  /// allow. If conditions allow none of them, returns all runs that have its date.
  func runs(
    of key: Int64, planned: Instant, among all: [SeriesRun], _ reminder: Reminder,
    _ trigger: CalendarTrigger
  ) -> [SeriesRun] {
    let date = date(of: key, trigger)
    let dates = RunningDates(
      chosen: trigger.days.dates(settings), runs: all, moves: restMoves(of: reminder))
    let runs = dates.moves == nil ? all.filter { $0.contains(date) } : dates.runs(on: date)
    guard runs.count > 1, reminder.terms != nil else { return runs }
    let allowed = runs.filter { isAllowed([$0], key, planned: planned, of: reminder, trigger) }
    return allowed.isEmpty ? runs : allowed
  }

  /// Returns the subject of a calendar reminder's text: the days since the series began, and the
  /// upcoming entity.
  func subject(of key: Int64, _ trigger: CalendarTrigger, _ reminder: Reminder) -> Subject {
    var subject = Subject()
    guard trigger.series != nil || reminder.terms?.upcoming != nil else { return subject }
    let planned = instant(of: key, trigger, by: reminder.offset)
    let all = runs(trigger, of: reminder)
    let runs = runs(of: key, planned: planned, among: all, reminder, trigger)
    if let origin = runs.compactMap({ $0.dates?.origin }).max() {
      subject.count = .dates(origin)
      subject.instant = zone.instant(of: origin, at: .midnight)
    }
    guard let upcoming = reminder.terms?.upcoming else { return subject }
    let items = runs.compactMap { item(upcoming, at: planned, about: $0.identifier) }
    let first = items.min { left, right in
      let start = { (index: Int) in self.facts.items[index].instant(upcoming.field) ?? planned }
      return (start(left), left) < (start(right), right)
    }
    guard let item = first else { return subject }
    subject.instant = facts.items[item].instant(upcoming.field)
    subject.details = Details(values: facts.items[item].details, zone: zone)
    return subject
  }

  // MARK: - Upcoming entities

  /// Returns the index of the item with the first instant after `planned`; nil if no item's instant
  /// is within the span of `upcoming`.
  func item(
    _ upcoming: Terms.Upcoming, at planned: Instant, about identifier: String?
  ) -> Int? {
    nextItem(upcoming, about: identifier, after: planned).flatMap { index in
      let instant = facts.items[index].instant(upcoming.field) ?? planned
      return instant <= planned + upcoming.within.span(settings) ? index : nil
    }
  }

  /// Returns the index of the item with the first instant after a given one, among the items that
  /// were not cancelled.
  private func nextItem(
    _ upcoming: Terms.Upcoming, about identifier: String?, after instant: Instant
  ) -> Int? {
    var next: (index: Int, instant: Instant)?
    let items = facts.items(
      of: upcoming.event.event, about: upcoming.event.isPerEntity ? identifier : nil)
    Work.count(items.count)
    for index in items {
      let item = facts.items[index]
      guard let start = item.instant(upcoming.field), start > instant,
        next.map({ start < $0.instant }) ?? true,
        !isCancelled(item, by: upcoming.cancelledBy)
      else { continue }
      next = (index, start)
    }
    return next?.index
  }

  /// Returns the first instant, at or after a given one, at which an item is upcoming; nil if there
  /// is none.
  func firstUpcoming(
    _ upcoming: Terms.Upcoming, about identifier: String?, from instant: Instant
  ) -> Instant? {
    nextItem(upcoming, about: identifier, after: instant).map { index in
      let start = facts.items[index].instant(upcoming.field) ?? instant
      return max(instant, start - upcoming.within.span(settings))
    }
  }
}
