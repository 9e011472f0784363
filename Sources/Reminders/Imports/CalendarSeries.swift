import Holidays

/// The UIDs of a file's components, by which repeated and changed components are found.
struct CalendarSeries {
  /// The lines of RECURRENCE-ID properties, by the UID of the series that they change.
  private var changes: [ExactText: Int] = [:]
  /// The lines of components by their UID.
  private var lines: [ExactText: Int] = [:]

  init(_ calendars: [CalendarComponent]) {
    for component in calendars.flatMap(\.children) {
      guard let uid = component.text("UID"), let line = component.property("RECURRENCE-ID")
      else { continue }
      changes[ExactText(uid)] = changes[ExactText(uid)] ?? line.number
    }
  }

  /// Records the UID of an event or a task.
  ///
  /// - Throws: a flaw if the component cannot be imported beside the others.
  mutating func add(_ component: CalendarComponent) throws(CalendarFlaw) {
    guard let uid = component.text("UID"), !uid.isEmpty else {
      throw CalendarFlaw(
        component.line, component.name, "has no UID, by which the next import finds it; add one")
    }
    if let line = component.property("RECURRENCE-ID") {
      throw CalendarFlaw(line, "changes one date of a series; make that date a separate event")
    }
    if let line = lines.updateValue(component.line, forKey: ExactText(uid)) {
      throw CalendarFlaw(
        component.line, component.name, "has the UID of the component in line \(line); remove one")
    }
    if let change = changes[ExactText(uid)] {
      throw CalendarFlaw(
        component.line, component.name,
        "has a date that line \(change) changes; end its RRULE before that date")
    }
  }
}
