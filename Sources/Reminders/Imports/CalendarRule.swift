import CivilTime
import Holidays

/// An RRULE of a calendar, which becomes the rule of a plan. A plan's rule is in the local time of
/// its start (rule G16).
struct CalendarRule {
  private let line: ContentLine

  init(_ line: ContentLine) {
    self.line = line
  }

  /// Returns the rule of a plan that begins at `start` and has its doses at `clock`.
  func text(
    _ start: CalendarTimes.Time, at clock: LocalTime
  ) throws(CalendarFlaw) -> String {
    var parts = line.trimmedText.uppercased()
      .split(separator: ";", omittingEmptySubsequences: false).map(String.init)
    for (index, part) in parts.enumerated() where part.hasPrefix("UNTIL=") {
      guard let end = DateValue(Array(part.dropFirst("UNTIL=".count).utf8)[...]) else { continue }
      guard start.secondOfDay != nil || end.secondOfDay == nil else {
        throw CalendarFlaw(line, "has an UNTIL with a time, and DTSTART is a date; give a date")
      }
      guard end.isUTC else { continue }
      guard let zone = start.zone else {
        throw CalendarFlaw(
          line, "has an UNTIL in UTC, and DTSTART has no zone; give the UNTIL without Z")
      }
      parts[index] = "UNTIL=" + Self.lastDate(end, at: clock, in: zone).filter { $0 != "-" }
    }
    return parts.joined(separator: ";")
  }

  /// Returns the last date whose dose is not after an instant.
  private static func lastDate(
    _ end: DateValue, at clock: LocalTime, in zone: Zone
  ) -> String {
    let seconds = Int64(end.date.daysSinceEpoch) * 86_400 + Int64(end.secondOfDay ?? 0)
    let instant = Instant(milliseconds: seconds * 1_000)
    let date = zone.date(at: instant)
    let last = zone.instant(of: date, at: clock) <= instant ? date : date - 1
    // In a zone ahead of UTC, the end of the year 9999 is in the next one, which has five digits.
    return "\(min(last, end.date + (end.date.year < 9_999 ? 1 : 0)))"
  }
}
