package import CivilTime

/// The hours in which a recipient does not want to be disturbed (rules P7, V3).
package struct QuietHours: Hashable, Sendable {
  package var isEnabled: Bool
  package var start: LocalTime
  /// The end of a window, which is on the next day if it is before `start`. It never equals
  /// `start`.
  package var end: LocalTime
  /// The days on which a window starts, as bits of `Weekday.bit`.
  package var days: Int64
  package var allowsCritical: Bool

  package init(
    isEnabled: Bool, start: LocalTime, end: LocalTime, days: Int64 = 0b111_1111,
    allowsCritical: Bool = true
  ) {
    self.isEnabled = isEnabled
    self.start = start
    self.end = end
    self.days = days
    self.allowsCritical = allowsCritical
  }

  /// Returns the end of the window that contains an instant; nil if no window does.
  ///
  /// A window is [start, end) between two instants, each computed by rule T2. So on the day of a
  /// clock change, the window's length follows the local clock. A window that contains the instant
  /// starts on the instant's local date or the previous date. If clocks are set back over midnight,
  /// it may also start on the next date.
  package func windowEnd(at instant: Instant, in zone: Zone) -> Instant? {
    guard isEnabled, start != end else { return nil }
    let today = zone.date(at: instant)
    let end =
      windowEnd(startingOn: today - 1, at: instant, in: zone)
      ?? windowEnd(startingOn: today, at: instant, in: zone)
    guard end == nil, start.minuteOfDay < Self.longestFold else { return end }
    return windowEnd(startingOn: today + 1, at: instant, in: zone)
  }

  /// Returns the windows that overlap the given dates, in ascending order.
  package func windows(
    from first: LocalDate, through last: LocalDate, in zone: Zone
  ) -> [Range<Instant>] {
    guard isEnabled, start != end, first <= last else { return [] }
    let dates = (-1...(last - first)).map { first + $0 }
    return dates.filter { days & $0.weekday.bit != 0 }.compactMap { date in
      let begin = zone.instant(of: date, at: start)
      let finish = zone.instant(of: start < end ? date : date + 1, at: end)
      let overlaps = finish > zone.instant(of: first, at: .midnight)
      return begin < finish && overlaps ? begin..<finish : nil
    }
  }

  /// Returns the start of the recipient's day on a date (rule V9). It is the end of the window that
  /// ends on the date between midnight and noon, or else the declared time. A date that the zone
  /// skipped has the start of the next date.
  package func dayStart(on day: LocalDate, declared: LocalTime, in zone: Zone) -> Instant {
    let date = zone.firstDate(from: day)
    let isMorning = (1..<720).contains(end.minuteOfDay) && start != end
    let first = start < end ? date : date - 1
    guard isEnabled, isMorning, days & first.weekday.bit != 0 else {
      return zone.instant(of: date, at: declared)
    }
    return zone.instant(of: date, at: end)
  }

  /// Returns the start of the window that contains an instant; nil if no window does.
  func windowStart(at instant: Instant, in zone: Zone) -> Instant? {
    let today = zone.date(at: instant)
    return [today - 1, today, today + 1].first {
      windowEnd(startingOn: $0, at: instant, in: zone) != nil
    }.map { zone.instant(of: $0, at: start) }
  }

  /// The maximum span by which clocks are set back, in minutes.
  private static let longestFold = 180

  private func windowEnd(
    startingOn date: LocalDate, at instant: Instant, in zone: Zone
  ) -> Instant? {
    guard days & date.weekday.bit != 0 else { return nil }
    guard zone.instant(of: date, at: start) <= instant else { return nil }
    let end = zone.instant(of: start < end ? date : date + 1, at: end)
    return instant < end ? end : nil
  }
}
