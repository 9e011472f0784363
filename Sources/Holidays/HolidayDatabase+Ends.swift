package import CivilTime

extension HolidayCalendar {
  /// The last year whose holidays are known, if that is over within a year after a date: then every
  /// day would count as a working day, without anybody noticing.
  package func lastYear(endingWithinAYearAfter date: LocalDate) -> Int? {
    guard let last = coveredYears?.upperBound else { return nil }
    return last <= date.year ? last : nil
  }

  /// The same as a sentence.
  package func endWarning(at date: LocalDate) -> String? {
    guard let region, let last = lastYear(endingWithinAYearAfter: date) else { return nil }
    return HolidayDatabase.warning(of: [region], through: last)
  }
}

extension HolidayDatabase {
  /// How many regions a sentence names.
  private static let namedMax = 5

  /// Whose holidays end within a year after a date, a sentence for each last year.
  ///
  /// - Parameter named: the regions that matter; nil for all that are known.
  package func endWarnings(at date: LocalDate, of named: Set<String>? = nil) -> [String] {
    var regions: [Int: [String]] = [:]
    for region in self.regions where named?.contains(region) ?? true {
      let last = (try? calendar(of: region))?.lastYear(endingWithinAYearAfter: date)
      if let last { regions[last, default: []].append(region) }
    }
    return regions.sorted { $0.key < $1.key }.map { Self.warning(of: $0.value, through: $0.key) }
  }

  static func warning(of regions: [String], through year: Int) -> String {
    let named = regions.prefix(namedMax).joined(separator: ", ")
    let others = regions.count > namedMax ? " and \(regions.count - namedMax) more" : ""
    return "the holidays of \(named)\(others) are known through \(year) alone"
  }
}
