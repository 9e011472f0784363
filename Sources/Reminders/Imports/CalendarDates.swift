import CivilTime
import Holidays

/// The dates of a series that differ from its rule: RDATE adds dates, EXDATE leaves dates out, and
/// a component with a RECURRENCE-ID moves a date or leaves it out.
struct CalendarDates {
  /// The dates that are left out.
  private(set) var exceptions: Set<LocalDate> = []
  /// The parts that a plan does not express, or that cannot be read.
  private(set) var flaws: [CalendarFlaw] = []
  /// The parts that change nothing.
  private(set) var ignored: [CalendarFlaw] = []
  /// The further dates of the series.
  private var further: Set<EntityPlan.Dose> = []
  /// The new times of moved dates.
  private var moved: Set<EntityPlan.Dose> = []
  private let start: CalendarStart
  /// The plan of the series without changes.
  private let plan: EntityPlan

  var additions: Set<EntityPlan.Dose> { further.union(moved) }

  init(of series: CalendarEntry, from start: CalendarStart, _ plan: EntityPlan) {
    (self.start, self.plan) = (start, plan)
    let lines = series.component.properties
    for line in lines where line.name == "RDATE" {
      record { dates throws(CalendarFlaw) in try dates.add(line, series.times) }
    }
    for line in lines where line.name == "EXDATE" {
      record { dates throws(CalendarFlaw) in try dates.leaveOut(line, series.times) }
    }
    var changed: [Instance: Int] = [:]
    for entry in series.changes {
      record { dates throws(CalendarFlaw) in try dates.change(by: entry, of: series, &changed) }
    }
  }

  /// Records the first flaw that a function finds.
  private mutating func record(_ read: (inout Self) throws(CalendarFlaw) -> Void) {
    do throws(CalendarFlaw) { try read(&self) } catch { flaws.append(error) }
  }

  // MARK: - RDATE and EXDATE

  private mutating func add(
    _ line: ContentLine, _ times: CalendarTimes
  ) throws(CalendarFlaw) {
    guard line.parameter("VALUE")?.uppercased() != "PERIOD" else {
      throw CalendarFlaw(line, "has periods, and a plan has only times; give their starts alone")
    }
    for time in try times.times(of: line) {
      guard (time.secondOfDay == nil) == start.isWholeDay else {
        throw CalendarFlaw(
          line,
          start.isWholeDay
            ? "has a time, and \(start.line.name) is a date; give dates"
            : "is a whole day, and \(start.line.name) has a time; give times")
      }
      let clock = try time.secondOfDay.map { second throws(CalendarFlaw) in
        try CalendarEntry.clock(second, line)
      }
      further.insert(try dose(time, at: clock ?? start.clock, line))
      try checkCount(additions.count, line)
    }
  }

  private mutating func leaveOut(
    _ line: ContentLine, _ times: CalendarTimes
  ) throws(CalendarFlaw) {
    var unknown: Instance?
    for time in try times.times(of: line) {
      let instance = try instance(time, line)
      if try !leaveOut(instance, line) { unknown = unknown ?? instance }
    }
    if let unknown {
      ignored.append(CalendarFlaw(line, "has \(unknown), which is no time of the series"))
    }
  }

  /// Returns false if the series does not have the instance.
  private mutating func leaveOut(
    _ instance: Instance, _ line: ContentLine
  ) throws(CalendarFlaw) -> Bool {
    let doses = further.filter(instance.isDose)
    further.subtract(doses)
    guard isRegular(instance) else { return !doses.isEmpty }
    exceptions.insert(instance.date)
    try checkCount(exceptions.count, line)
    return true
  }

  private func checkCount(_ count: Int, _ line: ContentLine) throws(CalendarFlaw) {
    guard count > EntityPlan.changesMax else { return }
    throw CalendarFlaw(
      line,
      "exceeds the \(EntityPlan.changesMax) dates that a plan can change; remove dates that have "
        + "passed, or begin the series later")
  }

  // MARK: - RECURRENCE-ID

  /// - Parameter changed: the instances that other components change, with their lines.
  private mutating func change(
    by entry: CalendarEntry, of series: CalendarEntry, _ changed: inout [Instance: Int]
  ) throws(CalendarFlaw) {
    guard let line = entry.component.property("RECURRENCE-ID") else { return }
    try entry.checkChange(of: series)
    let instance = try instance(try entry.times.time(of: line), line)
    let name = Instance(
      date: instance.date, secondOfDay: instance.secondOfDay ?? 60 * start.clock.minuteOfDay)
    if let other = changed.updateValue(line.number, forKey: name) {
      throw CalendarFlaw(line, "changes the date that line \(other) changes; remove one of them")
    }
    let wasLeftOut = exceptions.contains(instance.date)
    var dose: EntityPlan.Dose?
    if !entry.isEnded {
      let time = try entry.start()
      dose = try self.dose(time.time, at: time.clock, time.line)
    }
    let regular = EntityPlan.Dose(date: instance.date, minute: start.clock.minuteOfDay)
    if isRegular(instance), !wasLeftOut, dose == regular { return }
    guard try leaveOut(instance, line) || wasLeftOut else {
      throw CalendarFlaw(
        line, "is \(instance), which is no time of the series; remove the component")
    }
    if let dose { moved.insert(dose) }
    try checkCount(additions.count, line)
  }

  // MARK: - Local times

  /// A value that names a date of the series, in the zone of the series.
  private struct Instance: Hashable, CustomStringConvertible {
    let date: LocalDate
    /// The time of day in seconds; nil for any time on the date.
    let secondOfDay: Int?

    func isDose(_ dose: EntityPlan.Dose) -> Bool {
      dose.date == date && secondOfDay.map { $0 == 60 * dose.minute } ?? true
    }

    var description: String {
      secondOfDay.map { "\(LocalDateTime(date: date, secondOfDay: $0))" } ?? "\(date)"
    }
  }

  private func isRegular(_ instance: Instance) -> Bool {
    plan.selects(instance.date)
      && instance.isDose(.init(date: instance.date, minute: start.clock.minuteOfDay))
  }

  /// Returns the instance that a value names. A time without a zone is read in the zone of the
  /// series, because it must be a time of the series anyway.
  private func instance(
    _ time: CalendarTimes.Time, _ line: ContentLine
  ) throws(CalendarFlaw) -> Instance {
    guard let second = time.secondOfDay, !start.isWholeDay else {
      return Instance(date: time.date, secondOfDay: nil)
    }
    guard let zone = time.zone else { return Instance(date: time.date, secondOfDay: second) }
    guard let ownZone = start.time.zone else { throw zoneFlaw(line) }
    let instant = zone.instant(of: LocalDateTime(date: time.date, secondOfDay: second))
    let local = ownZone.local(at: instant)
    // The clocks may skip the time of the series, which is then sent after the gap.
    let isOwnTime = ownZone.instant(of: local.date, at: start.clock) == instant
    return Instance(
      date: local.date, secondOfDay: isOwnTime ? start.clock.secondOfDay : local.secondOfDay)
  }

  /// Returns a further dose, in the zone of the series.
  private func dose(
    _ time: CalendarTimes.Time, at clock: LocalTime, _ line: ContentLine
  ) throws(CalendarFlaw) -> EntityPlan.Dose {
    guard (time.zone == nil) == (start.time.zone == nil) else { throw zoneFlaw(line) }
    var dose = EntityPlan.Dose(date: time.date, minute: clock.minuteOfDay)
    if let zone = time.zone, let ownZone = start.time.zone, zone != ownZone {
      let instant = zone.instant(of: time.date, at: clock)
      let local = ownZone.local(at: instant)
      guard ownZone.instant(of: local) == instant, local.secondOfDay % 60 == 0 else {
        throw CalendarFlaw(
          line, "is in an hour that the clocks of \(ownZone) repeat; choose another time")
      }
      dose = EntityPlan.Dose(date: local.date, minute: local.secondOfDay / 60)
    }
    guard EntityPlan.days.contains(Int(dose.date.daysSinceEpoch)) else {
      throw CalendarFlaw(line, "has \(dose.date), which is not from 1970 to 2149; remove the date")
    }
    return dose
  }

  private func zoneFlaw(_ line: ContentLine) -> CalendarFlaw {
    CalendarFlaw(
      line,
      start.time.zone == nil
        ? "has a zone, and the series has none; give local times"
        : "has no zone, and the series has one; add its TZID")
  }
}
