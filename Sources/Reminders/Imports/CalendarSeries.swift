import Holidays

/// An index of a file's events and tasks by their UIDs. It finds repeated components, and the
/// components that change dates of a series.
struct CalendarSeries {
  /// The components that change a date of a series (RECURRENCE-ID), by the UID of the series.
  private var changes: [ExactText: [CalendarEntry]] = [:]
  /// The lines of other components by their UID.
  private var lines: [ExactText: Int] = [:]

  init(_ entries: [CalendarEntry]) {
    for entry in entries where entry.changedDate != nil {
      changes[ExactText(entry.uid), default: []].append(entry)
    }
  }

  /// Records an event or a task, and returns it with the components that change its dates.
  ///
  /// - Throws: a flaw if the component has no UID, or the UID of another component.
  mutating func add(_ entry: CalendarEntry) throws(CalendarFlaw) -> CalendarEntry {
    let component = entry.component
    guard !entry.uid.isEmpty else {
      throw CalendarFlaw(
        component.line, component.name, "has no UID, by which the next import finds it; add one")
    }
    if let line = lines.updateValue(component.line, forKey: ExactText(entry.uid)) {
      throw CalendarFlaw(
        component.line, component.name, "has the UID of the component in line \(line); remove one")
    }
    var series = entry
    series.changes = changes[ExactText(entry.uid)] ?? []
    return series
  }

  /// The flaws of the components that change a date of a series which was not recorded.
  var flawsOfOthers: [CalendarFlaw] {
    changes.filter { lines[$0.key] == nil }.values.joined().compactMap { entry in
      entry.changedDate.map {
        CalendarFlaw(
          $0,
          "changes a date of a series that the file does not contain; export the whole series, or "
            + "remove the component")
      }
    }
  }
}
