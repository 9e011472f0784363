import CivilTime
import Holidays

/// The time of an event or a task, with its property. A task has the time at which it is due.
struct CalendarStart {
  let line: ContentLine
  let time: CalendarTimes.Time
  let clock: LocalTime

  /// The instant; nil for a floating time.
  var instant: Instant? { time.zone?.instant(of: time.date, at: clock) }
  var dose: EntityPlan.Dose { .init(date: time.date, minute: clock.minuteOfDay) }
  var isWholeDay: Bool { time.secondOfDay == nil }
}

extension CalendarEntry {
  func start() throws(CalendarFlaw) -> CalendarStart {
    let line = try timeLine()
    let time = try times.time(of: line)
    guard let second = time.secondOfDay ?? options.allDay?.secondOfDay else {
      throw CalendarFlaw(
        line, "is a whole day; give a time in the calendar, or one for all whole days (allDay)")
    }
    guard time.date.daysSinceEpoch >= 0 else {
      throw CalendarFlaw(
        line, "is before 1970; begin the series in 1970 or later, or remove the component")
    }
    return CalendarStart(line: line, time: time, clock: try Self.clock(second, line))
  }

  static func clock(_ second: Int, _ line: ContentLine) throws(CalendarFlaw) -> LocalTime {
    guard second % 60 == 0, let clock = LocalTime(minuteOfDay: second / 60) else {
      throw CalendarFlaw(line, "has seconds; give the time in minutes")
    }
    return clock
  }

  /// Returns the property with the time: DTSTART, or DUE of a task.
  private func timeLine() throws(CalendarFlaw) -> ContentLine {
    let (start, due) = (component.property("DTSTART"), component.property("DUE"))
    guard let line = isTask ? due ?? start : start else {
      throw CalendarFlaw(
        component.line, component.name,
        "has no time; add DTSTART" + (isTask ? " or DUE" : ""))
    }
    if isTask, due == nil, let duration = component.property("DURATION") {
      throw CalendarFlaw(duration, "determines when the task is due; give the time as DUE instead")
    }
    if isTask, isSeries, let start, let due, start.trimmedText != due.trimmedText {
      throw CalendarFlaw(due, "differs from DTSTART, and a plan has one time; remove one of them")
    }
    return line
  }
}
