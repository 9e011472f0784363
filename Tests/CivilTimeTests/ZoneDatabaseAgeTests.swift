import Testing

@testable import CivilTime

/// A time zone database that is older than a year causes a warning.
@Suite struct ZoneDatabaseAgeTests {
  @Test(arguments: [
    ("2025a", "2025-01-01"), ("2025b", "2025-03-01"), ("2024f", "2024-11-01"),
    ("2024g", "2024-12-01"), ("2024z", "2024-12-01"),
  ])
  func `the name of a release yields an approximate date`(version: String, date: String) throws {
    #expect(ZoneRelease(version)?.start == Instant(date + "T00:00:00Z"))
  }

  @Test(arguments: ["unknown", "2025", "2025B", "25aaa", "2025b-dirty", ""])
  func `an unknown release has no date`(version: String) {
    #expect(ZoneRelease(version)?.start == nil)
  }

  @Test func `a database causes a warning from 367 days after its release`() throws {
    let zones = try ZoneDatabase(generation: 1)
    let released = try #require(zones.released)
    #expect(zones.ageWarning(at: released + .days(366)) == nil)
    let warning = try #require(zones.ageWarning(at: released + .days(367)))
    #expect(warning.contains("is older than a year; update the package tzdata"))
  }
}
