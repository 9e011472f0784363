import CivilTime

/// E-mail of a person who reads it once a day or once a week: it waits for a collection, while the
/// other channels of the same occurrence go out at their time.
extension Situation {
  /// Whether a reminder's e-mail waits. What matters more than usual does not.
  func isCollected(_ reminder: Reminder) -> Bool {
    guard settings[.emailFrequency] != 0 else { return false }
    return reminder.urgency ?? catalog.categories[reminder.category].urgency < .high
  }

  /// When e-mail planned at an instant is collected: at the person's time on the same local date or
  /// the next, or on their day of the week; nil for whoever reads it at once.
  func collection(after planned: Instant) -> Instant? {
    let frequency = settings[.emailFrequency]
    guard frequency != 0 else { return nil }
    let time = settings.time(BuiltInSetting.emailTime.rawValue)
    let day = 1 << (settings[.emailDay] & 7)
    let today = zone.date(at: planned)
    // A weekday comes again within a week, and on today's the time may be over.
    for date in (0...8).map({ today + $0 }) where frequency == 1 || date.weekday.bit == day {
      let instant = zone.instant(of: date, at: time)
      if instant >= planned { return instant }
    }
    return nil
  }

  /// The last instant at which what is under way may still go out. Who reads e-mail once a week
  /// chose to read of things late: what is collected expires as long after its collection as others
  /// do after their instant.
  func expiry(of entry: Progress.UnderWay, _ reminder: Reminder) -> Instant {
    let collection = entry.track == .collected ? collection(after: entry.planned) : nil
    let expiry = (collection ?? entry.planned) + expires(reminder, key: entry.key) + entry.stood
    return entry.deadline.map { min(expiry, $0 - .milliseconds(1)) } ?? expiry
  }
}
