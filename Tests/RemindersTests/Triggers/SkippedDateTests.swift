import CivilTime
import JSON
import Testing

@testable import Reminders

/// Rule T2: an occurrence on a date that the recipient's zone skipped moves to an existing date.
@Suite struct SkippedDateTests {
  private static let events = """
    {done: {}, booked: {visit: identifier, at: instant}}
    """

  private static func catalog(_ reminder: String) -> String {
    Fixtures.catalog(events: events, reminders: ["note": reminder])
  }

  /// Samoa had no 30 December 2011; 09:00 is 19:00 UTC there before and after.
  @Test(arguments: [
    "after: {event: done, next: \"09:00\"}", "after: {event: done, days: 1, at: \"09:00\"}",
    "on: {event: done, next: \"09:00\"}", "on: {event: done, days: 1, at: \"09:00\"}",
  ])
  func `T2: a date after an event is the next existing date`(trigger: String) throws {
    try Diary.expect(
      """
      2011-12-29 19:30  zone Pacific/Apia
      2011-12-29 20:00  event done
      2011-12-30 19:00  > note
      2012-01-02 00:00  end
      """, catalog: Self.catalog(trigger))
  }

  @Test func `T2: a date before an instant is the last existing date`() throws {
    try Diary.expect(
      """
      2011-12-29 12:00  zone Pacific/Apia
      2011-12-29 12:00  event booked {"visit": "a", "at": "2011-12-30T18:00:00Z"}
      2011-12-29 19:00  > note
      2012-01-02 00:00  end
      """, catalog: Self.catalog("before: {event: booked, at: at, days: 1, time: \"09:00\"}"))
  }

  @Test func `V9: a cap before a skipped date holds until the next day starts`() throws {
    try Diary.expect(
      """
      2011-12-29 12:00  zone Pacific/Apia
      2011-12-29 12:00  prefs {"caps": {"perDay": 1}}
      2011-12-29 20:00  event done
      2011-12-29 20:00  > note
      2011-12-29 21:00  event done
      2011-12-30 18:00  > note of 2011-12-29 21:00 (daily_cap)
      2012-01-02 00:00  end
      """, catalog: Self.catalog("on: {event: done, delay: 0s}, expires: 2d"))
  }

  @Test func `V4: a vacation before a skipped date ends when the next day starts`() throws {
    try Diary.expect(
      """
      2011-12-29 12:00  zone Pacific/Apia
      2011-12-29 12:00  event vacation.started {"until": "2011-12-29"}
      2011-12-29 21:00  event done
      2011-12-30 18:00  > note of 2011-12-29 21:00 (vacation)
      2012-01-02 00:00  end
      """, catalog: Self.catalog("on: {event: done, delay: 0s}"))
  }

  /// Every date skipped since 1970, with its zone.
  private func skippedDates() throws -> [(zone: Zone, date: LocalDate)] {
    let zones = try Fixtures.zones.get()
    let middles = ["1993-08-20", "1994-12-31", "2011-12-30"].compactMap { LocalDate($0) }
    let dates = middles.flatMap { middle in (-10...10).map { middle + $0 } }
    return try zones.names.flatMap { name in
      let zone = try zones.zone(named: name)
      return dates.filter { !zone.hasDate($0) }.map { (zone, $0) }
    }
  }

  @Test func `T2: a delay ends at its time of day in every zone`() throws {
    let planner = try Fixtures.planner(
      catalog: Self.catalog("after: {event: done, next: \"09:00\"}"))
    let time = try #require(LocalTime("09:00"))
    let delayMax = TimeSpan.days(2)
    let zonesAndDates = try skippedDates()
    #expect(zonesAndDates.count > 5)
    for (zone, date) in zonesAndDates {
      let context = PlanningContext(facts: Facts(), planner: planner, zone: zone)
      for minute in stride(from: 0, to: 3 * 1_440, by: 30) {
        let instant = zone.instant(of: date - 2, at: .midnight) + .minutes(minute)
        for delay in [Delay.nextDate(.fixed(time)), .nextTime(.fixed(time))] {
          let planned = context.planned(delay, after: instant, context.settings)
          #expect(zone.local(at: planned).time == time, "\(zone) \(instant)")
          #expect(planned > instant && planned - instant <= delayMax, "\(zone) \(instant)")
        }
      }
    }
  }
}
