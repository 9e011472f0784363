import CivilTime
import Holidays
import Testing

/// RFC 5545, section 3.8.2: the dates that an event covers from its start to its end.
@Suite struct EventDatesTests {
  @Test(arguments: [
    (["DTSTART;VALUE=DATE:20260501"], "2026-05-01"),
    (["DTSTART:20240229"], "2024-02-29"),
    (["DTSTART;VALUE=DATE-TIME:20260501T080000"], "2026-05-01"),
    (["DTSTART;TZID=Europe/Berlin:20260501T235960"], "2026-05-01"),
    (["DTSTART:20260501T000000Z"], "2026-05-01"),
    (["DTSTART:19991231"], ""), (["DTSTART:20000101"], "2000-01-01"),
    (["DTSTART:21001231"], "2100-12-31"), (["DTSTART:21010101"], ""),
  ])
  func `an event without an end covers its first date`(lines: [String], expected: String) throws {
    #expect(try dates(lines) == expected)
  }

  @Test(arguments: [
    ("DTSTART:20261224", "DTEND;VALUE=DATE:20261227", "2026-12-24 2026-12-25 2026-12-26"),
    ("DTSTART:20261231", "DTEND:20270101", "2026-12-31"),
    ("DTSTART:20261231", "DTEND:20261231", "2026-12-31"),
    ("DTSTART:20240228", "DTEND:20240301", "2024-02-28 2024-02-29"),
    ("DTSTART:20260501T220000", "DTEND:20260502T000000", "2026-05-01"),
    ("DTSTART:20260501T220000", "DTEND:20260502T000001", "2026-05-01 2026-05-02"),
    ("DTSTART:20260501T220000", "DTEND:20260501T220000", "2026-05-01"),
    ("DTSTART:20260501", "DURATION:P1D", "2026-05-01"),
    ("DTSTART:20260501", "DURATION:P0D", "2026-05-01"),
    ("DTSTART:20260501", "DURATION:+P2DT24H", "2026-05-01 2026-05-02 2026-05-03"),
    (
      "DTSTART:20260501", "DURATION:P1W",
      "2026-05-01 2026-05-02 2026-05-03 2026-05-04 2026-05-05 2026-05-06 2026-05-07"
    ),
    ("DTSTART:20260501T200000", "DURATION:PT4H", "2026-05-01"),
    ("DTSTART:20260501T200000", "DURATION:PT4H1S", "2026-05-01 2026-05-02"),
    ("DTSTART:19991231", "DURATION:P2D", "2000-01-01"),
    ("DTSTART:21001231", "DURATION:P2D", "2100-12-31"),
  ])
  func `the end of an event is exclusive`(start: String, end: String, expected: String) throws {
    #expect(try dates([start, end]) == expected)
  }

  @Test func `RDATE adds dates and EXDATE removes them`() throws {
    let lines = [
      "DTSTART:20260501", "RDATE;VALUE=DATE:20270503,20280502", "RDATE:20260501,20290501T080000",
    ]
    #expect(try dates(lines) == "2026-05-01 2027-05-03 2028-05-02 2029-05-01")
    let linesWithExclusions =
      lines + ["EXDATE:20280502,20260501", "EXDATE;TZID=A/B:20290501T080000"]
    #expect(try dates(linesWithExclusions) == "2027-05-03")
    let yearlyEvent = [
      "DTSTART:20260501", "RRULE:FREQ=YEARLY;COUNT=3", "EXDATE:20270501", "RDATE:20270502",
    ]
    #expect(try dates(yearlyEvent) == "2026-05-01 2027-05-02 2028-05-01")
    let longEvent = ["DTSTART:20260501", "DTEND:20260503", "RDATE:20260701", "EXDATE:20260502"]
    #expect(try dates(longEvent) == "2026-05-01 2026-05-02 2026-07-01 2026-07-02")
  }

  @Test(arguments: [
    (["SUMMARY:a"], "3: the event has no DTSTART"),
    (["DTSTART:20260230"], "4: DTSTART must be a date that exists, such as 20260101; it is"),
    (["DTSTART:2026-05-01"], "4: DTSTART must be"), (["DTSTART:20260501,20260502"], "4: DTSTART"),
    (["DTSTART:20260501T08"], "4: DTSTART must be"), (["DTSTART:20260501 080000"], "4: DTSTART"),
    (["DTSTART:20260501T240000"], "4: DTSTART must be"), (["DTSTART:00000101"], "4: DTSTART"),
    (["DTSTART;VALUE=DATE:20260501T080000"], "4: DTSTART must be a date that"),
    (["DTSTART;VALUE=DATE-TIME:20260501"], "4: DTSTART must be a date and time"),
    (["DTSTART;VALUE=TEXT:20260501"], #"4: DTSTART with VALUE="TEXT" is not understood"#),
    (["DTSTART:20260501T220000Z"], "4: DTSTART 20260501T220000Z is a time in UTC, which can"),
    (["DTSTART:20260501", "DTSTART:20260502"], "5: DTSTART is given twice"),
    (["DTSTART:20260501", "DTEND:20260430"], "5: the event ends before it begins"),
    (
      ["DTSTART:20260501", "DTEND:20260502T000000"],
      "5: DTEND must be a date if DTSTART is a date, or else a date and time"
    ),
    (
      ["DTSTART:20260501T000000", "DTEND:20260502"],
      "5: DTEND must be a date if DTSTART is a date, or else a date and time"
    ),
    (["DTSTART:20260501", "DTEND:20260502", "DURATION:P1D"], "6: the event has both"),
    (["DTSTART:20260501", "DURATION:PT8H"], "5: DURATION must be whole days"),
    (["DTSTART:20260501", "DURATION:-P1D"], "5: DURATION must be such as P1D"),
    (["DTSTART:20260501", "DURATION:2d"], "5: DURATION must be such as P1D"),
    (
      ["DTSTART:20260501", "DURATION:P367D"],
      "5: the event lasts 367 days; at most 366 are allowed"
    ),
    (["DTSTART:20260501", "RDATE;VALUE=PERIOD:20260501T080000/PT1H"], "5: RDATE with VALUE="),
    (["DTSTART:20260501", "RDATE:20260501,"], "5: RDATE must be a date that exists"),
    (["DTSTART:20260501", "EXDATE:20260501T100000Z"], "5: EXDATE 20260501T100000Z is a time in"),
    (["DTSTART:20260501", "EXRULE:FREQ=YEARLY"], "5: EXRULE is not understood"),
    (["DTSTART:20260501", "RECURRENCE-ID:20260501"], "5: RECURRENCE-ID needs a UID"),
    (
      ["DTSTART:20260501", "UID:a", "RECURRENCE-ID;RANGE=THISANDFUTURE:20260501"],
      "6: RECURRENCE-ID with RANGE"
    ),
  ])
  func `an invalid event is rejected with the line of its fault`(lines: [String], message: String) {
    let complaints = Samples.complaints(
      Samples.calendar(lines: ["BEGIN:VEVENT"] + lines + ["END:VEVENT"]))
    #expect(complaints.count == 1, "\(complaints)")
    #expect(complaints.first?.hasPrefix(message) == true, "\(complaints)")
  }

  /// Returns the dates of an event that has the given lines, as "2026-01-01 2027-01-01".
  private func dates(_ lines: [String]) throws -> String {
    let text = Samples.calendar(lines: ["BEGIN:VEVENT"] + lines + ["END:VEVENT"])
    return try Samples.read(text).dates.map(\.description).joined(separator: " ")
  }
}
