package import CivilTime

extension HolidayCalendar {
  /// Returns the last year with known holidays, if that year has ended or ends within a year after
  /// the date. In every later year, holidays would silently count as working days.
  package func lastYear(endingWithinAYearAfter date: LocalDate) -> Int? {
    guard let last = coveredYears?.upperBound else { return nil }
    return last <= date.year ? last : nil
  }

  /// Returns the warning for operators that the known holidays end soon; nil if they end later.
  package func endWarning(at date: LocalDate) -> String? {
    guard let region, let last = lastYear(endingWithinAYearAfter: date) else { return nil }
    return HolidayDatabase.warning(of: [region], through: last)
  }
}

extension HolidayDatabase {
  /// The maximum number of regions that a warning lists by name.
  private static let listedMax = 5

  /// Returns the warnings about regions whose known holidays end within a year after the date. Each
  /// warning is about one last year, and names the regions whose holidays are known through it.
  ///
  /// - Parameter usedRegions: the regions in use; nil for all known ones.
  package func endWarnings(at date: LocalDate, of usedRegions: Set<String>? = nil) -> [String] {
    var regionsByYear: [Int: [String]] = [:]
    for region in regions where usedRegions?.contains(region) ?? true {
      let last = (try? calendar(of: region))?.lastYear(endingWithinAYearAfter: date)
      if let last { regionsByYear[last, default: []].append(region) }
    }
    return regionsByYear.sorted { $0.key < $1.key }.map {
      Self.warning(of: $0.value, through: $0.key)
    }
  }

  /// Returns the first date on which the holidays of one of these regions are unknown; nil if no
  /// file declares such an end.
  package func firstUnknownDate(of usedRegions: Set<String>) -> LocalDate? {
    let years = regions.filter(usedRegions.contains).compactMap { region in
      (try? calendar(of: region))?.coveredYears?.upperBound
    }
    return years.min().flatMap { LocalDate(year: $0 + 1, month: 1, day: 1) }
  }

  static func warning(of regions: [String], through year: Int) -> String {
    let names = regions.prefix(listedMax).joined(separator: ", ")
    let others = regions.count > listedMax ? " and \(regions.count - listedMax) more" : ""
    return "the holidays of \(names)\(others) are known only through \(year)"
  }
}
