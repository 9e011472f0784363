import CivilTime

extension Situation {
  /// The time of day at which a `smart` reminder goes out on a date (rule M3). What is opened on
  /// the date itself does not count, so that its plan does not move while it is under way.
  func smartTime(on date: LocalDate, declared: LocalTime) -> SmartTime {
    let counts = facts.opens.counts(
      from: zone.instant(of: date - SmartTime.days, at: .midnight),
      to: zone.instant(of: date, at: .midnight), in: zone)
    let quietHours = settings.quietHours
    return SmartTime(counts, declared: declared) { time in
      quietHours.windowEnd(at: zone.instant(of: date, at: time), in: zone) != nil
    }
  }

  /// Whether a reminder's time of day follows the person's habits.
  func isSmart(_ reminder: Reminder) -> Bool {
    if case .calendar(let trigger) = reminder.trigger {
      trigger.isSmart.isOn(settings)
    } else {
      false
    }
  }

  /// How the time of day of an occurrence was chosen, in a sentence; nil where it is just declared.
  func timing(of reminder: Reminder, key: Int64) -> String? {
    guard case .calendar(let trigger) = reminder.trigger, trigger.isSmart.isOn(settings),
      case .one(let source) = trigger.times
    else { return nil }
    return smartTime(on: date(of: key, trigger), declared: source.time(settings)).words
  }
}
