package import CivilTime

/// The distance from the instant of a trigger to its occurrence: a number of local dates, then an
/// elapsed time (rule T3).
package struct Offset: Hashable, Sendable {
  /// The number of local dates. The time of day stays the same.
  package var days = 0
  /// The elapsed time after the time of day on the last of these dates.
  package var span = TimeSpan.zero

  package init(days: Int = 0, span: TimeSpan = .zero) {
    (self.days, self.span) = (days, span)
  }

  package static let zero = Offset()

  /// The maximum change of clocks within an offset.
  private static let clockChangeMax = TimeSpan.hours(3)

  /// Returns the instant that lies this offset after a local date and time. The time of day stays
  /// the same, even if the clocks skipped it on the first date. A resulting date that the zone
  /// skipped becomes the next one (rule T2).
  func instant(of date: LocalDate, at time: LocalTime, in zone: Zone) -> Instant {
    zone.instant(of: days == 0 ? date : zone.firstDate(from: date + days), at: time) + span
  }

  /// Returns the instant that lies this offset after another instant.
  func instant(after base: Instant, in zone: Zone) -> Instant {
    guard days != 0 else { return base + span }
    let local = zone.local(at: base)
    let date = zone.firstDate(from: local.date + days)
    return zone.instant(of: LocalDateTime(date: date, secondOfDay: local.secondOfDay)) + span
      + .milliseconds(Int(base.milliseconds % 1_000))
  }

  /// Returns a lower bound of trigger instants: each trigger whose occurrence is after `cutoff` is
  /// after this bound. With dates, a trigger after the bound may have an occurrence up to three
  /// hours before `cutoff`.
  func earliestBase(after cutoff: Instant, in zone: Zone) -> Instant {
    guard days != 0 else { return cutoff - span }
    let local = zone.local(at: cutoff - span)
    var date = local.date
    while !zone.hasDate(date - 1) { date = date - 1 }
    let start = LocalDateTime(date: date - days, secondOfDay: local.secondOfDay)
    return zone.instant(of: start) - Self.clockChangeMax
  }

  /// The length of the offset if no clock changes.
  package var length: TimeSpan { .days(days) + span }

  static func + (left: Offset, right: Offset) -> Offset {
    Offset(days: left.days + right.days, span: left.span + right.span)
  }

  static func * (offset: Offset, factor: Int) -> Offset {
    Offset(days: offset.days * factor, span: offset.span * factor)
  }
}
