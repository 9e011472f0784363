import CivilTime

/// Moves dates that are days of rest to working days, for one reminder of a recipient (rule G14).
struct RestMoves: Sendable {
  /// The maximum number of consecutive days of rest whose occurrences are moved. The occurrences of
  /// a longer row stay, and the calendar gate drops them.
  private static let restMax = 31
  /// The maximum number of days by which an occurrence is moved.
  static let distanceMax = restMax

  /// The working day to which a day of rest is moved.
  let move: RestMove
  /// Whether a date is a day of rest, or a date that the zone skipped.
  let isRest: @Sendable (LocalDate) -> Bool

  /// Returns the dates whose occurrences are sent on a date: the date itself, and the days of rest
  /// that are moved to it. Returns no dates for a day of rest that is moved.
  func sources(of date: LocalDate) -> [LocalDate] {
    let (later, earlier) = (restLength(from: date, by: 1), restLength(from: date, by: -1))
    guard !isRest(date) else { return later + earlier >= Self.restMax ? [date] : [] }
    return [date] + movedDistances(later, forward: false).map { date + $0 }
      + movedDistances(earlier, forward: true).map { date - $0 }
  }

  /// Returns the days of rest that are moved to the working day beside them, as distances in days
  /// from that working day.
  ///
  /// - Parameters:
  ///   - length: the number of consecutive days of rest.
  ///   - forward: whether the working day follows the days of rest.
  private func movedDistances(_ length: Int, forward: Bool) -> [Int] {
    guard length > 0, length <= Self.restMax else { return [] }
    return (1...length).filter { distance in
      switch move {
      case .before: !forward
      case .after: forward
      // Of two working days at the same distance, a day of rest is moved to the earlier one.
      case .nearest: forward ? 2 * distance < length + 1 : 2 * distance <= length + 1
      }
    }
  }

  /// Returns the number of consecutive days of rest beside a date, at most `restMax` + 1.
  ///
  /// - Parameter step: 1 for the days after the date, -1 for the days before it.
  private func restLength(from date: LocalDate, by step: Int) -> Int {
    (1...Self.restMax + 1).first { !isRest(date + $0 * step) }.map { $0 - 1 } ?? Self.restMax + 1
  }
}

extension PlanningContext {
  /// Returns the moves of a calendar reminder's dates; nil if the reminder has no days of rest.
  /// Returns nil also if the calendar gate drops the occurrences on these days instead.
  func restMoves(of reminder: Reminder) -> RestMoves? {
    guard let move = reminder.calendar?.move else { return nil }
    let urgency = reminder.urgency ?? catalog.categories[reminder.category].urgency
    guard let isRest = restRule(reminder, urgency) else { return nil }
    let zone = zone
    return RestMoves(move: move) { isRest($0) || !zone.hasDate($0) }
  }

  /// Returns a clause about the days of rest from which an occurrence was moved; nil if the
  /// occurrence was not moved.
  func moveWords(of reminder: Reminder, key: Int64, _ trigger: CalendarTrigger) -> String? {
    let dates = dates(trigger, of: reminder)
    let date = date(of: key, trigger)
    guard let move = dates.moves?.move else { return nil }
    let sources = dates.selectedSources(of: date)
    guard !sources.isEmpty, !sources.contains(date) else { return nil }
    let from = sources.map { "\($0)" }.joined(separator: ", ")
    return "moved from \(from) to \(move.words)"
  }
}
