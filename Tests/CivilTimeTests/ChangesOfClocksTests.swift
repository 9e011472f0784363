import CivilTime
import Testing

/// Rule T2 in zones whose changes of clocks differ most.
@Suite struct ChangesOfClocksTests {
  struct Case: CustomTestStringConvertible {
    let zone: String
    let local: String
    let instant: String
    let display: String

    var testDescription: String { "\(local) \(zone)" }
  }

  /// A local time, its instant, and the local time of that instant.
  static let cases: [Case] = [
    // A gap of an hour: each local time in the gap stands for the end of the gap.
    Case(
      zone: "America/New_York", local: "2026-03-08 01:59",
      instant: "2026-03-08T06:59:00Z", display: "2026-03-08 01:59"),
    Case(
      zone: "America/New_York", local: "2026-03-08 02:00",
      instant: "2026-03-08T07:00:00Z", display: "2026-03-08 03:00"),
    Case(
      zone: "America/New_York", local: "2026-03-08 02:30",
      instant: "2026-03-08T07:00:00Z", display: "2026-03-08 03:00"),
    Case(
      zone: "America/New_York", local: "2026-03-08 03:00",
      instant: "2026-03-08T07:00:00Z", display: "2026-03-08 03:00"),
    // A fold of an hour: the first of the two instants counts.
    Case(
      zone: "America/New_York", local: "2026-11-01 01:30",
      instant: "2026-11-01T05:30:00Z", display: "2026-11-01 01:30"),
    Case(
      zone: "America/New_York", local: "2026-11-01 02:00",
      instant: "2026-11-01T07:00:00Z", display: "2026-11-01 02:00"),
    // A gap and a fold of half an hour.
    Case(
      zone: "Australia/Lord_Howe", local: "2025-10-05 02:15",
      instant: "2025-10-04T15:30:00Z", display: "2025-10-05 02:30"),
    Case(
      zone: "Australia/Lord_Howe", local: "2025-10-05 02:30",
      instant: "2025-10-04T15:30:00Z", display: "2025-10-05 02:30"),
    Case(
      zone: "Australia/Lord_Howe", local: "2025-04-06 01:45",
      instant: "2025-04-05T14:45:00Z", display: "2025-04-06 01:45"),
    // A gap and a fold of two hours.
    Case(
      zone: "Antarctica/Troll", local: "2025-03-30 01:30",
      instant: "2025-03-30T01:00:00Z", display: "2025-03-30 03:00"),
    Case(
      zone: "Antarctica/Troll", local: "2025-10-26 01:30",
      instant: "2025-10-25T23:30:00Z", display: "2025-10-26 01:30"),
    // Negative daylight saving: winter time in Ireland, Ramadan in Morocco.
    Case(
      zone: "Europe/Dublin", local: "2025-03-30 01:30",
      instant: "2025-03-30T01:00:00Z", display: "2025-03-30 02:00"),
    Case(
      zone: "Europe/Dublin", local: "2025-10-26 01:30",
      instant: "2025-10-26T00:30:00Z", display: "2025-10-26 01:30"),
    Case(
      zone: "Africa/Casablanca", local: "2024-03-10 02:30",
      instant: "2024-03-10T01:30:00Z", display: "2024-03-10 02:30"),
    Case(
      zone: "Africa/Casablanca", local: "2024-04-14 02:30",
      instant: "2024-04-14T02:00:00Z", display: "2024-04-14 03:00"),
    // Gaps that start and folds that end at midnight: the day starts late or ends twice.
    Case(
      zone: "Africa/Cairo", local: "2024-04-26 00:00",
      instant: "2024-04-25T22:00:00Z", display: "2024-04-26 01:00"),
    Case(
      zone: "Africa/Cairo", local: "2024-10-31 23:30",
      instant: "2024-10-31T20:30:00Z", display: "2024-10-31 23:30"),
    Case(
      zone: "America/Havana", local: "2024-03-10 00:00",
      instant: "2024-03-10T05:00:00Z", display: "2024-03-10 01:00"),
    Case(
      zone: "America/Havana", local: "2024-11-03 00:30",
      instant: "2024-11-03T04:30:00Z", display: "2024-11-03 00:30"),
    // A gap of a whole day.
    Case(
      zone: "Pacific/Apia", local: "2011-12-29 23:59",
      instant: "2011-12-30T09:59:00Z", display: "2011-12-29 23:59"),
    Case(
      zone: "Pacific/Apia", local: "2011-12-30 12:00",
      instant: "2011-12-30T10:00:00Z", display: "2011-12-31 00:00"),
    // The last rules of a zone continue forever.
    Case(
      zone: "Europe/Paris", local: "2040-03-25 02:30",
      instant: "2040-03-25T01:00:00Z", display: "2040-03-25 03:00"),
    Case(
      zone: "Europe/Paris", local: "2150-07-14 10:00",
      instant: "2150-07-14T08:00:00Z", display: "2150-07-14 10:00"),
    Case(
      zone: "Europe/Paris", local: "9999-12-31 23:59",
      instant: "9999-12-31T22:59:00Z", display: "9999-12-31 23:59"),
  ]

  @Test(arguments: cases)
  func `a local time has the right instant, also in gaps and folds`(_ example: Case) throws {
    let zone = try SystemZones.zone(example.zone)
    let local = try SystemZones.local(example.local)
    let instant = zone.instant(of: local.date, at: local.time)
    #expect(instant == Instant(example.instant))
    #expect(instant == zone.instant(of: local))
    #expect(zone.local(at: instant).description == example.display)
    #expect(zone.date(at: instant) == zone.local(at: instant).date)
  }

  @Test func `two instants an hour apart have the same local time in a fold`() throws {
    let zone = try SystemZones.zone("America/New_York")
    let first = zone.instant(of: try SystemZones.local("2026-11-01 01:30"))
    #expect(zone.local(at: first) == zone.local(at: first + .hours(1)))
    #expect(zone.local(at: first) != zone.local(at: first + .hours(2)))
  }

  /// British Columbia keeps its summer time from 2026 on. Releases before 2026b do not contain this
  /// change.
  @Test func `offsets follow the system's database`() throws {
    let version = try SystemZones.database.get().version
    let winter = try #require(Instant("2026-12-15T12:00:00Z"))
    let hours = try SystemZones.zone("America/Vancouver").offsetSeconds(at: winter) / 3_600
    #expect(hours == (version >= "2026b" ? -7 : -8), "in release \(version)")
  }
}
