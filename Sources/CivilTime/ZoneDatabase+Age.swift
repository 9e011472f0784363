/// A release of the time zone database, such as "2026f": the year, and a letter for each in it.
struct ZoneRelease {
  private let year: Int
  /// 0 for the first of the year.
  private let place: Int
  /// There are some five a year, so that each stands for two months at least.
  private static let months = 2

  /// Nil for what is no release's name.
  init?(_ version: String) {
    guard version.utf8.count == 5, let year = Int(version.prefix(4)),
      let letter = version.utf8.last, (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(letter)
    else { return nil }
    self.year = year
    place = Int(letter - UInt8(ascii: "a"))
  }

  /// About when it was made.
  var start: Instant? {
    let month = min(12, 1 + place * Self.months)
    return Instant("\(year)-\(month < 10 ? "0" : "")\(month)-01T00:00:00Z")
  }
}

extension ZoneDatabase {
  private static let ageMax = TimeSpan.days(366)

  /// What is to be said of a database that is older than a year: governments change their clocks
  /// several times a year. Nil for a younger one, and where its age is not known.
  package func ageWarning(at now: Instant) -> String? {
    guard let released, now - released > Self.ageMax else { return nil }
    let what = version == "unknown" ? "whose newest file is of" : "\(version), of about"
    return "the time zone database \(what) \("\(released)".prefix(7)), is older than a year; "
      + "update the package tzdata"
  }
}
