package import CivilTime

/// The public holidays of one region, with their names, and its weekend.
package struct HolidayCalendar: Sendable {
  /// The region's code, such as "DE-BY"; nil for days that are free everywhere.
  package let region: String?
  /// The years whose holidays are known: in others a date that is not listed may be one. Nil if
  /// nobody told.
  package let coveredYears: ClosedRange<Int>?
  /// The days of the week on which most people there do not work.
  package let weekend: Set<Weekday>
  private let own: HolidayTable
  /// Shared by all regions.
  private let everywhere: HolidayTable

  package static let usualWeekend: Set<Weekday> = [.saturday, .sunday]

  init(
    region: String?, coveredYears: ClosedRange<Int>?, weekend: Set<Weekday> = Self.usualWeekend,
    own: HolidayTable, everywhere: HolidayTable
  ) {
    self.region = region
    self.coveredYears = coveredYears
    self.weekend = weekend
    self.own = own
    self.everywhere = everywhere
  }

  /// A calendar of one's own making.
  ///
  /// - Parameter holidays: in any order; a name or a date may be there several times.
  package init(
    region: String?, coveredYears: ClosedRange<Int>?,
    weekend: Set<Weekday> = HolidayCalendar.usualWeekend,
    holidays: [(name: String, dates: [LocalDate])]
  ) {
    self.init(
      region: region, coveredYears: coveredYears, weekend: weekend, own: HolidayTable(holidays),
      everywhere: HolidayTable([]))
  }

  /// Whether the date is a holiday; some 20 ns.
  package func contains(_ date: LocalDate) -> Bool {
    own.contains(date) || everywhere.contains(date)
  }

  /// What the date is called, as in "Good Friday" or, if it is two holidays, "Easter Sunday; May
  /// Day"; nil if it is none.
  package func name(of date: LocalDate) -> String? {
    let names = Set(own.names(of: date) + everywhere.names(of: date))
    return names.isEmpty ? nil : names.sorted().joined(separator: "; ")
  }

  /// Whether it is known of the date if it is a holiday: it is listed, or its year is covered.
  package func knows(_ date: LocalDate) -> Bool {
    coveredYears?.contains(date.year) ?? false || contains(date)
  }

  /// All holidays, in order, each once.
  package var dates: [LocalDate] {
    (own.dates + everywhere.dates).sortedWithoutRepetition()
  }
}

/// Dates with names, made to be searched.
struct HolidayTable: Sendable {
  /// A date with the place of its name.
  private struct Day {
    let date: LocalDate
    let name: Int32

    var order: (Int32, Int32) { (date.daysSinceEpoch, name) }
  }

  /// In order; a date of several names is there several times.
  private let days: [Day]
  private let names: [String]

  /// From holidays in any order; a name or a date may be there several times.
  init(_ holidays: [(name: String, dates: [LocalDate])]) {
    names = holidays.map(\.name)
    var days: [Day] = []
    days.reserveCapacity(holidays.reduce(0) { $0 + $1.dates.count })
    for (place, holiday) in holidays.enumerated() {
      for date in holiday.dates { days.append(Day(date: date, name: Int32(place))) }
    }
    days.sort { $0.order < $1.order }
    self.days = days
  }

  func contains(_ date: LocalDate) -> Bool {
    let place = place(of: date)
    return place < days.count && days[place].date == date
  }

  func names(of date: LocalDate) -> [String] {
    days[place(of: date)...].prefix { $0.date == date }.map { names[Int($0.name)] }
  }

  /// In order, each once.
  var dates: [LocalDate] { days.map(\.date).sortedWithoutRepetition() }

  /// The first place whose date is not before `date`.
  private func place(of date: LocalDate) -> Int {
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
  /// In order, each once; fast where they are so already.
  func sortedWithoutRepetition() -> [LocalDate] {
    if zip(self, dropFirst()).allSatisfy({ $0 < $1 }) { return self }
    return sorted().reduce(into: []) { dates, date in
      if dates.last != date { dates.append(date) }
    }
  }
}
