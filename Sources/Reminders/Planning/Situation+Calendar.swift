import CivilTime

extension Situation {
  /// The first local date whose time comes after `cutoff`, each date at most once (rule T2).
  ///
  /// - Parameter floor: the latest date's key that has had its turn.
  /// - Complexity: a zone look-up for each date passed over, at most a week's.
  func next(
    _ trigger: CalendarTrigger, after cutoff: Instant, beyond floor: Int64?
  ) -> Occurrence? {
    guard !isEnded(trigger) else { return nil }
    // A value stored when the parameter was of another kind may have other bits.
    let days = trigger.days.bits(settings) & 0b111_1111
    guard days != 0 else { return nil }
    let time = trigger.time.time(settings)
    var date = firstDate(trigger, after: cutoff, beyond: floor)
    while true {
      let planned = zone.instant(of: date, at: time)
      if planned > cutoff, days & date.weekday.bit != 0, isOnCalendar(date, planned) {
        return Occurrence(key: Int64(date.daysSinceEpoch), planned: planned)
      }
      date = date + 1
    }
  }

  /// Whether a calendar reminder's date is one on which it runs: neither ended nor interrupted.
  func isRunning(_ trigger: CalendarTrigger, on key: Int64) -> Bool {
    guard !isEnded(trigger) else { return false }
    guard let resumption = resumption(trigger) else { return true }
    return key >= resumption.daysSinceEpoch
  }

  private func isEnded(_ trigger: CalendarTrigger) -> Bool {
    guard let event = trigger.until else { return false }
    return facts.mark(event) != nil
  }

  private func firstDate(
    _ trigger: CalendarTrigger, after cutoff: Instant, beyond floor: Int64?
  ) -> LocalDate {
    var date = zone.date(at: cutoff)
    // No two zones are more than two dates apart: a key beyond that is of another kind of reminder
    // that had the name before.
    let turns = Int64(date.daysSinceEpoch)...Int64(date.daysSinceEpoch) + 2
    if let floor, turns.contains(floor) { date = date + Int(floor - turns.lowerBound + 1) }
    if let resumption = resumption(trigger) { date = max(date, resumption) }
    return date
  }

  private func resumption(_ trigger: CalendarTrigger) -> LocalDate? {
    guard let pause = trigger.pause, let mark = facts.mark(pause.event) else { return nil }
    return zone.date(at: mark.last.time) + pause.days
  }

  /// A zone that moved over the date line has dates that never were; they have no reminder.
  private func isOnCalendar(_ date: LocalDate, _ planned: Instant) -> Bool {
    zone.date(at: planned) == date || zone.hasDate(date)
  }
}
