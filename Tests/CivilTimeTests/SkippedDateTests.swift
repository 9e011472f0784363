import CivilTime
import Testing

/// Rule T2: a zone that crossed the date line has skipped a date.
@Suite struct SkippedDateTests {
  /// Every date skipped since 1970, with its zone.
  static let skippedDates = Result {
    let zones = try SystemZones.database.get()
    let middles = ["1993-08-20", "1994-12-31", "2011-12-30"].compactMap { LocalDate($0) }
    let dates = middles.flatMap { middle in (-10...10).map { middle + $0 } }
    return try zones.names.flatMap { name in
      let zone = try zones.zone(named: name)
      return dates.filter { !zone.hasDate($0) }.map { (zone, $0) }
    }
  }

  @Test func `T2: the dates around a skipped date exist`() throws {
    let zonesAndDates = try Self.skippedDates.get()
    let names = Set(zonesAndDates.map(\.0.name))
    #expect(names.isSuperset(of: ["Pacific/Apia", "Pacific/Kwajalein", "Pacific/Kiritimati"]))
    for (zone, date) in zonesAndDates {
      #expect(zone.firstDate(from: date) == date + 1 && zone.hasDate(date + 1))
      #expect(zone.lastDate(through: date) == date - 1 && zone.hasDate(date - 1))
      for neighbor in [date - 1, date + 1] {
        #expect(
          zone.firstDate(from: neighbor) == neighbor && zone.lastDate(through: neighbor) == neighbor
        )
      }
    }
  }
}
