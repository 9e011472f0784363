import CivilTime
import Testing

@testable import Holidays

/// The end of the known holidays is announced a year ahead.
@Suite struct HolidayEndTests {
  private static func file(_ region: String, _ years: String) -> CalendarFile {
    let text = """
      BEGIN:VCALENDAR
      VERSION:2.0
      PRODID:-//test//test//EN
      X-CHIMED-YEARS:\(years)
      X-CHIMED-REGIONS:\(region)
      END:VCALENDAR
      """
    return CalendarFile(
      path: "\(region).ics", content: Array(text.replacing("\n", with: "\r\n").utf8))
  }

  private static func warnings(_ files: [CalendarFile], at date: String) throws -> [String] {
    try HolidayDatabase(files: files).endWarnings(at: #require(LocalDate(date)))
  }

  @Test(arguments: [
    ("2025-12-31", []), ("2026-01-01", ["the holidays of AA, BB are known only through 2026"]),
    ("2027-05-01", ["the holidays of AA, BB are known only through 2026"]),
  ])
  func `the warning starts in the last known year`(date: String, warnings: [String]) throws {
    let files = [
      Self.file("AA", "2024-2026"), Self.file("BB", "2024-2026"), Self.file("CC", "2024-2035"),
    ]
    #expect(try Self.warnings(files, at: date) == warnings)
  }

  @Test func `the warning names only the requested regions`() throws {
    let database = try HolidayDatabase(files: ["AA", "BB"].map { Self.file($0, "2024-2026") })
    let date = try #require(LocalDate("2026-06-01"))
    #expect(
      database.endWarnings(at: date, of: ["BB", "CC"]) == [
        "the holidays of BB are known only through 2026"
      ])
    #expect(database.endWarnings(at: date, of: []) == [])
  }

  @Test func `the warning names at most five regions`() throws {
    let names = ["AA", "BB", "CC", "DD", "EE", "FF", "GG"]
    #expect(
      try Self.warnings(names.map { Self.file($0, "2024-2026") }, at: "2026-06-01") == [
        "the holidays of AA, BB, CC, DD, EE and 2 more are known only through 2026"
      ])
  }
}
