import CivilTime
import Foundation
import JSON
import Testing

@testable import Reminders

/// Rule G16: a plan may have a recurrence rule of iCalendar.
@Suite struct PlanRuleTests {
  /// Random rules with their dates by the Python package `dateutil`; the script beside the file
  /// documents the lines.
  private static let lines = Result {
    let file = URL(filePath: #filePath).deletingLastPathComponent()
      .appending(path: "../Recurrence/rules.txt").standardized
    return try String(contentsOf: file, encoding: .utf8).split(separator: "\n").map(String.init)
  }

  private static func plan(_ rule: String, from: String = "2026-03-02") throws -> EntityPlan {
    try PlanReader(
      ["times": ["08:00"], "from": .string(from), "rule": .string(rule)], "data.plan"
    ).plan(nil)
  }

  @Test func `G16: the dates are those of dateutil`() throws {
    let lines = try Self.lines.get()
    try #require(lines.count >= 500)
    for line in lines {
      let words = line.split(separator: " ").map(String.init)
      let plan = try Self.plan(words[1], from: words[0])
      let start = try #require(LocalDate(words[0]))
      var dates: [String] = []
      var next = plan.firstDate(from: start)
      while let date = next, dates.count < 8, date.year <= start.year + 30 {
        dates.append("\(date)")
        next = plan.firstDate(from: date + 1)
      }
      if dates.count < 8 { dates.append("end") }
      #expect(dates == Array(words[2...]), "\(line)")
    }
  }

  @Test func `G16: a look-up between dates finds the next one`() throws {
    for line in try Self.lines.get() {
      let words = line.split(separator: " ").map(String.init)
      let plan = try Self.plan(words[1], from: words[0])
      let dates = words[2...].compactMap { LocalDate($0) }
      for (date, next) in zip(dates, dates.dropFirst()) {
        let between = date + 1 + (next - date - 1) / 2
        #expect(plan.firstDate(from: between) == next, "\(line)")
      }
    }
  }

  @Test func `G16: a rule survives its encoding`() throws {
    for line in try Self.lines.get() {
      let words = line.split(separator: " ").map(String.init)
      let plan = try Self.plan(words[1], from: words[0])
      var writer = ByteWriter()
      plan.write(to: &writer)
      let other = try writer.bytes.withUnsafeBytes { buffer in
        var reader = ByteReader(buffer)
        return try EntityPlan(from: &reader, hasChanges: false)
      }
      #expect(other == plan, "\(line)")
    }
  }

  @Test func `G16: COUNT counts doses, and UNTIL ends with its minute`() throws {
    func plan(_ rule: String) throws -> EntityPlan {
      try PlanReader(
        [
          "times": ["08:00", "20:00"], "from": "2026-03-02T20:00", "rule": .string(rule),
        ], "data.plan"
      ).plan(nil)
    }
    let counted = try plan("FREQ=DAILY;COUNT=4")
    #expect(counted.last.map { "\($0.date) \($0.minute)" } == "2026-03-04 480")
    let limited = try plan("FREQ=DAILY;UNTIL=20260305T120000")
    #expect(limited.last.map { "\($0.date) \($0.minute)" } == "2026-03-05 720")
    #expect(try limited.minutes(on: #require(LocalDate("2026-03-05"))) == [480])
  }

  @Test(arguments: [
    ("BYDAY=MO", "has no FREQ"),
    ("FREQ=HOURLY", "has FREQ=HOURLY; it must be DAILY, WEEKLY, MONTHLY or YEARLY"),
    (
      "FREQ=DAILY;BYHOUR=8",
      "has BYHOUR, which is not supported; supported are FREQ, INTERVAL, BYDAY, BYMONTHDAY, "
        + "BYMONTH, BYSETPOS, WKST, COUNT, UNTIL"
    ),
    ("FREQ=DAILY;FREQ=DAILY", "has FREQ twice; write it once"),
    ("FREQ=DAILY;", "has the part \"\"; a part is a name, = and a value"),
    ("FREQ=DAILY;INTERVAL=0", "has INTERVAL=0; it must be a whole number from 1 to 366"),
    (
      "FREQ=DAILY;COUNT=3;UNTIL=20260310", "has COUNT and UNTIL; keep one of them"
    ),
    (
      "FREQ=DAILY;UNTIL=20260310T090000Z",
      "has UNTIL=20260310T090000Z; it must be a local date such as 20260310, or a local time "
        + "such as 20260310T090000"
    ),
    (
      "FREQ=WEEKLY;BYDAY=1MO", "has an ordinal in BYDAY, which needs FREQ=MONTHLY or FREQ=YEARLY"
    ),
    ("FREQ=MONTHLY;BYDAY=XX", "has BYDAY=XX; it must be a day such as MO, 1MO or -1FR"),
    ("FREQ=WEEKLY;BYMONTHDAY=1", "has BYMONTHDAY, which cannot be used with FREQ=WEEKLY"),
    (
      "FREQ=MONTHLY;BYSETPOS=1", "has BYSETPOS, which needs BYDAY, BYMONTHDAY or BYMONTH"
    ),
    (
      "FREQ=YEARLY;BYMONTH=13", "has BYMONTH=13; it must be a whole number from 1 to 12, not 0"
    ),
    (
      "FREQ=DAILY;UNTIL=20260301",
      "has UNTIL on 2026-03-01, before from, which is 2026-03-02"
    ),
  ])
  func `G16: anything else is refused with the part named`(rule: String, message: String) {
    let refusal = #expect(throws: Refusal.self) { try Self.plan(rule) }
    #expect(refusal?.description == "data.plan.rule " + message)
  }

  @Test func `G16: a rule that has no date is refused at once`() {
    let refusal = #expect(throws: Refusal.self) {
      try Self.plan("FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=30")
    }
    #expect(
      refusal?.description == "data.plan has no dose; change its dates, from or until")
  }
}
