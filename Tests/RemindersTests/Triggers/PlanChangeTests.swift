import CivilTime
import JSON
import Testing

@testable import Reminders

/// Rule G21: a plan may leave out single dates, and have further doses.
@Suite struct PlanChangeTests {
  private static func plan(_ text: String) throws -> EntityPlan {
    try PlanReader(try JSONParser.parse(text), "data.plan").plan(try Fixtures.zones.get())
  }

  /// Returns the doses up to the end of a date, such as "03-02 08:00".
  private static func doses(_ text: String, through end: String = "2026-03-31") throws -> [String] {
    let plan = try plan(text)
    let end = try #require(LocalDate(end))
    var (doses, date): ([String], LocalDate?) = ([], plan.firstDate(from: end - 365))
    while let current = date, current <= end {
      for minute in plan.minutes(on: current) {
        let time = try #require(LocalTime(minuteOfDay: minute))
        doses.append("\("\(current)".dropFirst(5)) \(time)")
      }
      date = plan.firstDate(from: current + 1)
    }
    return doses
  }

  @Test(arguments: [
    // A date that is left out, and one that the plan does not have.
    (
      #""times":["08:00"],"from":"2026-03-02","until":"2026-03-04""#,
      #""except":["2026-03-03","2027-01-01"]"#,
      ["03-02 08:00", "03-04 08:00"]
    ),
    // A moved dose, also to another time of its own date.
    (
      #""times":["08:00"],"from":"2026-03-02","until":"2026-03-03""#,
      #""except":["2026-03-03"],"also":["2026-03-03T15:00"]"#,
      ["03-02 08:00", "03-03 15:00"]
    ),
    // Further dates have the times of the plan, and may be before and after it.
    (
      #""times":["20:00","08:00"],"from":"2026-03-02T20:00","until":"2026-03-02""#,
      #""also":["2026-03-09","2026-02-27T09:30"]"#,
      ["02-27 09:30", "03-02 20:00", "03-09 08:00", "03-09 20:00"]
    ),
    // A further dose at the time of a regular one is the same dose.
    (
      #""times":["08:00"],"from":"2026-03-02","until":"2026-03-03""#,
      #""also":["2026-03-03","2026-03-03T08:00","2026-03-03T12:00"]"#,
      ["03-02 08:00", "03-03 08:00", "03-03 12:00"]
    ),
    // On the first date, only further doses are before its time.
    (
      #""times":["08:00","20:00"],"from":"2026-03-02T20:00","until":"2026-03-02""#,
      #""also":["2026-03-02T07:00"]"#,
      ["03-02 07:00", "03-02 20:00"]
    ),
    // Steps are not shifted.
    (
      #""times":["08:00"],"from":"2026-03-02","until":"2026-03-08","every":{"days":2}"#,
      #""except":["2026-03-04"],"also":["2026-03-05"]"#,
      ["03-02 08:00", "03-05 08:00", "03-06 08:00", "03-08 08:00"]
    ),
    (
      #""times":["08:00"],"from":"2026-03-02","until":"2026-03-07","cycle":{"on":2,"off":2}"#,
      #""except":["2026-03-03"],"also":["2026-03-04"]"#,
      ["03-02 08:00", "03-04 08:00", "03-06 08:00", "03-07 08:00"]
    ),
    // All dates are left out.
    (
      #""times":["08:00"],"from":"2026-03-02","until":"2026-03-02""#,
      #""except":["2026-03-02"],"also":["2026-03-05T09:00"]"#,
      ["03-05 09:00"]
    ),
  ])
  func `G21: single dates change, and the others stay`(
    members: String, changes: String, doses: [String]
  ) throws {
    #expect(try Self.doses("{\(members),\(changes)}") == doses)
  }

  @Test(arguments: [
    (#""except":["2026-03-03"]"#, ["03-02", "03-04", "03-05"]),
    (#""also":["2026-03-20"]"#, ["03-02", "03-03", "03-20"]),
    (#""also":["2026-03-01"]"#, ["03-01", "03-02", "03-03"]),
    (#""also":["2026-03-03"]"#, ["03-02", "03-03", "03-04"]),
    (#""except":["2026-03-03"],"also":["2026-03-06T08:00"]"#, ["03-02", "03-04", "03-06"]),
    (#""except":["2026-03-03"],"also":["2026-03-03T08:00"]"#, ["03-02", "03-03", "03-04"]),
  ])
  func `G21: a course of three doses has three`(changes: String, dates: [String]) throws {
    let plan = #"{"times":["08:00"],"from":"2026-03-02","count":3,"# + changes + "}"
    #expect(try Self.doses(plan) == dates.map { $0 + " 08:00" })
  }

  @Test func `G21: COUNT of a rule counts the dates of the rule, including excepted ones`() throws {
    let plan =
      #"{"times":["08:00"],"from":"2026-03-02","rule":"FREQ=DAILY;COUNT=3","#
      + #""except":["2026-03-03"],"also":["2026-03-20"]}"#
    #expect(try Self.doses(plan) == ["03-02 08:00", "03-04 08:00", "03-20 08:00"])
  }

  @Test func `G21: the order and the repetition of changes make no difference`() throws {
    let start = #"{"times":["08:00"],"except":"#
    let also = #""2026-03-04T09:00""#
    let plan = try Self.plan(start + #"["2026-03-04","2026-03-03"],"also":["# + also + "]}")
    let dates = #"["2026-03-03","2026-03-04","2026-03-03"]"#
    let same = try Self.plan(start + dates + #","also":["# + also + "," + also + "]}")
    #expect(plan == same)
    #expect(plan.exceptions.map(\.description) == ["2026-03-03", "2026-03-04"])
  }

  @Test(arguments: [
    (
      #""except":"2026-03-03""#,
      "except must be a list of at most 64 dates; it is a string; remove dates that have passed"
    ),
    (
      #""except":["2026-03-03","2026-02-30"]"#,
      #"except[1] must be a date such as "2026-03-02", from 1970 to 2149"#
    ),
    (
      #""except":["2026-03-03T08:00"]"#,
      #"except[0] must be a date such as "2026-03-02", from 1970 to 2149"#
    ),
    (
      #""also":["2026-03-03 08:00"]"#,
      #"also[0] must be a date such as "2026-03-02", or a date and time such as "#
        + #""2026-03-02T20:00", from 1970 to 2149"#
    ),
    (
      #""from":"2026-03-02","count":1,"also":["2026-03-03"]"#,
      #"count must be above 1, the number of doses in "also", because it counts all doses; it is 1"#
    ),
    (
      #""except":["# + (1...65).map { _ in #""2026-03-03""# }.joined(separator: ",") + "]",
      "except must be a list of at most 64 dates; it has 65; remove dates that have passed"
    ),
  ])
  func `G21: a wrong change is named with its place and the remedy`(
    changes: String, message: String
  ) {
    let refusal = #expect(throws: Refusal.self) {
      try Self.plan(#"{"times":["08:00"],"# + changes + "}")
    }
    #expect(refusal?.description == "data.plan." + message)
  }

  @Test func `G21: a plan has at most 64 further doses, and all dates of a plan may be excepted`()
    throws
  {
    let dates = (0..<33).map { LocalDate(daysSinceEpoch: 20_514 + $0) }
    let also = dates.map { "\"\($0)\"" }.joined(separator: ",")
    let refusal = #expect(throws: Refusal.self) {
      try Self.plan(#"{"times":["08:00","20:00"],"also":["# + also + "]}")
    }
    #expect(
      refusal?.description == "data.plan.also has 66 doses, as a date has each of times; at most "
        + "64 are allowed; report the others as another plan")
    let empty = #expect(throws: Refusal.self) {
      try Self.plan(
        #"{"times":["08:00"],"from":"2026-03-02","until":"2026-03-02","except":["2026-03-02"]}"#)
    }
    #expect(empty?.description == "data.plan has no dose; change its dates, from or until")
  }

  // MARK: - Reminders

  private static let catalog = Fixtures.catalog(
    events: "{planned: {medicine: identifier, schedule: plan}, taken: {medicine: identifier}}",
    reminders: [
      "dose": "every: {plan: schedule}, since: planned, unless: taken"
    ])

  private static func event(_ schedule: String) -> String {
    #"event planned {"medicine": "iron", "schedule": {"times": ["08:00"], "# + schedule + "}}"
  }

  @Test func `G21: changes are sent at their times, and a held dose ends by an exception`() throws {
    try Diary.expect(
      """
      2026-03-02 06:00  created
      2026-03-02 06:00  \(Self.event(#""except": ["2026-03-03"], "also": ["2026-03-03T22:30"]"#))
      2026-03-02 08:00  > dose
      2026-03-02 12:00  restart
      2026-03-02 12:00  quiet 22:00 06:00
      2026-03-03 23:00  \(Self.event(#""except": ["2026-03-03"], "also": ["2026-03-04"]"#))
      2026-03-04 08:00  > dose
      2026-03-05 00:00  end
      """, catalog: Self.catalog)
  }

  @Test func `G21: an event ends the further dose that follows it, from the middle of the times`()
    throws
  {
    try Diary.expect(
      """
      2026-03-02 06:00  created
      2026-03-02 06:00  \(Self.event(#""also": ["2026-03-02T12:00", "2026-03-04T12:00"]"#))
      2026-03-02 08:00  > dose
      2026-03-02 10:30  event taken {"medicine": "iron"}
      2026-03-03 08:00  > dose
      2026-03-04 08:00  > dose
      2026-03-04 09:30  event taken {"medicine": "iron"}
      2026-03-04 12:00  > dose
      2026-03-05 00:00  end
      """, catalog: Self.catalog)
  }

  @Test func `E8: an exception that is no date of the plan is a warning`() throws {
    let planner = try Fixtures.planner(catalog: Self.catalog)
    let plan: JSONValue = [
      "times": ["08:00"], "days": ["mon"], "except": ["2026-03-09", "2026-03-10"],
    ]
    let event = try EventReader(planner: planner).event(
      [
        "specversion": "1.0", "id": "1", "source": "app", "type": "planned", "subject": "amina",
        "data": ["medicine": "iron", "schedule": plan],
      ], now: try utc("2026-03-02 07:00"))
    #expect(
      event.warnings(at: try utc("2026-03-02 07:00"), in: planner.catalog) == [
        "data.schedule.except: 2026-03-10 is no date of the plan; check the date"
      ])
  }
}
