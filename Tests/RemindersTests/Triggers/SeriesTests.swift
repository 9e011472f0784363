import CivilTime
import Testing

@testable import Reminders

/// Rule G1: steps of days, weeks, months and years, and series with events as start and end.
@Suite struct SeriesTests {
  private static func expect(_ every: String, _ script: String, events: String = "{}") throws {
    let script = "2026-01-01 00:00  created\n" + script
    try Diary.expect(
      script, catalog: Fixtures.catalog(events: events, reminders: ["note": every]))
  }

  @Test func `G1: every third day is counted from the start date`() throws {
    try Self.expect(
      "every: {day: {at: \"12:00\", step: 3}}, since: \"2026-01-04\"",
      """
      2026-01-04 12:00  > note
      2026-01-07 12:00  > note
      2026-01-08 00:00  restart
      2026-01-10 12:00  > note
      2026-01-12 00:00  end
      """)
  }

  @Test func `G1: a step of two weeks counts weeks from Monday`() throws {
    // 2026-01-07 is a Wednesday: its week counts, although its Monday has passed.
    try Self.expect(
      "every: {week: {on: [mon, thu], at: \"12:00\", step: 2}}, since: \"2026-01-07\"",
      """
      2026-01-08 12:00  > note
      2026-01-19 12:00  > note
      2026-01-22 12:00  > note
      2026-02-02 12:00  > note
      2026-02-03 00:00  end
      """)
  }

  @Test(arguments: [
    // The event is on Monday the 5th; the reminder may go out from Tuesday on.
    ("day: {at: \"12:00\", step: 2}", ["2026-01-06", "2026-01-08", "2026-01-10"]),
    ("week: {on: [mon], at: \"12:00\", step: 2}", ["2026-01-12", "2026-01-26", "2026-02-09"]),
    (
      "week: {on: [mon, thu], at: \"12:00\", step: 2}",
      ["2026-01-08", "2026-01-19", "2026-01-22"]
    ),
    ("month: {on: 1, at: \"12:00\", step: 3}", ["2026-02-01", "2026-05-01", "2026-08-01"]),
    (
      "year: {on: [\"01-02\"], at: \"12:00\", step: 2}",
      ["2027-01-02", "2029-01-02", "2031-01-02"]
    ),
  ])
  func `G1: steps count from the first date on which the reminder may go out`(
    every: String, dates: [String]
  ) throws {
    let lines = dates.map { "\($0) 12:00  > note\n" }.joined()
    try Self.expect(
      "every: {\(every)}, since: streak.started",
      "2026-01-05 18:00  streak\n\(lines)\(dates[2]) 13:00  end")
  }

  @Test func `G7: a skipped date counts as a step and moves no other date`() throws {
    try Self.expect(
      "every: {day: {at: \"12:00\", step: 2}}, since: \"2026-01-01\", skip: {weekends: true}",
      """
      2026-01-01 12:00  > note
      2026-01-03 12:00  x note (calendar)
      2026-01-05 12:00  > note
      2026-01-07 12:00  > note
      2026-01-09 12:00  > note
      2026-01-11 12:00  x note (calendar)
      2026-01-13 12:00  > note
      2026-01-14 00:00  end
      """)
  }

  @Test func `G7: steps count from the first date, even if it is skipped`() throws {
    // The Saturday is in the first of the weeks that are used.
    try Self.expect(
      "every: {week: {on: [mon, sat], at: \"12:00\", step: 2}}, since: \"2026-01-03\", "
        + "skip: {weekends: true}",
      """
      2026-01-03 12:00  x note (calendar)
      2026-01-12 12:00  > note
      2026-01-17 12:00  x note (calendar)
      2026-01-26 12:00  > note
      2026-01-27 00:00  end
      """)
  }

  @Test func `G1: a reminder goes out on the last Friday of every third month`() throws {
    try Self.expect(
      "every: {month: {on: [last fri], at: \"12:00\", step: 3}}, since: \"2026-01-01\"",
      """
      2026-01-30 12:00  > note
      2026-04-24 12:00  > note
      2026-07-31 12:00  > note
      2026-08-01 00:00  end
      """)
  }

  @Test func `G1: 29 February becomes 28 February in years without it`() throws {
    try Self.expect(
      "every: {year: {on: [\"02-29\", \"12-24\"], at: \"12:00\"}}",
      """
      2026-02-28 12:00  > note
      2026-12-24 12:00  > note
      2027-02-28 12:00  > note
      2027-12-24 12:00  > note
      2028-02-29 12:00  > note
      2028-03-01 00:00  end
      """)
  }

  @Test func `G1: one event restarts a series, and another event ends it`() throws {
    try Self.expect(
      """
      every: {day: {at: "12:00", step: 7}}, since: streak.started, cancel: relapse, \
      messages: [{title: "{{days | one: # day | other: # days}}", body: "-"}]
      """,
      """
      2026-01-05 18:00  streak
      2026-01-06 12:00  > note "1 day"
      2026-01-13 12:00  > note "8 days"
      2026-01-20 09:00  relapse
      2026-01-28 09:00  streak
      2026-01-29 12:00  > note "1 day"
      2026-01-30 09:00  relapse  @ 2026-01-21 09:00
      2026-02-05 12:00  > note "8 days"
      2026-02-06 00:00  end
      """)
  }

  @Test func `G1: the nth weekday of a month is the day found by counting days`() throws {
    var counts: [Weekday: Int] = [:]
    var date = try #require(LocalDate("2023-01-01"))
    for _ in 0..<1_500 {
      if date.day == 1 { counts = [:] }
      counts[date.weekday, default: 0] += 1
      let isLast = (date + 7).day <= 7
      for (ordinal, word) in MonthDays.ordinals.enumerated() {
        var days = MonthDays()
        days.insert(date.weekday, ordinal: ordinal)
        let expected = word == "last" ? isLast : counts[date.weekday] == ordinal + 1
        #expect(days.contains(date) == expected, "\(word) on \(date)")
      }
      date = date + 1
    }
  }

  @Test(arguments: [
    ("every: {day: {at: \"12:00\", step: 2}}", "\"step\" needs \"since\""),
    ("every: {week: {on: [mon], at: \"12:00\", step: 61}}, since: relapse", "from 1 to 60"),
    ("every: {day: {at: \"12:00\"}}, cancel: relapse", "\"cancel\" with \"every\" needs"),
    ("every: {day: {at: \"12:00\"}}, cancel: relapse, since: \"2026-01-01\"", "used with a date"),
    ("every: {day: {at: \"12:00\"}}, since: \"2026-02-30\"", "\"2026-02-30\" is not an event"),
    ("every: {month: {on: [frist mon], at: \"12:00\"}}", "did you mean \"first\"?"),
    ("every: {month: {on: [first mno], at: \"12:00\"}}", "did you mean \"mon\"?"),
    ("every: {year: {on: [\"02-30\"], at: \"12:00\"}}", "\"02-30\" is not a day of the year"),
    ("on: {event: relapse, delay: 1h}, since: relapse", "\"since\" needs \"every\""),
  ])
  func `the error of an invalid series states its fault`(trigger: String, message: String) {
    let text = Fixtures.catalog(reminders: ["note": trigger])
    let error = #expect(throws: CatalogErrors.self) { try Fixtures.read(text) }
    #expect(error?.description.contains(message) == true, "\(error?.description ?? "")")
  }
}
