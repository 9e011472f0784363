import JSON
import Testing

@testable import Reminders

/// Rule G15: a plan is checked when it is reported, and an error names the part.
@Suite struct PlanReaderTests {
  @Test(arguments: [
    (#"7"#, #"data.plan must be an object such as {"times": ["08:00"]}; it is an integer"#),
    (#"{}"#, "data.plan.times is missing"),
    (#"{"times": []}"#, "data.plan.times must be a list of 1 to 8 times"),
    (
      #"{"times": ["08:00", "8:30"]}"#,
      #"data.plan.times[1] must be a time such as "08:00""#
    ),
    (
      #"{"times": ["08:00", "08:00"]}"#,
      #"data.plan.times[1] is "08:00" again; name each time once"#
    ),
    (
      #"{"times": ["08:00"], "day": ["mon"]}"#,
      #"data.plan.day is not known; did you mean "days"?; known are times, days, every, from, "#
        + "until, count, cycle, rule, zone, except, also"
    ),
    (
      #"{"times": ["08:00"], "days": ["mo"]}"#,
      #"data.plan.days[0] is not a day; did you mean "mon"?; known are mon, tue, wed, thu, fri, "#
        + "sat, sun"
    ),
    (
      #"{"times": ["08:00"], "days": []}"#,
      #"data.plan.days must be a list of days such as ["mon", "thu"]"#
    ),
    (
      #"{"times": ["08:00"], "every": {"days": 2}}"#,
      #"data.plan.every needs "from", the date from which it counts"#
    ),
    (
      #"{"times": ["08:00"], "every": {"weeks": 1}}"#,
      #"data.plan.every needs "from", the date from which it counts"#
    ),
    (
      #"{"times": ["08:00"], "every": {"weeks": 2, "days": 1}, "from": "2026-03-02"}"#,
      "data.plan.every must have exactly one of days, weeks and months"
    ),
    (
      #"{"times": ["08:00"], "every": {"days": 0}, "from": "2026-03-02"}"#,
      "data.plan.every.days must be a whole number from 1 to 366; it is 0"
    ),
    (
      #"{"times": ["08:00"], "every": {"days": 2}, "from": "2026-03-02", "days": ["mon"]}"#,
      #"data.plan.days can be used with weeks and "cycle", not with every 2 days"#
    ),
    (
      #"{"times": ["08:00"], "count": 7}"#,
      #"data.plan.count needs "from", the date from which it counts"#
    ),
    (
      #"{"times": ["08:00"], "count": 0, "from": "2026-03-02"}"#,
      "data.plan.count must be a whole number from 1 to 1000; it is 0"
    ),
    (
      #"{"times": ["08:00"], "cycle": {"on": 21}, "from": "2026-03-02"}"#,
      #"data.plan.cycle must have "on" and "off", both numbers of days"#
    ),
    (
      #"{"times": ["08:00"], "from": "2026-02-30"}"#,
      #"data.plan.from must be a date such as "2026-03-02", or a date and time such as "#
        + #""2026-03-02T20:00", from 1970 to 2149"#
    ),
    (
      #"{"times": ["08:00"], "from": "2026-03-02", "until": "2026-03-01"}"#,
      "data.plan.until is 2026-03-01, before from, which is 2026-03-02"
    ),
    (
      #"{"times": ["08:00"], "rule": "FREQ=DAILY"}"#,
      #"data.plan.rule needs "from", the date from which it counts"#
    ),
    (
      #"{"times": ["08:00"], "rule": "FREQ=DAILY", "from": "2026-03-02", "count": 3}"#,
      #"data.plan.count cannot be used with "rule"; write it into the rule"#
    ),
    (
      #"{"times": ["08:00"], "zone": "Europe/Berlín"}"#,
      #"data.plan.zone is "Europe/Berlín", which is neither floating nor a known zone"#
    ),
    (
      #"{"times": ["08:00"], "from": "2026-03-02", "until": "2026-03-03", "days": ["sun"]}"#,
      "data.plan has no dose; change its dates, from or until"
    ),
  ])
  func `G15: a wrong part is named with its place and the remedy`(
    text: String, message: String
  ) throws {
    let zones = try Fixtures.zones.get()
    let value = try JSONParser.parse(text)
    let refusal = #expect(throws: Refusal.self) { try PlanReader(value, "data.plan").plan(zones) }
    #expect(refusal?.description == message)
  }

  @Test func `G16: a rule is short, and names each day once`() throws {
    let days = Array(repeating: "SU", count: 20).joined(separator: ",")
    let reader = try PlanRuleReader("FREQ=WEEKLY;BYDAY=\(days)", "data.plan.rule")
    #expect(try reader.rule().days.count == 1)
    let long = "FREQ=WEEKLY;BYDAY=" + Array(repeating: "SU", count: 200).joined(separator: ",")
    let refusal = #expect(throws: Refusal.self) { try PlanRuleReader(long, "data.plan.rule") }
    #expect(refusal?.description == "data.plan.rule has 617 bytes; at most 512 are allowed")
  }
}
