import CivilTime

/// The dates on which a calendar reminder goes out, with facts and settings looked up.
struct RunningDates: Sendable {
  let chosen: ChosenDates
  let series: SeriesDates?

  func contains(_ date: LocalDate) -> Bool {
    chosen.contains(date) && series?.contains(date) ?? true
  }
}

extension PlanningContext {
  /// Nil for a reminder that has no dates: it has ended, or its series has not begun.
  func dates(_ trigger: CalendarTrigger) -> RunningDates? {
    let chosen = trigger.days.dates(settings)
    guard !chosen.isEmpty else { return nil }
    guard let series = trigger.series else { return RunningDates(chosen: chosen, series: nil) }
    return dates(of: series).map { RunningDates(chosen: chosen, series: $0) }
  }

  /// The dates of a series; nil before it starts, and from what cancels it until it starts again.
  func dates(of series: Series) -> SeriesDates? {
    switch series.start {
    case .date(let date):
      return SeriesDates(series, origin: date, isAfter: false, settings)
    case .events(let events):
      guard let start = facts.latest(of: events) else { return nil }
      if let end = facts.latest(of: series.cancelledBy), end > start { return nil }
      return SeriesDates(series, origin: zone.date(at: start.time), isAfter: true, settings)
    }
  }

  /// What a calendar reminder's message speaks of: the days since its series began, and the thing
  /// that is upcoming.
  func subject(
    of key: Int64, _ trigger: CalendarTrigger, _ reminder: Reminder
  ) -> (number: Int64?, details: Details?) {
    guard trigger.series != nil || reminder.terms?.upcoming != nil else { return (nil, nil) }
    let date = date(of: key, trigger)
    let number = trigger.series.flatMap { dates(of: $0) }.map { Int64(date - $0.origin) }
    guard let upcoming = reminder.terms?.upcoming else { return (number, nil) }
    let planned = zone.instant(of: date, at: time(of: key, trigger)) + reminder.offset
    let item = item(upcoming, at: planned)
    return (number, item.map { Details(values: facts.items[$0].details, zone: zone) })
  }

  // MARK: - What is upcoming

  /// The thing whose instant is the first within so much time after another.
  func item(_ upcoming: Terms.Upcoming, at planned: Instant) -> Int? {
    nextItem(upcoming, after: planned).flatMap { index in
      let instant = facts.items[index].instant(upcoming.field) ?? planned
      return instant <= planned + upcoming.within.span(settings) ? index : nil
    }
  }

  /// The thing that has not been taken back whose instant is the first after another.
  private func nextItem(_ upcoming: Terms.Upcoming, after instant: Instant) -> Int? {
    var next: (index: Int, instant: Instant)?
    Work.count(facts.items(of: upcoming.event).count)
    for index in facts.items(of: upcoming.event) {
      let item = facts.items[index]
      guard let start = item.instant(upcoming.field), start > instant,
        next.map({ start < $0.instant }) ?? true,
        !upcoming.cancelledBy.contains(where: {
          isCancelled(item.stamp, of: item.identifier, by: $0)
        })
      else { continue }
      next = (index, start)
    }
    return next?.index
  }

  /// The first instant from another on at which a thing is upcoming; nil if none will be.
  func firstUpcoming(_ upcoming: Terms.Upcoming, from instant: Instant) -> Instant? {
    nextItem(upcoming, after: instant).map { index in
      let start = facts.items[index].instant(upcoming.field) ?? instant
      return max(instant, start - upcoming.within.span(settings))
    }
  }
}
