import CivilTime
import Holidays

/// Reads the times of a calendar, with the zones that they refer to.
struct CalendarTimes {
  /// A date and time of a calendar.
  struct Time {
    let date: LocalDate
    /// The time in seconds, in 0..<86400; nil for a whole day.
    let secondOfDay: Int?
    /// The zone; nil for a floating time.
    let zone: Zone?
  }

  private let zones: ZoneDatabase
  /// The names of zones by the identifiers of the calendar's VTIMEZONE components.
  private var names: [String: String] = [:]
  /// The offsets of the recurring parts of VTIMEZONE components, by their identifiers.
  private var offsets: [String: [String]] = [:]

  init(_ calendar: CalendarComponent, _ zones: ZoneDatabase) {
    self.zones = zones
    for component in calendar.children where component.name == "VTIMEZONE" {
      guard let identifier = component.text("TZID") else { continue }
      names[identifier] = component.text("X-LIC-LOCATION")
      offsets[identifier] = component.children.filter { part in
        part.text("RRULE").map { !$0.uppercased().contains("UNTIL=") } ?? false
      }.compactMap { $0.text("TZOFFSETTO") }
    }
  }

  /// Reads a property with one date or time.
  func time(of line: ContentLine) throws(CalendarFlaw) -> Time {
    try time(line.trimmedValue, of: line)
  }

  /// Reads a property with several dates or times.
  func times(of line: ContentLine) throws(CalendarFlaw) -> [Time] {
    var times: [Time] = []
    for value in line.listValues { times.append(try time(value, of: line)) }
    return times
  }

  private func time(
    _ text: ArraySlice<UInt8>, of line: ContentLine
  ) throws(CalendarFlaw) -> Time {
    let type = line.parameter("VALUE")?.uppercased()
    guard let value = DateValue(text),
      type == nil || type == (value.secondOfDay == nil ? "DATE" : "DATE-TIME")
    else {
      throw CalendarFlaw(
        line,
        "must be a date such as VALUE=DATE:20260302, or a time such as 20260302T080000; it is "
          + NameRefusal.quoted(String(decoding: text, as: UTF8.self)))
    }
    guard let second = value.secondOfDay else {
      return Time(date: value.date, secondOfDay: nil, zone: nil)
    }
    return Time(date: value.date, secondOfDay: second, zone: try zone(of: line, value))
  }

  private func zone(of line: ContentLine, _ value: DateValue) throws(CalendarFlaw) -> Zone? {
    guard let identifier = value.isUTC ? "UTC" : line.parameter("TZID") else { return nil }
    if let zone = names[identifier].flatMap(known) { return zone }
    if let zone = known(identifier) {
      try check(zone, identifier, of: line, value)
      return zone
    }
    throw CalendarFlaw(
      line,
      "has the zone \(NameRefusal.quoted(identifier)), which is not known; use a name such as "
        + "Europe/Berlin, or X-LIC-LOCATION in its VTIMEZONE")
  }

  /// Refuses a short name such as EST whose zone lacks an offset of the calendar's VTIMEZONE. Other
  /// programs give such names to zones with summer time.
  private func check(
    _ zone: Zone, _ identifier: String, of line: ContentLine, _ value: DateValue
  ) throws(CalendarFlaw) {
    guard !identifier.contains("/"), zones.zone(ofWindowsName: identifier) == nil else { return }
    let ofZone = [1, 7].compactMap { LocalDate(year: value.date.year, month: $0, day: 1) }
      .map { zone.offsetSeconds(at: zone.instant(of: $0, at: .midnight)) }
    let other = (offsets[identifier] ?? []).first { offset in
      Self.seconds(offset).map { !ofZone.contains($0) } ?? false
    }
    guard let other else { return }
    throw CalendarFlaw(
      line,
      "has the zone \(NameRefusal.quoted(identifier)), to which the system's rules never give the "
        + "offset \(other) of the calendar's VTIMEZONE; use a name such as America/New_York, or "
        + "X-LIC-LOCATION in the VTIMEZONE")
  }

  /// Returns the seconds east of UTC of an offset such as "+0530"; nil for another text.
  private static func seconds(_ offset: String) -> Int? {
    guard let sign = offset.first, "+-".contains(sign), [5, 7].contains(offset.utf8.count),
      let digits = Int(offset.dropFirst().prefix(4)), digits >= 0
    else { return nil }
    return (sign == "-" ? -60 : 60) * (digits / 100 * 60 + digits % 100)
  }

  /// Returns the zone of an IANA name, of a Windows name, or of a path that ends with an IANA name,
  /// such as "/mozilla.org/20070129_1/Europe/Berlin".
  private func known(_ identifier: String) -> Zone? {
    if let zone = (try? zones.zone(named: identifier)) ?? zones.zone(ofWindowsName: identifier) {
      return zone
    }
    guard identifier.hasPrefix("/") else { return nil }
    let parts = identifier.split(separator: "/")
    return [3, 2].lazy.filter { $0 < parts.count }
      .compactMap { try? zones.zone(named: parts.suffix($0).joined(separator: "/")) }.first
  }
}
