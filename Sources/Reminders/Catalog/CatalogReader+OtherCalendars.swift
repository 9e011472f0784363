import CivilTime
import Yams

extension CatalogReader {
  /// Reads `calendar: islamic-umalqura, day: [13, 14, last]` and, for a year, `month: 9`.
  mutating func otherCalendarDays(
    _ draft: Draft, _ node: Node, _ fields: [String: Node]
  ) -> OtherCalendarDays? {
    guard let calendar = calendarSystem(node) else { return nil }
    let month = fields["month"].flatMap { self.month($0, calendar) }
    if let since = draft.members["since"] { checkStart(since, calendar) }
    guard fields["month"] == nil || month != nil, let dayNode = fields["day"] else { return nil }
    var days = OtherCalendarDays(calendar, month: month)
    if dayNode.sequence?.isEmpty == true { report(dayNode, "\"day\" must name a day of the month") }
    for entry in dayNode.sequence.map(Array.init) ?? [dayNode] {
      let longest = calendar == .persian ? 31 : 30
      if entry.string == "last" {
        days.insert(day: 0)
      } else if let day = entry.wholeNumber, (1...longest).contains(day) {
        days.insert(day: day)
      } else {
        report(entry, "\"day\" must be from 1 to \(longest), or last")
        return nil
      }
    }
    return days.isEmpty ? nil : days
  }

  private mutating func calendarSystem(_ node: Node) -> CalendarSystem? {
    let name = node.string ?? ""
    if let calendar = CalendarSystem(rawValue: name) { return calendar }
    let known = CalendarSystem.allCases.map(\.rawValue)
    report(
      node,
      "\"\(name)\" is not a calendar" + hint(name, known)
        + " (known: \(known.joined(separator: ", ")))")
    return nil
  }

  /// Reads a number from 1 to 12 or, for the Hebrew calendar, the name of a month.
  private mutating func month(_ node: Node, _ calendar: CalendarSystem) -> Int? {
    guard calendar == .hebrew else {
      if let month = node.wholeNumber, (1...12).contains(month) { return month }
      report(node, "\"month\" must be a number from 1 to 12")
      return nil
    }
    let name = node.string ?? ""
    if let index = MappingKeys.hebrewMonths.firstIndex(of: name) { return index + 1 }
    report(
      node,
      "\"\(name)\" is not a month of the Hebrew calendar" + hint(name, MappingKeys.hebrewMonths)
        + " (known: \(MappingKeys.hebrewMonths.joined(separator: ", ")))")
    return nil
  }

  /// Reports a series that begins when the calendar's days are not known.
  private mutating func checkStart(_ node: Node, _ calendar: CalendarSystem) {
    let known = calendar.knownDates
    guard let date = node.string.flatMap({ LocalDate($0) }), !known.contains(date) else { return }
    report(
      node,
      "\(calendar.rawValue) is known from \(known.lowerBound) to \(known.upperBound), and the "
        + "series begins on \(date)")
  }
}

extension MappingKeys {
  /// The months of the Hebrew calendar, by the numbers of `CalendarSystem.Day`.
  static let hebrewMonths = [
    "tishri", "heshvan", "kislev", "tevet", "shevat", "adar-1", "adar", "nisan", "iyar", "sivan",
    "tamuz", "av", "elul",
  ]
}
