package import CivilTime

extension HolidayCalendar {
  /// Returns the last year with known holidays, if that year ends within a year after the date. In
  /// later years every holiday would silently count as a working day.
  package func lastYear(endingWithinAYearAfter date: LocalDate) -> Int? {
    guard let last = coveredYears?.upperBound else { return nil }
    return last <= date.year ? last : nil
  }

  /// Returns the operator's warning that the known holidays end soon; nil if they end later.
  package func endWarning(at date: LocalDate) -> String? {
    guard let region, let last = lastYear(endingWithinAYearAfter: date) else { return nil }
    return HolidayDatabase.warning(of: [region], through: last)
  }
}

extension HolidayDatabase {
  /// The maximum number of regions that a warning lists by name.
  private static let namedMax = 5

  /// Returns a warning for each last year with known holidays that ends within a year after the
  /// date. The warning names the regions whose known holidays end with that year.
  ///
  /// - Parameter named: the regions in use; nil for all known ones.
  package func endWarnings(at date: LocalDate, of named: Set<String>? = nil) -> [String] {
    var regions: [Int: [String]] = [:]
    for region in self.regions where named?.contains(region) ?? true {
      let last = (try? calendar(of: region))?.lastYear(endingWithinAYearAfter: date)
      if let last { regions[last, default: []].append(region) }
    }
    return regions.sorted { $0.key < $1.key }.map { Self.warning(of: $0.value, through: $0.key) }
  }

  /// Returns the first date on which the holidays of one of these regions are unknown; nil if no
  /// file declares such an end.
  package func firstUnknownDate(of named: Set<String>) -> LocalDate? {
    let years = regions.filter(named.contains).compactMap { region in
      (try? calendar(of: region))?.coveredYears?.upperBound
    }
    return years.min().flatMap { LocalDate(year: $0 + 1, month: 1, day: 1) }
  }

  static func warning(of regions: [String], through year: Int) -> String {
    let named = regions.prefix(namedMax).joined(separator: ", ")
    let others = regions.count > namedMax ? " and \(regions.count - namedMax) more" : ""
    return "the holidays of \(named)\(others) are known only through \(year)"
  }
}
