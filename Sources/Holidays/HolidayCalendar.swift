package import CivilTime

/// The public holidays of one region, with their names, and its weekend.
package struct HolidayCalendar: Sendable {
  /// The region's code, such as "DE-BY"; nil for days that are free in all regions.
  package let region: String?
  /// The years with known holidays: in other years an unlisted date may be a holiday. Nil if no
  /// file declares them.
  package let coveredYears: ClosedRange<Int>?
  /// The days of the week on which most people in the region do not work.
  package let weekend: Set<Weekday>
  /// The holidays of this region alone.
  private let regional: HolidayTable
  /// The holidays of all regions.
  private let everywhere: HolidayTable

  package static let usualWeekend: Set<Weekday> = [.saturday, .sunday]

  init(
    region: String?, coveredYears: ClosedRange<Int>?, weekend: Set<Weekday> = Self.usualWeekend,
    regional: HolidayTable, everywhere: HolidayTable
  ) {
    self.region = region
    self.coveredYears = coveredYears
    self.weekend = weekend
    self.regional = regional
    self.everywhere = everywhere
  }

  /// Creates a calendar from a list of holidays.
  ///
  /// - Parameter holidays: in any order; names and dates may repeat.
  package init(
    region: String?, coveredYears: ClosedRange<Int>?,
    weekend: Set<Weekday> = HolidayCalendar.usualWeekend,
    holidays: [(name: String, dates: [LocalDate])]
  ) {
    self.init(
      region: region, coveredYears: coveredYears, weekend: weekend,
      regional: HolidayTable(holidays), everywhere: HolidayTable([]))
  }

  /// Returns whether the date is a holiday. Takes about 20 ns.
  package func contains(_ date: LocalDate) -> Bool {
    regional.contains(date) || everywhere.contains(date)
  }

  /// Returns the name of the holiday, such as "Good Friday", or "Easter Sunday; May Day" for two
  /// holidays; nil if the date is no holiday.
  package func name(of date: LocalDate) -> String? {
    let names = Set(regional.names(of: date) + everywhere.names(of: date))
    return names.isEmpty ? nil : names.sorted().joined(separator: "; ")
  }

  /// Returns whether the date is listed or its year is covered. Only then is it known whether the
  /// date is a holiday.
  package func isKnown(_ date: LocalDate) -> Bool {
    coveredYears?.contains(date.year) ?? false || contains(date)
  }

  /// All holidays, sorted and unique.
  package var dates: [LocalDate] {
    (regional.dates + everywhere.dates).sortedWithoutRepetition()
  }
}

/// Dates with names, sorted for searching.
struct HolidayTable: Sendable {
  /// A date with the index of its name.
  private struct Day {
    let date: LocalDate
    let name: Int32

    var sortKey: (Int32, Int32) { (date.daysSinceEpoch, name) }
  }

  /// The days, sorted. A date with several names occurs several times.
  private let days: [Day]
  private let names: [String]

  /// Creates a table of holidays in any order; names and dates may repeat.
  init(_ holidays: [(name: String, dates: [LocalDate])]) {
    names = holidays.map(\.name)
    var days: [Day] = []
    days.reserveCapacity(holidays.reduce(0) { $0 + $1.dates.count })
    for (index, holiday) in holidays.enumerated() {
      for date in holiday.dates { days.append(Day(date: date, name: Int32(index))) }
    }
    days.sort { $0.sortKey < $1.sortKey }
    self.days = days
  }

  func contains(_ date: LocalDate) -> Bool {
    let index = index(of: date)
    return index < days.count && days[index].date == date
  }

  func names(of date: LocalDate) -> [String] {
    days[index(of: date)...].prefix { $0.date == date }.map { names[Int($0.name)] }
  }

  /// The dates, sorted and unique.
  var dates: [LocalDate] { days.map(\.date).sortedWithoutRepetition() }

  /// Returns the index of the first day that is not before `date`.
  private func index(of date: LocalDate) -> Int {
    var low = 0
    var high = days.count
    while low < high {
      let middle = (low + high) / 2
      if days[middle].date < date { low = middle + 1 } else { high = middle }
    }
    return low
  }
}

extension [LocalDate] {
  /// Returns the dates, sorted and without repetition. Fast if they are already sorted and unique.
  func sortedWithoutRepetition() -> [LocalDate] {
    if zip(self, dropFirst()).allSatisfy({ $0 < $1 }) { return self }
    return sorted().reduce(into: []) { dates, date in
      if dates.last != date { dates.append(date) }
    }
  }
}
