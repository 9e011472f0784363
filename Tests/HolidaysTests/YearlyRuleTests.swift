import CivilTime
import Holidays
import Testing

/// RFC 5545, section 3.3.10: yearly rules, compared with dates computed by hand.
@Suite struct YearlyRuleTests {
  @Test(arguments: [
    ("20240704", "FREQ=YEARLY;COUNT=3", "2024-07-04 2025-07-04 2026-07-04"),
    ("19980704", "FREQ=YEARLY;COUNT=4", "2000-07-04 2001-07-04"),
    ("20240704", "FREQ=YEARLY;UNTIL=20260704", "2024-07-04 2025-07-04 2026-07-04"),
    ("20240704", "FREQ=YEARLY;UNTIL=20260703", "2024-07-04 2025-07-04"),
    ("20240704", "UNTIL=20250704T235959Z;FREQ=YEARLY", "2024-07-04 2025-07-04"),
    ("19970704", "FREQ=YEARLY;INTERVAL=4;UNTIL=20091231", "2001-07-04 2005-07-04 2009-07-04"),
    ("19970704", "FREQ=YEARLY;INTERVAL=3;UNTIL=20031231", "2000-07-04 2003-07-04"),
    ("20240229", "FREQ=YEARLY;UNTIL=20330101", "2024-02-29 2028-02-29 2032-02-29"),
    ("20960229", "FREQ=YEARLY", "2096-02-29"),
    ("20990704", "FREQ=YEARLY;WKST=SU", "2099-07-04 2100-07-04"),
    (
      "20240115", "FREQ=YEARLY;BYMONTH=7,1;UNTIL=20251231",
      "2024-01-15 2024-07-15 2025-01-15 2025-07-15"
    ),
    ("20240131", "FREQ=YEARLY;BYMONTH=1,2,3;COUNT=3", "2024-01-31 2024-03-31 2025-01-31"),
    (
      "20230228", "FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=-1;COUNT=3", "2023-02-28 2024-02-29 2025-02-28"
    ),
    ("20240110", "FREQ=YEARLY;BYMONTHDAY=10;COUNT=3", "2024-01-10 2024-02-10 2024-03-10"),
    // The fourth Thursday of November; 2028 and 2029 have five Thursdays in November.
    (
      "20241128", "FREQ=YEARLY;BYMONTH=11;BYDAY=4TH;COUNT=6",
      "2024-11-28 2025-11-27 2026-11-26 2027-11-25 2028-11-23 2029-11-22"
    ),
    ("20240527", "FREQ=YEARLY;BYMONTH=5;BYDAY=-1MO;COUNT=3", "2024-05-27 2025-05-26 2026-05-25"),
    // Fifth Mondays of April exist only in years in which April begins on a Sunday or a Monday.
    ("20240429", "FREQ=YEARLY;BYMONTH=4;BYDAY=5MO;COUNT=3", "2024-04-29 2029-04-30 2030-04-29"),
    (
      "20260101", "FREQ=YEARLY;BYMONTH=1;BYDAY=+1TH,-1FR;COUNT=4",
      "2026-01-01 2026-01-30 2027-01-07 2027-01-29"
    ),
    (
      "20260205", "FREQ=YEARLY;BYMONTH=2;BYDAY=TH;UNTIL=20261231",
      "2026-02-05 2026-02-12 2026-02-19 2026-02-26"
    ),
    // The first three dates of the RFC's example, 1997-05-19, 1998-05-18 and 1999-05-17, are before
    // the supported years.
    ("19970519", "FREQ=YEARLY;BYDAY=20MO;COUNT=5", "2000-05-15 2001-05-14"),
    ("20261228", "FREQ=YEARLY;BYDAY=-1MO;COUNT=3", "2026-12-28 2027-12-27 2028-12-25"),
    ("20241230", "FREQ=YEARLY;BYDAY=53MO;COUNT=2", "2024-12-30 2029-12-31"),
    // The US election day: the Tuesday after the first Monday.
    (
      "19961105", "FREQ=YEARLY;INTERVAL=4;BYMONTH=11;BYDAY=TU;BYMONTHDAY=2,3,4,5,6,7,8;COUNT=4",
      "2000-11-07 2004-11-02 2008-11-04"
    ),
    ("20240913", "FREQ=YEARLY;BYMONTHDAY=13;BYDAY=FR;COUNT=3", "2024-09-13 2024-12-13 2025-06-13"),
  ])
  func `a yearly rule has the right dates`(start: String, rule: String, expected: String) throws {
    #expect(try Samples.dates("DTSTART;VALUE=DATE:\(start)", "RRULE:\(rule)") == expected)
  }

  @Test func `a rule that begins after the supported years has no dates`() throws {
    #expect(try Samples.dates("DTSTART:21010704", "RRULE:FREQ=YEARLY") == "")
    #expect(try Samples.dates("DTSTART:99991231", "RRULE:FREQ=YEARLY;BYDAY=FR") == "")
  }

  @Test func `a long event may begin in the previous year`() throws {
    let dates = try Samples.dates("DTSTART:19801230", "DURATION:P4D", "RRULE:FREQ=YEARLY")
    #expect(dates.hasPrefix("2000-01-01 2000-01-02 2000-12-30 2000-12-31 2001-01-01 2001-01-02 "))
    #expect(dates.hasSuffix("2100-01-02 2100-12-30 2100-12-31"))
  }

  @Test(arguments: [
    ("20240704", "FREQ=MONTHLY", #"FREQ="MONTHLY" is not understood, only FREQ=YEARLY"#),
    ("20240704", "FREQ=YEARLY;BYSETPOS=-1", #"its part "BYSETPOS" is not understood"#),
    ("20240704", "FREQ=YEARLY;BYYEARDAY=100", #"its part "BYYEARDAY" is not understood"#),
    ("20240704", "FREQ=YEARLY;BYWEEKNO=20", #"its part "BYWEEKNO" is not understood"#),
    ("20240704", "FREQ=YEARLY;BYHOUR=8", #"its part "BYHOUR" is not understood"#),
    ("20240704", "FREQ=YEARLY;RSCALE=CHINESE", #"its part "RSCALE" is not understood"#),
    ("20240704", "INTERVAL=1", "FREQ=YEARLY is missing"),
    ("20240704", "", "FREQ=YEARLY is missing"),
    ("20240704", "FREQ=YEARLY;COUNT", #"its part "COUNT" has no value"#),
    ("20240704", "FREQ=YEARLY;COUNT=2;COUNT=3", #""COUNT" is given twice"#),
    ("20240704", "FREQ=YEARLY;COUNT=2;UNTIL=20270101", "it has both COUNT and UNTIL"),
    ("20240704", "FREQ=YEARLY;COUNT=0", #"COUNT="0" is not a number from 1 to 99999"#),
    ("20240704", "FREQ=YEARLY;INTERVAL=x", #"INTERVAL="X" is not a number from 1"#),
    ("20240704", "FREQ=YEARLY;BYMONTH=13", #"BYMONTH="13" is not a number from 1 to 12"#),
    ("20240704", "FREQ=YEARLY;BYMONTH=7,", #"BYMONTH="" is not a number"#),
    ("20240704", "FREQ=YEARLY;BYMONTHDAY=0", "from -31 to 31 but not 0"),
    ("20240704", "FREQ=YEARLY;BYDAY=0MO", "from -53 to 53 but not 0"),
    ("20240704", "FREQ=YEARLY;BYDAY=XX", #""XX" is not a day of the week"#),
    ("20240704", "FREQ=YEARLY;BYDAY=1MO;BYMONTHDAY=1", "cannot be combined with BYMONTHDAY"),
    ("20240704", "FREQ=YEARLY;UNTIL=2027", #"UNTIL="2027" is not a date; write it like 20351231"#),
    ("20240704", "FREQ=YEARLY;UNTIL=20240703", "the RRULE ends before DTSTART"),
    ("20240704", "FREQ=YEARLY;BYMONTH=11;BYDAY=4TH", "set DTSTART to 2024-11-28"),
    ("20240704", "FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=30", "no date for a long time after DTSTART"),
    ("20240704", "FREQ=YEARLY;UNTIL=20260704T110000Z", "depends on the time zone"),
  ])
  func `an unsupported rule is rejected with its fault`(
    start: String, rule: String, message: String
  ) {
    let complaints = Samples.complaints(
      Samples.calendar(event: "DTSTART;VALUE=DATE:\(start)", "RRULE:\(rule)"))
    #expect(complaints.count == 1)
    #expect(complaints.first?.contains(message) == true, "\(complaints)")
  }

  /// The time zone matters only if the last date is from 12 hours before to 14 hours after UNTIL.
  @Test(arguments: [
    ("20260704T080000", "20260704T200000Z", 3), ("20260704T080000", "20260704T195959Z", nil),
    ("20260704T080000", "20260703T180000Z", nil), ("20260704T080000", "20260703T175959Z", 2),
    ("20260704T080000", "20260704T080000", 3), ("20260704T080000", "20260704T075959", 2),
    ("20260704T080000", "20260704", 3), ("20260704T000000Z", "20260704T000000Z", 3),
    ("20260704T000000Z", "20260703T235959Z", 2), ("20260704", "20260704T000000", 3),
    ("20260704", "20260704T120000Z", 3),
  ])
  func `UNTIL in UTC is accepted unless the time zone matters`(
    last: String, until: String, count: Int?
  ) throws {
    let text = Samples.calendar(
      event: "DTSTART:2024\(last.dropFirst(4))", "RRULE:FREQ=YEARLY;UNTIL=\(until)")
    guard let count else {
      #expect(Samples.complaints(text).first?.contains("depends on the time zone") == true)
      return
    }
    #expect(try Samples.read(text).dates.count == count)
  }
}
