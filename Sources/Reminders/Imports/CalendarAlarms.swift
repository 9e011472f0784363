import CivilTime
import Holidays

/// The alarms of an event or a task. A plan expresses only an alarm at its time, because the
/// catalog determines when people are reminded.
struct CalendarAlarms {
  /// The parts of the alarms that a plan does not express.
  let flaws: [CalendarFlaw]

  /// - Parameter isDue: whether the plan has the time at which a task is due, to which
  ///   `RELATED=END` refers.
  init(_ component: CalendarComponent, isDue: Bool) {
    flaws = component.children.filter { $0.name == "VALARM" }.flatMap { alarm in
      Self.flaws(of: alarm, anchor: isDue ? "END" : "START")
    }
  }

  private static func flaws(of alarm: CalendarComponent, anchor: String) -> [CalendarFlaw] {
    guard alarm.property("TRIGGER") != nil else {
      return [CalendarFlaw(alarm.line, alarm.name, "has no TRIGGER; remove the alarm")]
    }
    return alarm.properties.compactMap { line in
      switch line.name {
      case "TRIGGER" where !isAtAnchor(line, anchor):
        CalendarFlaw(line, "is another time than the event's; " + remedy)
      case "REPEAT": CalendarFlaw(line, "repeats the alarm; " + remedy)
      case "PROXIMITY": CalendarFlaw(line, "depends on a place; " + remedy)
      default: nil
      }
    }
  }

  private static let remedy =
    "the catalog determines when people are reminded; remove the alarm, or import without alarms "
    + "(ignoreAlarms)"

  private static func isAtAnchor(_ trigger: ContentLine, _ anchor: String) -> Bool {
    let span = trigger.trimmedText.uppercased().drop { "+-".contains($0) }
    return (trigger.parameter("RELATED")?.uppercased() ?? "START") == anchor
      && span.hasPrefix("P") && TimeSpan(String(span))?.milliseconds == 0
  }
}
