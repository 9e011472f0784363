package import CivilTime

/// The hours in which a recipient does not want to be disturbed (rules P7, V3).
package struct QuietHours: Hashable, Sendable {
  package var isEnabled: Bool
  /// The start of the first window.
  package var start: LocalTime
  /// The end of the first window, which is on the next day if it is before `start`. If it equals
  /// `start`, there is no such window.
  package var end: LocalTime
  /// The days on which the first window starts, as bits of `Weekday.bit`.
  package var days: Int64
  /// Whether critical occurrences pass quiet hours (rule V3).
  package var allowsCritical: Bool
  /// The further windows (rule P9).
  package var others: [QuietWindow]

  package init(
    isEnabled: Bool, start: LocalTime, end: LocalTime, days: Int64 = 0b111_1111,
    allowsCritical: Bool = true, others: [QuietWindow] = []
  ) {
    self.others = others
    self.isEnabled = isEnabled
    self.start = start
    self.end = end
    self.days = days
    self.allowsCritical = allowsCritical
  }

  /// Returns the latest end of the windows that contain an instant; nil if no window contains it.
  package func windowEnd(at instant: Instant, in zone: Zone) -> Instant? {
    guard isEnabled else { return nil }
    let today = zone.date(at: instant)
    var latest = firstWindow?.interval(at: instant, on: today, in: zone)?.upperBound
    for window in others {
      guard let end = window.interval(at: instant, on: today, in: zone)?.upperBound else {
        continue
      }
      latest = max(latest ?? end, end)
    }
    return latest
  }

  /// Returns the earliest start of the windows that contain an instant; nil if no window contains
  /// it.
  func windowStart(at instant: Instant, in zone: Zone) -> Instant? {
    guard isEnabled else { return nil }
    let today = zone.date(at: instant)
    return windows.compactMap { $0.interval(at: instant, on: today, in: zone)?.lowerBound }.min()
  }

  /// Returns the first window that contains an instant, or else the window of `start` and `end`.
  /// Returns nil if quiet hours are off. Also returns nil if no window contains the instant, and
  /// the window of `start` and `end` has no length.
  func window(at instant: Instant, in zone: Zone) -> QuietWindow? {
    guard isEnabled else { return nil }
    let today = zone.date(at: instant)
    let current = windows.first { $0.interval(at: instant, on: today, in: zone) != nil }
    return current ?? firstWindow
  }

  /// Returns the quiet spans that overlap these dates, in ascending order. Overlapping windows are
  /// joined to one span.
  package func windows(
    from first: LocalDate, through last: LocalDate, in zone: Zone
  ) -> [Range<Instant>] {
    guard isEnabled, first <= last else { return [] }
    let midnight = zone.instant(of: first, at: .midnight)
    let spans = windows.flatMap { window in
      (-1...(last - first)).compactMap { window.interval(startingOn: first + $0, in: zone) }
    }
    var joinedSpans: [Range<Instant>] = []
    for span in spans.sorted(by: { $0.lowerBound < $1.lowerBound }) where span.upperBound > midnight
    {
      if let previous = joinedSpans.last, span.lowerBound < previous.upperBound {
        let end = max(previous.upperBound, span.upperBound)
        joinedSpans[joinedSpans.count - 1] = previous.lowerBound..<end
      } else {
        joinedSpans.append(span)
      }
    }
    return joinedSpans
  }

  /// Returns the start of the recipient's day on a date (rule V9). It is the latest end of a window
  /// that ends on the date between midnight and noon, or else the declared time. A date that the
  /// zone skipped has the start of the next date.
  package func dayStart(on day: LocalDate, declared: LocalTime, in zone: Zone) -> Instant {
    let date = zone.firstDate(from: day)
    let ends = isEnabled ? windows.compactMap { $0.morningEnd(on: date, in: zone) } : []
    return ends.max() ?? zone.instant(of: date, at: declared)
  }

  /// The window of `start`, `end` and `days`; nil if it has no length.
  private var firstWindow: QuietWindow? {
    guard start != end else { return nil }
    let minute = end.minuteOfDay
    return QuietWindow(start: start, endMinute: minute == 0 ? 1_440 : minute, days: days)
  }

  private var windows: [QuietWindow] { (firstWindow.map { [$0] } ?? []) + others }
}
