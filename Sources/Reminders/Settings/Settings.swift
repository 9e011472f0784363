package import CivilTime

/// A recipient's effective settings: the defaults with the recipient's changes.
///
/// A category is on if master, channel and category are on (rule P2). Each switch keeps its own
/// value, so switching one on restores those below it.
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

  /// The last local date of the vacation (rule V4); nil without a vacation. A date that never comes
  /// if the vacation has no end.
  package var vacationUntil: LocalDate? {
    guard isOn(.vacationMode) else { return nil }
    guard self[.vacationUntil] != SettingKind.unset else { return Self.never }
    return LocalDate(daysSinceEpoch: Int(clamping: self[.vacationUntil]))
  }

  /// About 8,000 years ahead, within the range of `Instant`.
  private static let never = LocalDate(daysSinceEpoch: 2_900_000)

  /// Returns the start of the recipient's day on a date (rule V9).
  func dayStart(on date: LocalDate, in zone: Zone) -> Instant {
    quietHours.dayStart(
      on: date, declared: time(BuiltInSetting.dayStart.rawValue), in: zone)
  }

  /// Whether deliveries are limited by a cap or a minimum interval (rule V5).
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

/// The hours in which a recipient does not want to be disturbed (rules P7, V3).
package struct QuietHours: Hashable, Sendable {
  package var isEnabled: Bool
  package var start: LocalTime
  /// On the next day if it is before `start`. Never equal to `start`.
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

  /// Returns the end of the window that contains an instant; nil if none does.
  ///
  /// A window is [start, end) between two instants, each computed by rule T2. So on the day of a
  /// clock change its length follows the local clock. A window that contains the instant starts on
  /// its local date or the previous one; if clocks are set back over midnight, also on the next
  /// one.
  package func windowEnd(at instant: Instant, in zone: Zone) -> Instant? {
    guard isEnabled, start != end else { return nil }
    let today = zone.date(at: instant)
    let end =
      windowEnd(startingOn: today - 1, at: instant, in: zone)
      ?? windowEnd(startingOn: today, at: instant, in: zone)
    guard end == nil, start.minuteOfDay < Self.longestFold else { return end }
    return windowEnd(startingOn: today + 1, at: instant, in: zone)
  }

  /// Returns the windows that overlap some dates, in ascending order.
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

  /// Returns the start of the recipient's day on a date: the end of the window that ends on it
  /// between midnight and noon, else the declared time (rule V9). A date that the zone skipped has
  /// the start of the next date.
  package func dayStart(on day: LocalDate, declared: LocalTime, in zone: Zone) -> Instant {
    let date = zone.firstDate(from: day)
    let isMorning = (1..<720).contains(end.minuteOfDay) && start != end
    let first = start < end ? date : date - 1
    guard isEnabled, isMorning, days & first.weekday.bit != 0 else {
      return zone.instant(of: date, at: declared)
    }
    return zone.instant(of: date, at: end)
  }

  /// Returns the start of the window that contains an instant; nil if none does.
  func windowStart(at instant: Instant, in zone: Zone) -> Instant? {
    let today = zone.date(at: instant)
    return [today - 1, today, today + 1].first {
      windowEnd(startingOn: $0, at: instant, in: zone) != nil
    }.map { zone.instant(of: $0, at: start) }
  }

  /// The maximum number of minutes by which clocks are set back.
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
