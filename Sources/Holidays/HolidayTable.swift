internal import CivilTime

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
