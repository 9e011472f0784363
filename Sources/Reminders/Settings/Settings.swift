package import CivilTime

/// A recipient's effective settings: the defaults with what they changed on top.
///
/// Effective is master AND channel AND category (rule P2); each bit is kept as it was written, so
/// switching one back on restores what was under it.
package struct Settings: Sendable {
  private var values: [Int64]

  package init(schema: SettingsSchema, registers: [Facts.SettingRegister]) {
    values = schema.initialValues
    for register in registers {
      if let index = schema.index(of: register.path) { values[index] = register.value }
    }
  }

  package subscript(index: Int) -> Int64 {
    get { values[index] }
    set { values[index] = newValue }
  }

  package subscript(setting: BuiltInSetting) -> Int64 {
    values[setting.rawValue]
  }

  package func isOn(_ index: Int) -> Bool { values[index] != 0 }
  package func isOn(_ setting: BuiltInSetting) -> Bool { self[setting] != 0 }

  package func time(_ index: Int) -> LocalTime {
    LocalTime(minuteOfDay: Int(values[index])) ?? .midnight
  }

  /// The last local date of the vacation, if there is one (rule V4); a date that never comes where
  /// the person has not said how long it lasts.
  package var vacationUntil: LocalDate? {
    guard isOn(.vacationMode) else { return nil }
    guard self[.vacationUntil] != SettingKind.unset else { return Self.never }
    return LocalDate(daysSinceEpoch: Int(clamping: self[.vacationUntil]))
  }

  /// Some 8,000 years on, well within what an instant can tell.
  private static let never = LocalDate(daysSinceEpoch: 2_900_000)

  /// When the person's day starts on a date (rule V9).
  func dayStart(on date: LocalDate, in zone: Zone) -> Instant {
    quietHours.dayStart(
      on: date, declared: time(BuiltInSetting.dayStart.rawValue), in: zone)
  }

  /// Whether deliveries are limited at all (rule V5).
  var hasSlots: Bool { capPerDay != nil || minimumInterval != nil }

  package var capPerDay: Int? {
    self[.capPerDay] == SettingKind.unset ? nil : Int(clamping: self[.capPerDay])
  }

  package var minimumInterval: TimeSpan? {
    let span = self[.minimumInterval]
    return span == SettingKind.unset || span == 0 ? nil : TimeSpan(milliseconds: span)
  }

  package var quietHours: QuietHours {
    QuietHours(
      isEnabled: isOn(.quietEnabled),
      start: time(BuiltInSetting.quietStart.rawValue),
      end: time(BuiltInSetting.quietEnd.rawValue),
      days: self[.quietDays],
      allowsCritical: isOn(.quietAllowCritical))
  }
}

/// The hours in which a person does not want to be disturbed (rules P7, V3).
package struct QuietHours: Hashable, Sendable {
  package var isEnabled: Bool
  package var start: LocalTime
  /// Before `start`, it is on the next day; never equal to it.
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

  /// The end of the window in which an instant falls, or nil outside of them all.
  ///
  /// A window is [start, end) between two instants, each found by rule T2, so a window of a short
  /// or a long day has the length that the clock on the wall gives it. Only the windows that start
  /// on the local date or on the one before can hold the instant; the next date's can where clocks
  /// are set back over midnight.
  package func windowEnd(at instant: Instant, in zone: Zone) -> Instant? {
    guard isEnabled, start != end else { return nil }
    let today = zone.date(at: instant)
    let end =
      windowEnd(startingOn: today - 1, at: instant, in: zone)
      ?? windowEnd(startingOn: today, at: instant, in: zone)
    guard end == nil, start.minuteOfDay < Self.longestFold else { return end }
    return windowEnd(startingOn: today + 1, at: instant, in: zone)
  }

  /// The windows of which a part falls on some dates, the earliest first.
  package func windows(
    from first: LocalDate, through last: LocalDate, in zone: Zone
  ) -> [Range<Instant>] {
    guard isEnabled, start != end, first <= last else { return [] }
    let dates = (-1...(last - first)).map { first + $0 }
    return dates.filter { days & $0.weekday.bit != 0 }.compactMap { date in
      let begin = zone.instant(of: date, at: start)
      let finish = zone.instant(of: start < end ? date : date + 1, at: end)
      let isSeen = finish > zone.instant(of: first, at: .midnight)
      return begin < finish && isSeen ? begin..<finish : nil
    }
  }

  /// The start of the person's day on a date: the end of the window that ends on it after midnight
  /// and before noon, else the declared time (rule V9). A date that the zone skipped has the start
  /// of the next date.
  package func dayStart(on day: LocalDate, declared: LocalTime, in zone: Zone) -> Instant {
    let date = zone.firstDate(from: day)
    let isMorning = (1..<720).contains(end.minuteOfDay) && start != end
    let first = start < end ? date : date - 1
    guard isEnabled, isMorning, days & first.weekday.bit != 0 else {
      return zone.instant(of: date, at: declared)
    }
    return zone.instant(of: date, at: end)
  }

  /// The start of the window in which an instant falls, or nil outside of them all.
  func windowStart(at instant: Instant, in zone: Zone) -> Instant? {
    let today = zone.date(at: instant)
    return [today - 1, today, today + 1].first {
      windowEnd(startingOn: $0, at: instant, in: zone) != nil
    }.map { zone.instant(of: $0, at: start) }
  }

  /// No clock is set back by more than this, in minutes.
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
