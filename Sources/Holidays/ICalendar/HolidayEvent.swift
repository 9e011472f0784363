internal import CivilTime

/// A parsed VEVENT, not yet expanded to dates.
struct HolidayEvent {
  /// The number of the event's first line in the file.
  let line: Int
  let name: String
  /// The UID by which replacement events refer to this event; nil if this event has none, or is
  /// itself a replacement.
  let series: String?
  /// The start of the first repetition (DTSTART).
  let start: DateValue
  /// The number of dates of each repetition, 1...366.
  let length: Int
  /// The rule by which the event repeats; nil without an RRULE.
  let rule: YearlyRule?
  /// The start dates of further repetitions (RDATE).
  let additionalDates: [LocalDate]
  /// The dates on which no repetition begins (EXDATE).
  let excludedDates: Set<LocalDate>
  /// The regions in which the dates are holidays; nil for all regions of the calendar.
  let regions: [RegionCode]?

  /// The years in which dates are computed.
  static let years = 2000...2100
  /// The number of years in which a rule's first date is searched for. In 40 years, each date of
  /// the year falls on each weekday at least once.
  private static let yearsSearched = 40

  /// Returns all dates of the event in ``years``, sorted.
  ///
  /// - Parameter replaced: the dates that replacement events replace; no repetition of this event
  ///   begins on them.
  /// - Parameter allowance: the number of years and dates that may still be computed.
  func dates(
    without replaced: Set<LocalDate>, allowance: inout Int
  ) throws(HolidaySyntaxError) -> [LocalDate] {
    let ruleDates = try rule.map { rule throws(HolidaySyntaxError) in
      try regularDates(rule, allowance: &allowance)
    }
    let omittedDates = replaced.isEmpty ? excludedDates : excludedDates.union(replaced)
    var starts = (ruleDates ?? [start.date]) + additionalDates
    if !omittedDates.isEmpty { starts.removeAll(where: omittedDates.contains) }
    try Self.spend(starts.count * length * (regions?.count ?? 1), of: &allowance)
    let coveredDates = starts.flatMap { start in (0..<length).map { start + $0 } }
    return coveredDates.filter { Self.years.contains($0.year) }.sortedWithoutRepetition()
  }

  /// Returns the start dates that the rule gives.
  private func regularDates(
    _ rule: YearlyRule, allowance: inout Int
  ) throws(HolidaySyntaxError) -> [LocalDate] {
    guard start.date.year <= Self.years.upperBound else { return [] }
    try checkStart(of: rule)
    var dates: [LocalDate] = []
    var year = firstYear(of: rule)
    while year <= Self.years.upperBound {
      let candidates = rule.dates(in: year, start: start.date).filter { $0 >= start.date }
      try Self.spend(candidates.count + 1, of: &allowance)
      for date in candidates {
        guard try rule.reaches(date, from: start), dates.count < rule.count ?? .max else {
          return dates
        }
        dates.append(date)
      }
      year += rule.interval
    }
    return dates
  }

  /// Returns the first year in which the rule applies, at the earliest one year before ``years``. A
  /// long event may begin in December of that earlier year. A rule with COUNT is computed from its
  /// start.
  private func firstYear(of rule: YearlyRule) -> Int {
    let first = start.date.year
    let skippedYears = Self.years.lowerBound - 1 - first
    guard rule.count == nil, skippedYears > 0 else { return first }
    return first + (skippedYears + rule.interval - 1) / rule.interval * rule.interval
  }

  /// Throws if DTSTART is not the rule's first date: RFC 5545 leaves such rules undefined, and
  /// programs differ.
  private func checkStart(of rule: YearlyRule) throws(HolidaySyntaxError) {
    let years = stride(from: start.date.year, through: Self.years.upperBound, by: rule.interval)
    let first = years.prefix(Self.yearsSearched).lazy.compactMap { year in
      rule.dates(in: year, start: start.date).first { $0 >= start.date }
    }.first
    guard let first else {
      throw HolidaySyntaxError(
        "the RRULE has no date for a long time after DTSTART; correct one of them")
    }
    guard first == start.date else {
      throw HolidaySyntaxError(
        "DTSTART is not a date of the RRULE; set DTSTART to \(first), the RRULE's first date "
          + "after it")
    }
    guard try rule.reaches(first, from: start) else {
      throw HolidaySyntaxError("the RRULE ends before DTSTART; correct its UNTIL")
    }
  }

  /// Subtracts an amount from the allowance; throws if too little is left. The allowance limits the
  /// time and memory that a small file can consume.
  private static func spend(_ amount: Int, of allowance: inout Int) throws(HolidaySyntaxError) {
    allowance -= amount
    guard allowance >= 0 else {
      throw HolidaySyntaxError(
        "the file has too many dates up to this event; end the RRULEs, or split the file")
    }
  }
}

extension YearlyRule {
  /// Returns whether the rule still applies on `date`.
  fileprivate func reaches(_ date: LocalDate, from start: DateValue) throws(HolidaySyntaxError)
    -> Bool
  {
    guard let until else { return true }
    guard until.secondOfDay != nil, start.secondOfDay != nil || until.isUTC else {
      return date <= until.date
    }
    let seconds = Int(date.daysSinceEpoch) * 86_400 + (start.secondOfDay ?? 0)
    guard until.isUTC, !start.isUTC else { return seconds <= until.seconds }
    // The zone is unknown here: local time is between 12 hours behind UTC and 14 hours ahead.
    if seconds + 12 * 3_600 <= until.seconds { return true }
    if seconds - 14 * 3_600 > until.seconds { return false }
    throw HolidaySyntaxError(
      "the RRULE's UNTIL is a time in UTC; whether \(date) is earlier depends on the time zone; "
        + "give the last date itself, as in UNTIL=20351231")
  }
}
