import CivilTime
import TestSupport
import Testing

@testable import Reminders

/// Rules T3 and G7: offsets of elapsed time, and of local dates. The clocks of Europe/Berlin change
/// on 29 March and on 25 October 2026, at 01:00 UTC.
@Suite struct OffsetTests {
  private static func expect(_ reminders: KeyValuePairs<String, String>, _ script: String) throws {
    try Diary.expect(
      script,
      catalog: Fixtures.catalog(
        events: "{course: {course: identifier}, left: {course: identifier}, ask: {}, "
          + "medicine: {medicine: identifier, plan: plan?}}", reminders: reminders),
      defaultZone: "Europe/Berlin")
  }

  @Test func `G7: a series that begins seven days after an event keeps its time of day`() throws {
    try Self.expect(
      ["week": #"every: {day: {at: "09:00", step: 7, after: {days: 6}}}, since: course"#],
      """
      2026-03-16 12:00  event course {"course": "a"}
      2026-03-23 08:00  > week
      2026-03-29 12:00  restart
      2026-03-30 07:00  > week
      2026-04-06 07:00  > week
      2026-04-06 08:00  end
      """)
  }

  @Test func `G7: two days after the first Monday is the Wednesday, whatever clocks do`() throws {
    try Self.expect(
      [
        "date": #"every: {month: {on: [last sat], at: "09:00", after: {days: 2}}}"#,
        "span": #"every: {month: {on: [last sat], at: "09:00", after: 47h}}"#,
      ],
      """
      2026-02-01 00:00  created
      2026-02-02 07:00  > span
      2026-02-02 08:00  > date
      2026-03-02 07:00  > span
      2026-03-02 08:00  > date
      2026-03-30 07:00  > date
      2026-03-30 07:00  > span
      2026-04-27 06:00  > span
      2026-04-27 07:00  > date
      2026-04-27 08:00  end
      """)
  }

  @Test func `T14: repetitions by dates keep the time of day, others the elapsed time`() throws {
    try Self.expect(
      [
        "dates": "on: {event: ask, delay: 0s}, again: {days: 1, times: 2}, expires: 2d",
        "spans": "on: {event: ask, delay: 0s}, again: {every: 1d, times: 2}, expires: 2d",
      ],
      """
      2026-03-28 08:30  event ask {}
      2026-03-28 08:30  > dates
      2026-03-28 08:30  > spans
      2026-03-29 07:30  > dates+1
      2026-03-29 08:30  > spans+1
      2026-03-30 07:30  > dates+2
      2026-03-30 08:30  > spans+2
      2026-03-31 12:00  end
      """)
  }

  @Test func `T14: a calendar reminder and a plan are repeated at the same time of day`() throws {
    try Self.expect(
      [
        "month": #"every: {month: {on: [28], at: "09:00"}}, again: {days: 1, times: 2}"#,
        "dose": "since: medicine, every: {plan: plan}, again: {days: 2, times: 1}",
      ],
      """
      2026-03-27 12:00  event medicine {"medicine":"m","plan":{"times":["10:00"],"days":["sat"]}}
      2026-03-28 08:00  > month
      2026-03-28 09:00  > dose
      2026-03-29 07:00  > month+1
      2026-03-29 12:00  restart
      2026-03-30 07:00  > month+2
      2026-03-30 08:00  > dose+1
      2026-03-31 12:00  end
      """)
  }

  @Test func `T3: dates after a time that the clocks skipped keep the declared time`() throws {
    try Self.expect(
      [
        "month": #"every: {month: {on: [29], at: "02:30"}}, again: {days: 1, times: 1}"#,
        "late": #"every: {month: {on: [29], at: "02:30", after: {days: 6}}}"#,
        "dose": "since: medicine, every: {plan: plan}, again: {days: 2, times: 1}",
      ],
      """
      2026-03-27 12:00  event medicine {"medicine":"m","plan":{"times":["02:30"],"days":["sun"]}}
      2026-03-29 01:00  > dose
      2026-03-29 01:00  > month
      2026-03-29 12:00  restart
      2026-03-30 00:30  > month+1
      2026-03-31 00:30  > dose+1
      2026-04-04 00:30  > late
      2026-04-04 12:00  end
      """)
  }

  @Test func `T5: a change of zone moves an offset of dates once`() throws {
    try Self.expect(
      ["week": #"every: {day: {at: "09:00", step: 7, after: {days: 6}}}, since: course"#],
      """
      2026-03-16 12:00  event course {"course": "a"}
      2026-03-23 08:00  > week
      2026-03-23 09:00  zone America/Los_Angeles
      2026-03-30 16:00  > week
      2026-03-30 17:00  zone Asia/Tokyo
      2026-04-06 00:00  > week
      2026-04-07 08:00  end
      """)
  }

  /// The oracle is the local time: the date advances, and the time of day stays.
  @Test(arguments: Seeds.all)
  func `T3: an offset of dates keeps the local time wherever it exists`(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    let names = [
      "Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "Africa/Cairo", "Pacific/Apia",
      "Antarctica/Troll", "Asia/Kathmandu",
    ]
    for _ in 0..<400 {
      let zone = try Fixtures.zone(names[Int.random(in: 0..<names.count, using: &random)])
      let base =
        try utc("2011-01-01 00:00")
        + .milliseconds(Int.random(in: 0..<631_152_000_000, using: &random))
      let offset = Offset(
        days: Int.random(in: 1...30, using: &random),
        span: .minutes(Int.random(in: 0...90, using: &random)))
      let instant = offset.instant(after: base, in: zone)
      let (old, new) = (zone.local(at: base), zone.local(at: instant - offset.span))
      let date = zone.firstDate(from: old.date + offset.days)
      if zone.local(at: zone.instant(of: LocalDateTime(date: date, secondOfDay: old.secondOfDay)))
        .secondOfDay == old.secondOfDay
      {
        #expect(new.date == date && new.secondOfDay == old.secondOfDay, "\(zone) \(base)")
      } else {
        #expect(instant - base <= .days(offset.days + 1) + offset.span, "\(zone) \(base)")
      }
      #expect(base > offset.earliestBase(after: instant - .milliseconds(1), in: zone))
      #expect(offset.earliestBase(after: instant, in: zone) > base - .days(2))
      let time = try #require(LocalTime(minuteOfDay: Int.random(in: 0..<1_440, using: &random)))
      let moved = offset.instant(of: old.date, at: time, in: zone)
      #expect(moved == zone.instant(of: date, at: time) + offset.span, "\(zone) \(base)")
      let first = zone.instant(of: old.date, at: time)
      #expect(first > offset.earliestBase(after: moved - .milliseconds(1), in: zone))
    }
  }

  @Test(arguments: [
    "every: {day: {at: '09:00', after: 2d}}", "every: {day: {at: '09:00', after: 24h}}",
    "every: {day: {at: '09:00', after: {days: 0}}}",
    "every: {day: {at: '09:00', after: {days: 367}}}",
    "every: {day: {at: '09:00'}}, again: {times: 2}",
    "every: {day: {at: '09:00'}}, again: {every: 1h, days: 1, times: 2}",
    "every: {day: {at: '09:00'}}, again: {days: 8, times: 2}",
  ])
  func `G11: a wrong offset is one mistake`(reminder: String) throws {
    let errors = #expect(throws: CatalogErrors.self) {
      try Fixtures.read(Fixtures.catalog(reminders: ["note": reminder]))
    }
    #expect(errors?.diagnostics.count == 1)
  }
}
