import CivilTime
import Holidays
import Testing

/// Holidays of some countries, from sources other than the shipped data.
@Suite struct ShippedHolidaysTests {
  private static let years = 2024...2035

  private func names(_ region: String, _ dates: [String]) throws -> [String?] {
    let calendar = try Shipped.calendar(region)
    return try dates.map { try calendar.name(of: Samples.date($0)) }
  }

  private func date(_ year: Int, _ month: Int, _ day: Int) throws -> LocalDate {
    try #require(LocalDate(year: year, month: month, day: day))
  }

  @Test func `at least 240 countries and their subdivisions are covered through 2035`() throws {
    let database = try Shipped.database.get()
    let countries = database.regions.filter { $0.utf8.count == 2 }
    #expect(countries.count >= 240)
    for country in ["DE", "US", "GB", "CA", "AU", "CH", "AT", "ES", "IN"] {
      #expect(database.regions.filter { $0.hasPrefix(country + "-") }.count >= 4, "\(country)")
    }
    let regionsWithAllYears = try database.regions.filter {
      try database.calendar(of: $0).coveredYears == Self.years
    }
    #expect(regionsWithAllYears.count >= database.regions.count - 3)
  }

  /// The bounds are the fewest and the most holidays of any region in a year. They reveal a region
  /// that is empty by mistake. The data lists no holidays of Ukraine for its covered years.
  @Test func `every region has holidays in each covered year`() throws {
    let database = try Shipped.database.get()
    for region in database.regions where region != "UA" {
      let calendar = try database.calendar(of: region)
      let years = Dictionary(grouping: calendar.dates, by: \.year)
      #expect(Set(years.keys) == calendar.coveredYears.map(Set.init), "\(region)")
      #expect(years.values.allSatisfy { (4...50).contains($0.count) }, "\(region)")
    }
    #expect(try database.calendar(of: "UA").dates.isEmpty)
  }

  @Test func `German Unity Day is on 3 October`() throws {
    let bavaria = try Shipped.calendar("DE-BY")
    for year in Self.years {
      let unityDay = try date(year, 10, 3)
      #expect(try Shipped.calendar("DE").name(of: unityDay) == "German Unity Day")
      #expect(bavaria.name(of: unityDay) == "German Unity Day")
      #expect(try bavaria.contains(date(year, 1, 6)))
      #expect(try !Shipped.calendar("DE").contains(date(year, 1, 6)))
    }
  }

  @Test func `Thanksgiving is on the fourth Thursday of November`() throws {
    let calendar = try Shipped.calendar("US")
    for year in Self.years {
      let thursdays = try (1...30).map { try date(year, 11, $0) }.filter { $0.weekday == .thursday }
      #expect(calendar.name(of: thursdays[3]) == "Thanksgiving Day")
      #expect(thursdays.filter(calendar.contains).filter { $0.day != 11 } == [thursdays[3]])
    }
  }

  /// Returns Easter Sunday, the first Sunday after the full moon on or after 21 March. The full
  /// moon is that of the church's tables, computed by the algorithm of Meeus, Jones and Butcher.
  private func easter(_ year: Int) throws -> LocalDate {
    let (century, yearOfCentury) = (year / 100, year % 100)
    let correction = (century + 8) / 25
    let drift = (century - correction + 1) / 3
    let moon = (19 * (year % 19) + century - century / 4 - drift + 15) % 30
    let leap = 2 * (century % 4) + 2 * (yearOfCentury / 4) - yearOfCentury % 4
    let sunday = (32 + leap - moon) % 7
    let lateCorrection = (year % 19 + 11 * moon + 22 * sunday) / 451
    let days = moon + sunday - 7 * lateCorrection + 114
    return try date(year, days / 31, days % 31 + 1)
  }

  @Test func `holidays around Easter follow the computed date`() throws {
    #expect(try easter(2024).description == "2024-03-31")
    #expect(try easter(2026).description == "2026-04-05")
    for year in Self.years {
      let sunday = try easter(year)
      #expect(sunday.weekday == .sunday)
      #expect(try Shipped.calendar("DE").name(of: sunday - 2) == "Good Friday")
      #expect(try Shipped.calendar("GB").name(of: sunday - 2)?.contains("Good Friday") == true)
      #expect(try Shipped.calendar("GB-ENG").contains(sunday + 1))
      #expect(try !Shipped.calendar("GB-SCT").contains(sunday + 1))
      #expect(try Shipped.calendar("DE-HH").name(of: sunday + 39)?.contains("Ascension") == true)
      #expect(try Shipped.calendar("FR").name(of: sunday + 50) == "Pentecost Monday")
      #expect(try Shipped.calendar("DE-BY").contains(sunday + 60))
    }
  }

  /// A British holiday on a weekend is observed on the next day that is not a holiday.
  @Test func `British Christmas holidays on weekends have substitute days`() throws {
    for region in ["GB", "GB-ENG", "GB-SCT", "GB-WLS", "GB-NIR"] {
      let calendar = try Shipped.calendar(region)
      for year in Self.years {
        let (christmas, boxing) = (try date(year, 12, 25), try date(year, 12, 26))
        #expect(calendar.contains(christmas) && calendar.contains(boxing))
        let substituteDays = (1...4).map { boxing + $0 }.filter(calendar.contains)
        let expected =
          switch christmas.weekday {
          case .friday: [boxing + 2]
          case .saturday: [boxing + 1, boxing + 2]
          case .sunday: [boxing + 1]
          default: [LocalDate]()
          }
        #expect(substituteDays == expected, "\(region) \(year)")
      }
    }
    let dates = ["2026-12-28", "2027-12-27", "2027-12-28"]
    #expect(
      try names("GB", dates) == [
        "Boxing Day (observed)", "Christmas Day (observed)", "Boxing Day (observed)",
      ])
  }

  @Test func `weekends are those of the country`() throws {
    #expect(try Shipped.calendar("DE-BY").weekend == [.saturday, .sunday])
    #expect(try Shipped.calendar("EG").weekend == [.friday, .saturday])
    #expect(try Shipped.calendar("AF").weekend == [.friday, .saturday])
  }

  @Test(arguments: [
    ("UK", ["GB"]), ("gbr", ["GB"]), ("Germany", ["DE"]), ("germny", ["DE"]), ("USA", ["US"]),
    ("DE-BAY", ["DE-BY"]), ("DE-XX", ["DE"]), ("united states", ["US"]),
    ("us-cal", ["US-AL", "US-CA"]),
    ("nowhere at all", []), ("", []), ("DE_BY", ["DE-BY"]),
  ])
  func `an unknown region is rejected with similar codes`(code: String, nearest: [String]) throws {
    let database = try Shipped.database.get()
    let error = #expect(throws: UnknownRegionError.self) { try database.calendar(of: code) }
    #expect(error?.code == code)
    #expect(error?.nearest == nearest)
  }

  @Test func `the shipped files have the oracle's dates`() throws {
    let database = try Shipped.database.get()
    let expected = try Oracle.days(inFilesOf: Shipped.directory)
    #expect(Set(expected.keys).isSubset(of: database.regions))
    var count = 0
    for region in database.regions {
      let days = try Oracle.days(of: database.calendar(of: region))
      #expect(days == expected[region] ?? [], "\(region)")
      count += days.count
    }
    print("holidays oracle: \(database.regions.count) regions, \(count) days")
    #expect(count > 100_000)
  }
}
