import CivilTime
import Holidays

/// The alarms of an event or a task (RFC 5545 and RFC 9074). A plan can express an alarm only if
/// it rings at the event's own time, because the catalog determines when people are reminded.
struct CalendarAlarms {
  /// Whether the alarms belong to a task with a DUE, to which `RELATED=END` refers.
  let isDue: Bool
  /// The time of the event or task; nil if it is faulty.
  let start: CalendarStart?
  /// The zone of floating times.
  let zone: Zone
  /// Whether the event or task has several dates, so that an alarm rings again.
  let isSeries: Bool
  /// Whether the caller wants to ignore alarms.
  let areIgnored: Bool

  /// Returns the parts of a component's alarms that a plan does not express: at most one for each
  /// property. Alarms that do not ring again have no such parts.
  func parts(of component: CalendarComponent) -> (flaws: [CalendarFlaw], ignored: [CalendarFlaw]) {
    var (flaws, ignored): ([CalendarFlaw], [CalendarFlaw]) = ([], [])
    for alarm in component.children where alarm.name == "VALARM" {
      if alarm.text("ACTION")?.uppercased() == "NONE" { continue }
      let snooze = alarm.properties.first {
        $0.name == "RELATED-TO" && $0.parameter("RELTYPE")?.uppercased() == "SNOOZE"
      }
      if !isSeries || snooze != nil, hasRung(alarm) { continue }
      if let snooze {
        ignored.append(
          CalendarFlaw(snooze, "snoozes an alarm, and snoozes are not imported"))
      } else if areIgnored {
        ignored += parts(ofAlarm: alarm)
      } else {
        flaws += parts(ofAlarm: alarm)
      }
    }
    return (flaws, ignored)
  }

  private func parts(ofAlarm alarm: CalendarComponent) -> [CalendarFlaw] {
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
    if let instant = Self.instant(trigger) { return instant == start?.instant }
    return span(trigger)?.milliseconds == 0
  }

  /// Returns whether an alarm does not ring again: it was acknowledged at or after the instant of
  /// its TRIGGER.
  private func hasRung(_ alarm: CalendarComponent) -> Bool {
    guard let trigger = alarm.property("TRIGGER"),
      let acknowledged = alarm.property("ACKNOWLEDGED").flatMap(Self.instant)
    else { return false }
    let instant =
      Self.instant(trigger)
      ?? span(trigger).flatMap { span in
        start.map { ($0.time.zone ?? zone).instant(of: $0.time.date, at: $0.clock) + span }
      }
    return instant.map { $0 <= acknowledged } ?? false
  }

  /// Returns the span from the time of the event or task; nil if it counts from another time.
  private func span(_ trigger: ContentLine) -> TimeSpan? {
    guard (trigger.parameter("RELATED")?.uppercased() ?? "START") == (isDue ? "END" : "START")
    else { return nil }
    let text = trigger.trimmedText.uppercased()
    let digits = text.drop { "+-".contains($0) }
    guard digits.hasPrefix("P"), let span = TimeSpan(String(digits)) else { return nil }
    return text.hasPrefix("-") ? .zero - span : span
  }

  /// Returns the instant of a property in UTC; nil for another value.
  private static func instant(_ line: ContentLine) -> Instant? {
    guard let time = DateValue(line.trimmedValue), time.isUTC, let second = time.secondOfDay
    else { return nil }
    let seconds = Int64(time.date.daysSinceEpoch) * 86_400 + Int64(second)
    return Instant(milliseconds: seconds * 1_000)
  }
}
