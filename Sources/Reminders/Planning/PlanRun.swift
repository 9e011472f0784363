import CivilTime

/// The series of one entity that has a plan. The planned instants of a series are called doses.
struct PlanRun: Sendable {
  /// The index of the entity's item.
  let item: Int
  /// The code of the series in the keys of its occurrences.
  let series: Int64
  let identifier: String?
  let plan: EntityPlan
  /// The zone of the plan's local times.
  let zone: Zone
  /// The stamp (time and order of arrival) of the plan's latest report, which the occurrences
  /// follow.
  let start: Stamp
  /// The instant after which doses are planned: the latest report, less the reminder's offset. So
  /// the repetitions of an earlier dose that come after the report are still planned.
  let earliest: Instant
  /// Whether the entity's event contains a plan. If not, the reminder's default times apply.
  let hasReportedTimes: Bool
  /// The date on which the series resumes after a pause; nil if it was not paused.
  let resumption: LocalDate?
  /// Whether the recipient has ended the series.
  let isStopped: Bool

  /// Returns the first dose after an instant, without the reminder's offset.
  ///
  /// - Parameter floor: the key that the dose's key must exceed; nil for any key.
  /// - Complexity: constant, except for dates that the zone skips and for exceptions.
  func next(after instant: Instant, beyond floor: Int64?) -> (key: PlanKey, planned: Instant)? {
    let after = max(instant, earliest)
    let today = zone.date(at: after)
    let floor = self.floor(floor, on: today)
    var date = plan.firstDate(from: max(today, resumption ?? today))
    var bound = LoopBound("dates of a plan")
    while bound.countStep(), let current = date {
      for minute in plan.minutes(on: current) {
        let key = PlanKey(series: series, date: current, minute: minute)
        let planned = self.planned(key)
        if planned > after, key.key > floor, isOnCalendar(current, planned) {
          return (key, planned)
        }
      }
      date = plan.firstDate(from: current + 1)
    }
    return nil
  }

  func planned(_ key: PlanKey, by offset: Offset = .zero) -> Instant {
    offset.instant(of: key.date, at: LocalTime(minuteOfDay: key.minute) ?? .midnight, in: zone)
  }

  /// Returns the instant from which events of `unless` count for a dose.
  ///
  /// - Parameter begin: the local time at which a day begins.
  func windowStart(of key: PlanKey, daysBegin begin: LocalTime) -> Instant {
    LocalDays(begin: begin, zone: zone)
      .windowStart(of: key.date, key.minute) { date in
        date == key.date || hasDose(on: date) ? plan.times(on: date) : []
      }
  }

  /// Returns whether the series has a dose. The dose's date must be one of the plan and not paused.
  /// If the event contains the plan, the dose's time must be in it. Otherwise the times are
  /// settings, and a changed setting does not withdraw a dose.
  func hasDose(_ key: PlanKey) -> Bool {
    guard hasDose(on: key.date) else { return false }
    return !hasReportedTimes || plan.minutes(on: key.date).contains(key.minute)
  }

  /// Returns whether a date is one of the plan and is not paused.
  private func hasDose(on date: LocalDate) -> Bool {
    date >= resumption ?? date && plan.firstDate(from: date) == date
  }

  /// Returns the key above which doses are planned. The dates of two zones differ by at most two. A
  /// key further ahead belongs to another kind of reminder that had the same name.
  private func floor(_ key: Int64?, on today: LocalDate) -> Int64 {
    guard let key else { return .min }
    return (today...today + 2).contains(PlanKey(key).date) ? key : .min
  }

  /// Returns whether the date exists in the zone, which may have skipped it.
  private func isOnCalendar(_ date: LocalDate, _ planned: Instant) -> Bool {
    zone.date(at: planned) == date || zone.hasDate(date)
  }
}
