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

  init(_ calendar: CalendarComponent, _ zones: ZoneDatabase) {
    self.zones = zones
    for component in calendar.children where component.name == "VTIMEZONE" {
      guard let identifier = component.text("TZID") else { continue }
      names[identifier] = component.text("X-LIC-LOCATION")
    }
  }

  /// Reads a property with one date or time.
  func time(of line: ContentLine) throws(CalendarFlaw) -> Time {
    let type = line.parameter("VALUE")?.uppercased()
    guard let value = DateValue(line.trimmedValue),
      type == nil || type == (value.secondOfDay == nil ? "DATE" : "DATE-TIME")
    else {
      throw CalendarFlaw(
        line,
        "must be a date such as VALUE=DATE:20260302, or a time such as 20260302T080000; it is "
          + NameRefusal.quoted(line.trimmedText))
    }
    guard let second = value.secondOfDay else {
      return Time(date: value.date, secondOfDay: nil, zone: nil)
    }
    return Time(date: value.date, secondOfDay: second, zone: try zone(of: line, value))
  }

  private func zone(of line: ContentLine, _ value: DateValue) throws(CalendarFlaw) -> Zone? {
    guard let identifier = value.isUTC ? "UTC" : line.parameter("TZID") else { return nil }
    if let zone = known(identifier) ?? names[identifier].flatMap(known) { return zone }
    throw CalendarFlaw(
      line,
      "has the zone \(NameRefusal.quoted(identifier)), which is not known; use a name such as "
        + "Europe/Berlin, or X-LIC-LOCATION in its VTIMEZONE")
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
