import CivilTime
import Holidays

/// The alarms of an event or a task. A plan expresses only an alarm at its time, because the
/// catalog determines when people are reminded.
struct CalendarAlarms {
  /// Whether the alarms are those of a task that has a time at which it is due, to which
  /// `RELATED=END` refers.
  let isDue: Bool
  /// The instant of the event or task; nil if its time is floating or faulty.
  let instant: Instant?
  /// Whether the caller wants to ignore alarms.
  let areIgnored: Bool

  /// Returns the parts of a component's alarms that a plan does not express: at most one for each
  /// property.
  func flaws(of component: CalendarComponent) -> [CalendarFlaw] {
    let alarms = component.children.filter {
      $0.name == "VALARM" && $0.text("ACTION")?.uppercased() != "NONE"
    }
    return alarms.flatMap { flaws(ofAlarm: $0) }
  }

  private func flaws(ofAlarm alarm: CalendarComponent) -> [CalendarFlaw] {
    guard let trigger = alarm.property("TRIGGER") else {
      return [CalendarFlaw(alarm.line, alarm.name, "has no TRIGGER" + remedy("remove the alarm"))]
    }
    let advice =
      "the catalog determines when people are reminded; remove the alarm, or import without alarms "
      + "(ignoreAlarms)"
    let parts: [(ContentLine?, String)] = [
      (isAtTime(trigger) ? nil : trigger, "is another time than the event's"),
      (alarm.property("REPEAT"), "repeats the alarm"),
      (alarm.property("PROXIMITY"), "depends on a place"),
    ]
    return parts.compactMap { line, fault in
      line.map { CalendarFlaw($0, fault + remedy(advice)) }
    }.sorted { $0.line < $1.line }
  }

  private func remedy(_ text: String) -> String { areIgnored ? "" : "; " + text }

  private func isAtTime(_ trigger: ContentLine) -> Bool {
    if let time = DateValue(trigger.trimmedValue), time.isUTC, let second = time.secondOfDay {
      let seconds = Int64(time.date.daysSinceEpoch) * 86_400 + Int64(second)
      return Instant(milliseconds: seconds * 1_000) == instant
    }
    let span = trigger.trimmedText.uppercased().drop { "+-".contains($0) }
    return (trigger.parameter("RELATED")?.uppercased() ?? "START") == (isDue ? "END" : "START")
      && span.hasPrefix("P") && TimeSpan(String(span))?.milliseconds == 0
  }
}
