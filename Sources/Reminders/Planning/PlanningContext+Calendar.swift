import CivilTime

extension PlanningContext {
  /// Returns the first occurrence after `cutoff`. Each local date has at most one occurrence for
  /// each time of day (rule T2).
  ///
  /// - Parameters:
  ///   - floor: the latest finished key, which the occurrence's key must exceed; nil for any key.
  ///   - pick: the latest picked time that has become due; nil if there is none.
  /// - Complexity: a zone look-up for each selected date that is skipped.
  func next(
    _ trigger: CalendarTrigger, on dates: RunningDates, after cutoff: Instant, beyond floor: Int64?,
    apartFrom pick: DuePick?
  ) -> Occurrence? {
    guard let first = dates.first else { return nil }
    guard case .one(let source) = trigger.times else {
      return nextOfSeveral(trigger, on: dates, after: cutoff, beyond: floor, apartFrom: pick)
    }
    let isSmart = trigger.isSmart.isOn(settings)
    let declared = source.time(settings)
    var date = max(first, firstDate(after: cutoff, beyond: floor))
    var bound = LoopBound("dates of a calendar")
    while bound.countStep(), !dates.isOver(date) {
      if dates.contains(date) {
        let time = isSmart ? smartTime(on: date, declared: declared).time : declared
        let planned = zone.instant(of: date, at: time)
        if planned > cutoff, isOnCalendar(date, planned) {
          return Occurrence(key: Int64(date.daysSinceEpoch), planned: planned)
        }
      }
      date = date + 1
    }
    return nil
  }

  /// Returns the local date of an occurrence.
  func date(of key: Int64, _ trigger: CalendarTrigger) -> LocalDate {
    guard case .one = trigger.times else {
      return LocalDate(daysSinceEpoch: Int(key / Self.minutesOfDay))
    }
    return LocalDate(daysSinceEpoch: Int(key))
  }

  /// Returns the planned instant of an occurrence, moved by the reminder's offset.
  func instant(of key: Int64, _ trigger: CalendarTrigger, by offset: Offset) -> Instant {
    let date = date(of: key, trigger)
    switch trigger.times {
    case .one(let source):
      let declared = source.time(settings)
      let isSmart = trigger.isSmart.isOn(settings)
      let time = isSmart ? smartTime(on: date, declared: declared).time : declared
      return offset.instant(of: date, at: time, in: zone)
    case .picked(let picked):
      let (picks, number) = (picks(picked, on: date), Int(key % Self.minutesOfDay))
      // A changed setting may leave a date with fewer times.
      let pick = picks.indices.contains(number) ? picks[number] : picks.last
      let start = zone.instant(of: date, at: picked.window(settings).start)
      return offset.instant(after: pick ?? start, in: zone)
    case .fixed, .setting, .spread:
      let time = LocalTime(minuteOfDay: Int(key % Self.minutesOfDay)) ?? .midnight
      return offset.instant(of: date, at: time, in: zone)
    }
  }

  /// - Parameter floor: the key of the latest finished date.
  private func firstDate(after cutoff: Instant, beyond floor: Int64?) -> LocalDate {
    var date = zone.date(at: cutoff)
    // The dates of two zones differ by at most two. A key further ahead belongs to another kind of
    // reminder that had the same name.
    let days = Int64(date.daysSinceEpoch)...Int64(date.daysSinceEpoch) + 2
    if let floor, days.contains(floor) { date = date + Int(floor - days.lowerBound + 1) }
    return date
  }

  /// Returns whether the date exists in the zone. A zone that moved across the date line has
  /// skipped a date, which has no reminder.
  private func isOnCalendar(_ date: LocalDate, _ planned: Instant) -> Bool {
    zone.date(at: planned) == date || zone.hasDate(date)
  }
}

// MARK: - Several times a day

extension PlanningContext {
  private static let minutesOfDay: Int64 = 1_440

  /// Returns the next occurrence of a trigger with several times a day. Each time occurs at most
  /// once on each date. Times that a change of clocks makes equal give one occurrence. A picked
  /// time is distinguished by its position on its date. So a changed setting adds no time beyond
  /// the wanted number.
  private func nextOfSeveral(
    _ trigger: CalendarTrigger, on dates: RunningDates, after cutoff: Instant, beyond floor: Int64?,
    apartFrom pick: DuePick?
  ) -> Occurrence? {
    let minutes = trigger.times.minutes(settings)
    guard trigger.times.hasTimes(settings), let start = dates.first else { return nil }
    var date = max(start, firstDate(after: cutoff, beyond: nil))
    let first = Int64(date.daysSinceEpoch) * Self.minutesOfDay
    let isMinuteKey = floor.map { (first..<first + 3 * Self.minutesOfDay).contains($0) } ?? false
    let floor = isMinuteKey ? floor ?? .min : .min
    var bound = LoopBound("dates of a calendar")
    while bound.countStep(), !dates.isOver(date) {
      let times = dates.contains(date) ? times(trigger, minutes, on: date, apartFrom: pick) : []
      for (number, planned) in times {
        let key = Int64(date.daysSinceEpoch) * Self.minutesOfDay + Int64(number)
        if key > floor, planned > cutoff, isOnCalendar(date, planned) {
          return Occurrence(key: key, planned: planned)
        }
      }
      date = date + 1
    }
    return nil
  }

  /// Returns the instants of a date's times, each with the number that ends its key.
  ///
  /// - Parameter minutes: the minutes of the times that are the same on each date.
  private func times(
    _ trigger: CalendarTrigger, _ minutes: [Int], on date: LocalDate, apartFrom pick: DuePick?
  ) -> [(number: Int, planned: Instant)] {
    if case .picked(let picked) = trigger.times {
      return picks(picked, on: date).enumerated()
        .filter { isApart($1, number: $0, on: date, picked, from: pick) }
        .map { ($0, $1) }
    }
    return minutes.map { ($0, zone.instant(of: date, at: LocalTime(minuteOfDay: $0) ?? .midnight)) }
  }

  /// Returns the instant from which events of `unless` count for an occurrence.
  ///
  /// - Parameter isSelected: returns whether the occurrence's run (its dates since one start) has a
  ///   date.
  func windowStart(
    of key: Int64, _ trigger: CalendarTrigger, _ terms: Terms, isSelected: (LocalDate) -> Bool
  ) -> Instant {
    let begin = terms.dayBegins.time(settings)
    let days = LocalDays(begin: begin, zone: zone)
    let date = date(of: key, trigger)
    switch trigger.times {
    case .one(let source):
      let declared = source.time(settings)
      // If days begin at midnight, every time of a date has the same window.
      let isSmart = begin != .midnight && trigger.isSmart.isOn(settings)
      let time = isSmart ? smartTime(on: date, declared: declared).time : declared
      return days.windowStart(of: date, time.minuteOfDay, times: { _ in [] })
    case .picked(let picked):
      let (picks, number) = (picks(picked, on: date), Int(key % Self.minutesOfDay))
      guard number < picks.count else { return zone.instant(of: date, at: .midnight) }
      let start = days.start(of: picks[number])
      guard number > 0 else { return start }
      let distance = picks[number] - picks[number - 1]
      return max(start, picks[number] - .milliseconds(Int(distance.milliseconds / 2)))
    case .fixed, .setting, .spread:
      let minutes = trigger.times.minutes(settings)
      return days.windowStart(of: date, Int(key % Self.minutesOfDay)) {
        $0 == date || isSelected($0) ? minutes : []
      }
    }
  }
}

extension PlanningContext {
  /// Returns the time of day of a `smart` reminder on a date (rule M3). Notifications opened on the
  /// date itself do not count, so that the plan for a date does not change during that date.
  func smartTime(on date: LocalDate, declared: LocalTime) -> SmartTime {
    let counts = facts.opens.counts(
      from: zone.instant(of: date - SmartTime.days, at: .midnight),
      to: zone.instant(of: date, at: .midnight), in: zone)
    let quietHours = settings.quietHours
    return SmartTime(counts, declared: declared) { time in
      quietHours.windowEnd(at: zone.instant(of: date, at: time), in: zone) != nil
    }
  }

  /// Returns whether a reminder's time of day follows the recipient's habits.
  func isSmart(_ reminder: Reminder) -> Bool {
    if case .calendar(let trigger) = reminder.trigger {
      trigger.isSmart.isOn(settings)
    } else {
      false
    }
  }

  /// Returns a sentence about the day in another calendar, and about the choice of the time of day
  /// or of the date. Returns nil if the reminder's dates and times are fixed and were not moved.
  func timing(of reminder: Reminder, key: Int64) -> String? {
    guard case .calendar(let trigger) = reminder.trigger else { return nil }
    let date = date(of: key, trigger)
    var clauses: [String] = []
    if case .other(let days) = trigger.days, let words = days.words(on: date) {
      clauses.append(words)
    }
    switch trigger.times {
    case .one(let source) where trigger.isSmart.isOn(settings):
      clauses.append(smartTime(on: date, declared: source.time(settings)).words)
      return clauses.joined(separator: "; ")
    case .picked(let picked):
      clauses.append(pickWords(picked, on: date, number: Int(key % Self.minutesOfDay)))
    case .one, .fixed, .setting, .spread: break
    }
    if let move = moveWords(of: reminder, key: key, trigger) { clauses.append(move) }
    return clauses.isEmpty ? nil : clauses.joined(separator: "; ")
  }
}
