import CivilTime
import Glibc
import Testing

/// Compares every zone of the system with Python's zoneinfo, around all changes of clocks from 2000
/// to 2040 and in some later years. By default, every half hour is compared. With
/// `CHIMED_ZONES=exhaustive`, every minute from 90 minutes before each change to 90 minutes after
/// it is compared, which takes minutes.
@Suite struct ZoneinfoOracleTests {
  @Test func `every zone agrees with Python's zoneinfo`() throws {
    let isExhaustive = getenv("CHIMED_ZONES").map { String(cString: $0) } == "exhaustive"
    let database = try ZoneDatabase(generation: 1)
    let oracle = Oracle(
      directory: database.directory, stepMinutes: isExhaustive ? 1 : 30,
      scanHours: isExhaustive ? 1 : 24)
    var comparison = OracleComparison(database)
    try comparison.compare(with: oracle.run())
    print("zoneinfo oracle: \(comparison.summary)")
    #expect(comparison.mismatches.count == 0, "\(comparison.mismatches)")
    #expect(comparison.names == Set(database.names))
    #expect(comparison.changes > 0 && comparison.localTimes > comparison.changes)
  }
}
