import CivilTime
import Testing

@Suite struct ZoneTests {
  @Test(arguments: [
    ("Europe/Paris", "2026-01-15T00:00:00Z", 3_600, "CET"),
    ("Europe/Paris", "2026-07-15T00:00:00Z", 7_200, "CEST"),
    ("Asia/Kolkata", "2026-07-15T00:00:00Z", 19_800, "IST"),
    ("Asia/Kathmandu", "2026-07-15T00:00:00Z", 20_700, "+0545"),
    ("America/St_Johns", "2026-01-15T00:00:00Z", -12_600, "NST"),
    ("Europe/Dublin", "2026-01-15T00:00:00Z", 0, "GMT"),
    ("Pacific/Kiritimati", "2026-01-15T00:00:00Z", 50_400, "+14"),
    ("UTC", "2026-01-15T00:00:00Z", 0, "UTC"),
    ("Etc/GMT+12", "2026-01-15T00:00:00Z", -43_200, "-12"),
    ("Europe/Paris", "1850-01-01T00:00:00Z", 561, "LMT"),
  ])
  func `a zone has an offset and an abbreviation at each instant`(
    name: String, text: String, offset: Int, abbreviation: String
  ) throws {
    let zone = try SystemZones.zone(name)
    let instant = try #require(Instant(text))
    #expect(zone.offsetSeconds(at: instant) == offset)
    #expect(zone.abbreviation(at: instant) == abbreviation)
  }

  /// Milliseconds are rounded down, not towards the epoch.
  @Test(arguments: [
    (0, "1970-01-01 00:00"), (-1, "1969-12-31 23:59:59"), (-1_000, "1969-12-31 23:59:59"),
    (-1_001, "1969-12-31 23:59:58"), (999, "1970-01-01 00:00"), (1_000, "1970-01-01 00:00:01"),
    (-86_400_000, "1969-12-31 00:00"), (-86_400_001, "1969-12-30 23:59:59"),
  ])
  func `local times are rounded down to seconds`(milliseconds: Int64, expected: String) throws {
    let instant = Instant(milliseconds: milliseconds)
    #expect(try SystemZones.zone("UTC").local(at: instant).description == expected)
  }

  @Test(arguments: [
    ("Pacific/Apia", "2011-12-30", false), ("Pacific/Apia", "2011-12-29", true),
    ("Pacific/Apia", "2011-12-31", true), ("Pacific/Kwajalein", "1993-08-21", false),
    ("Africa/Cairo", "2024-04-26", true), ("America/Havana", "2024-11-03", true),
    ("Europe/Paris", "2011-12-30", true), ("UTC", "0001-01-01", true),
  ])
  func `a skipped date does not exist`(name: String, date: String, exists: Bool) throws {
    let zone = try SystemZones.zone(name)
    #expect(zone.hasDate(try #require(LocalDate(date))) == exists)
  }

  @Test(arguments: [Int64.min, Int64.min + 1, -1, 0, Int64.max - 1, Int64.max])
  func `extreme instants do not overflow`(milliseconds: Int64) throws {
    let instant = Instant(milliseconds: milliseconds)
    for name in ["Europe/Paris", "UTC", "Pacific/Kiritimati"] {
      let zone = try SystemZones.zone(name)
      #expect((0..<86_400).contains(zone.local(at: instant).secondOfDay))
      #expect(!zone.abbreviation(at: instant).isEmpty)
    }
  }

  @Test(arguments: ["UTC", "Europe/Paris", "America/New_York", "Australia/Lord_Howe"])
  func `local times of every year are recovered from their instants`(name: String) throws {
    let zone = try SystemZones.zone(name)
    var mismatches = Mismatches()
    for year in 1...9_999 {
      // The middle of January and July, when no clocks change, and both ends of the year.
      for (month, day) in [(1, 1), (1, 15), (7, 15), (12, 31)] {
        let date = try #require(LocalDate(year: year, month: month, day: day))
        let time = try #require(LocalTime(hour: 12, minute: 34))
        let local = LocalDateTime(date: date, time: time)
        let instant = zone.instant(of: local)
        mismatches.compare(zone.local(at: instant), local, "\(name) \(date)")
        let nextSecond = Instant(milliseconds: instant.milliseconds + 1_000).seconds
        mismatches.compare(nextSecond, instant.seconds + 1, "\(name) \(date)")
      }
    }
    #expect(mismatches.count == 0, "\(mismatches)")
  }

  @Test func `consecutive midnights are 23 to 25 hours apart`() throws {
    let zone = try SystemZones.zone("America/Sao_Paulo")
    var date = try #require(LocalDate("2000-01-01"))
    let time = try #require(LocalTime("00:00"))
    var previous = zone.instant(of: date - 1, at: time)
    while date.year < 2041 {
      let instant = zone.instant(of: date, at: time)
      #expect(zone.date(at: instant) == date)
      #expect((23...25).contains((instant - previous).milliseconds / 3_600_000))
      previous = instant
      date = date + 1
    }
  }
}
