import CivilTime
import JSON
import Testing

@testable import Reminders

/// Rule E15: EXDATE, RDATE and RECURRENCE-ID become exceptions and further doses of a plan.
@Suite struct CalendarDatesTests {
  private static let daily = "DTSTART:20260302T090000\nRRULE:FREQ=DAILY"
  private static let berlin = "DTSTART;TZID=Europe/Berlin:20260302T090000\nRRULE:FREQ=DAILY"

  /// Returns a calendar with a series and the components that change its dates.
  private static func calendar(_ series: String, _ changes: [String] = []) -> String {
    let components = [series] + changes
    return "BEGIN:VCALENDAR\n" + components.map { CalendarSample.component($0) }.joined()
      + "END:VCALENDAR\n"
  }

  /// Returns the changes of an imported plan, such as "-2026-03-03 +2026-03-05T10:00".
  private static func changes(
    _ series: String, _ changes: [String] = [], allDay: String? = nil
  ) throws -> String {
    let result = try CalendarSample.imported(calendar(series, changes), allDay: allDay)
    #expect(result.flaws == [] && result.ignored == [])
    let plan = try #require(result.entries.first?.document["data"]?["schedule"])
    let texts = [("-", "except"), ("+", "also")].flatMap { sign, name in
      (plan[name]?.arrayValue ?? []).map { sign + ($0.stringValue ?? "") }
    }
    return texts.joined(separator: " ")
  }

  @Test(arguments: [
    ("EXDATE:20260303T090000", "-2026-03-03"),
    ("EXDATE:20260305T090000,20260303T090000\nEXDATE:20260305T090000", "-2026-03-03 -2026-03-05"),
    ("EXDATE;VALUE=DATE:20260303", "-2026-03-03"),
    ("EXDATE;TZID=Europe/Berlin:20260303T090000", "-2026-03-03"),
    ("EXDATE:20260303T080000Z", "-2026-03-03"),
    ("EXDATE;TZID=America/New_York:20260303T030000", "-2026-03-03"),
    // The summer time begins on 29 March.
    ("EXDATE:20260330T070000Z", "-2026-03-30"),
    ("RDATE;TZID=Europe/Berlin:20260301T100000", "+2026-03-01T10:00"),
    ("RDATE:20260305T120000Z,20260304T223000Z", "+2026-03-04T23:30 +2026-03-05T13:00"),
    // EXDATE also leaves out dates of RDATE.
    ("RDATE:20260305T120000Z,20260306T120000Z\nEXDATE:20260305T120000Z", "+2026-03-06T13:00"),
  ])
  func `E15: EXDATE leaves out dates, and RDATE adds them`(lines: String, changes: String) throws {
    #expect(try Self.changes("\(Self.berlin)\n\(lines)") == changes)
  }

  @Test(arguments: [
    ("EXDATE;VALUE=DATE:20260303", "-2026-03-03"), ("EXDATE:20260303T000000", "-2026-03-03"),
    ("RDATE;VALUE=DATE:20260401", "+2026-04-01T07:30"),
  ])
  func `E15: dates of a series of whole days have the time of whole days`(
    lines: String, changes: String
  ) throws {
    let series = "DTSTART;VALUE=DATE:20260302\nRRULE:FREQ=WEEKLY;BYDAY=MO,TU\n\(lines)"
    #expect(try Self.changes(series, allDay: "07:30") == changes)
  }

  @Test(arguments: [
    ("RECURRENCE-ID:20260303T090000\nDTSTART:20260303T150000", "-2026-03-03 +2026-03-03T15:00"),
    ("RECURRENCE-ID:20260303T090000\nDTSTART:20260227T090000", "-2026-03-03 +2026-02-27T09:00"),
    ("RECURRENCE-ID;VALUE=DATE:20260303\nDTSTART:20260303T080000", "-2026-03-03 +2026-03-03T08:00"),
    // Only other properties than the time have changed.
    ("RECURRENCE-ID:20260303T090000\nDTSTART:20260303T090000\nDESCRIPTION:Other", ""),
    ("RECURRENCE-ID:20260303T090000\nSTATUS:CANCELLED", "-2026-03-03"),
    ("RECURRENCE-ID:20260303T090000\nDTSTART:20260303T090000\nstatus:completed", "-2026-03-03"),
    // The date is moved to that of another dose, which is one.
    ("RECURRENCE-ID:20260303T090000\nDTSTART:20260304T090000", "-2026-03-03 +2026-03-04T09:00"),
  ])
  func `E15: a component with a RECURRENCE-ID moves a date or leaves it out`(
    change: String, changes: String
  ) throws {
    #expect(try Self.changes(Self.daily, [change]) == changes)
  }

  @Test func `E15: a moved date of another zone has the zone of its series`() throws {
    let change = """
      RECURRENCE-ID;TZID=America/New_York:20260303T030000
      DTSTART;TZID=Asia/Tokyo:20260304T010000
      """
    #expect(try Self.changes(Self.berlin, [change]) == "-2026-03-03 +2026-03-03T17:00")
  }

  @Test func `E15: changes combine, and their order makes no difference`() throws {
    let series = "\(Self.daily)\nRDATE:20260401T100000\nEXDATE:20260305T090000,20260306T090000"
    let changes = [
      "RECURRENCE-ID:20260401T100000\nDTSTART:20260402T100000",
      "RECURRENCE-ID:20260303T090000\nDTSTART:20260303T150000",
      // Some programs list a moved date as EXDATE too.
      "RECURRENCE-ID:20260305T090000\nDTSTART:20260305T200000",
      "RECURRENCE-ID:20260307T090000\nSTATUS:CANCELLED",
    ]
    let expected =
      "-2026-03-03 -2026-03-05 -2026-03-06 -2026-03-07 +2026-03-03T15:00 +2026-03-05T20:00 "
      + "+2026-04-02T10:00"
    #expect(try Self.changes(series, changes) == expected)
    #expect(try Self.changes(series, changes.reversed()) == expected)
    let components = changes.map { CalendarSample.component($0) }.joined()
    let text = "BEGIN:VCALENDAR\n\(components)END:VCALENDAR\n" + Self.calendar(series)
    let entries = try CalendarSample.imported(text).entries
    let same = try CalendarSample.imported(Self.calendar(series, changes)).entries
    #expect(entries.map(\.document) == same.map(\.document))
  }

  @Test func `E15: an event without a rule may have further dates and be moved`() throws {
    let once = "DTSTART:20260302T090000"
    let moved = "RECURRENCE-ID:20260302T090000\nDTSTART:20260302T100000"
    #expect(try Self.changes("\(once)\nRDATE:20260305T080000") == "+2026-03-05T08:00")
    #expect(try Self.changes(once, [moved]) == "-2026-03-02 +2026-03-02T10:00")
    let plan = try CalendarSample.data(Self.calendar("\(once)\nRDATE:20260305T080000"))["schedule"]
    #expect(plan?["until"] == "2026-03-02" && plan?["count"] == nil)
  }

  @Test func `E15: a changed date of a task is planned for when it is due`() throws {
    let parts = [
      "DTSTART:20260302T090000\nRRULE:FREQ=DAILY",
      "RECURRENCE-ID:20260303T090000\nDTSTART:20260303T090000\nDUE:20260303T170000",
      "RECURRENCE-ID:20260304T090000\nDUE:20260304T090000\nCOMPLETED:20260301T120000Z",
    ]
    let tasks = parts.map { CalendarSample.component($0, kind: "VTODO") }.joined()
    let plan = try CalendarSample.data("BEGIN:VCALENDAR\n\(tasks)END:VCALENDAR\n")["schedule"]
    #expect(plan?["except"] == ["2026-03-03", "2026-03-04"])
    #expect(plan?["also"] == ["2026-03-03T17:00"])
  }

  @Test func `E15: a value of EXDATE that is no time of the series is ignored and listed`() throws {
    let lines = "EXDATE:20260303T100000\nEXDATE:20260301T090000,20260304T090000"
    let result = try CalendarSample.imported(Self.calendar("\(Self.daily)\n\(lines)"))
    #expect(result.flaws == [])
    #expect(
      result.ignored.map(\.description) == [
        "line 7: EXDATE has 2026-03-03 10:00, which is no time of the series",
        "line 8: EXDATE has 2026-03-01 09:00, which is no time of the series",
      ])
    #expect(result.entries.first?.document["data"]?["schedule"]?["except"] == ["2026-03-04"])
  }

  /// The series begins in line 2, and its change in line 9.
  @Test(arguments: [
    ("RDATE;VALUE=PERIOD:20260303T090000/PT1H", "", "line 7: RDATE has periods, and a plan has on"),
    ("RDATE;VALUE=DATE:20260303", "", "line 7: RDATE is a whole day, and DTSTART has a time; give"),
    ("RDATE:20260303T090030", "", "line 7: RDATE has seconds; give the time in minutes"),
    ("RDATE:20260303T090000Z", "", "line 7: RDATE has a zone, and the series has none; give local"),
    ("EXDATE:20260303T090000Z", "", "line 7: EXDATE has a zone, and the series has none; give loc"),
    (
      "EXDATE:20260303T090000,soon", "", "line 7: EXDATE must be a date such as VALUE=DATE:20260302"
    ),
    ("RDATE:22000303T090000", "", "line 7: RDATE has 2200-03-03, which is not from 1970 to 2149"),
    (
      "X-A:1", "RECURRENCE-ID;RANGE=THISANDFUTURE:20260303T090000\nDTSTART:20260303T100000",
      "line 12: RECURRENCE-ID changes all later dates too (RANGE), which a plan cannot; end the"
    ),
    (
      "X-A:1", "RECURRENCE-ID:20260303T100000\nDTSTART:20260303T100000",
      "line 12: RECURRENCE-ID is 2026-03-03 10:00, which is no time of the series; remove the"
    ),
    (
      "X-A:1", "RECURRENCE-ID:20260303T090000\nDTSTART:20260303T100000\nLOCATION:Bath",
      "line 14: LOCATION differs from that of the series, and a plan has one for all dates; remove"
    ),
    (
      "X-A:1", "RECURRENCE-ID:20260303T090000\nDTSTART:20260303T100000\nRDATE:20260304T100000",
      "line 14: RDATE repeats a changed date, which a plan cannot; remove the line"
    ),
    (
      "X-A:1", "RECURRENCE-ID:20260303T090000\nDTSTART:20260303T100000Z",
      "line 13: DTSTART has a zone, and the series has none; give local times"
    ),
  ])
  func `E15: a change that a plan cannot express is named`(
    line: String, change: String, message: String
  ) throws {
    let changes = change.isEmpty ? [] : [change]
    let result = try CalendarSample.imported(Self.calendar("\(Self.daily)\n\(line)", changes))
    let texts = result.flaws.map(\.description)
    #expect(texts.count == 1 && texts[0].hasPrefix(message), "\(texts)")
  }

  @Test func `E15: each flaw of several changes is listed`() throws {
    let change = "RECURRENCE-ID:20260303T090000\nDTSTART:20260303T100000"
    let other = CalendarSample.component(change, summary: "Zinc")
    let sameDate = "RECURRENCE-ID;VALUE=DATE:20260303\nDTSTART:20260304T110000"
    let text =
      "BEGIN:VCALENDAR\n" + CalendarSample.component("\(Self.daily)\nRDATE:20260401T100000Z")
      + other + CalendarSample.component(change) + CalendarSample.component(sameDate)
      + "END:VCALENDAR\n"
    let flaws = try CalendarSample.imported(text).flaws.map(\.description)
    try #require(flaws.count == 3)
    #expect(flaws[0].hasPrefix("line 7: RDATE has a zone"), "\(flaws)")
    #expect(flaws[1].hasPrefix("line 11: SUMMARY differs from that of the series"), "\(flaws)")
    #expect(flaws[2].hasPrefix("line 24: RECURRENCE-ID changes the date that line 18"), "\(flaws)")
  }

  @Test func `E13: each faulty line of RDATE and EXDATE is listed`() throws {
    let lines = [
      "RDATE:20260401T100000Z", "RDATE;VALUE=PERIOD:20260402T100000/PT1H", "EXDATE:foo",
      "EXDATE;TZID=Nowhere:20260305T090000",
    ]
    let text =
      "BEGIN:VCALENDAR\n"
      + CalendarSample.component(([Self.daily] + lines).joined(separator: "\n"))
      + "END:VCALENDAR\n"
    let flaws = try CalendarSample.imported(text).flaws.map { "\($0.line) \($0.part)" }
    #expect(flaws == ["7 RDATE", "8 RDATE", "9 EXDATE", "10 EXDATE"])
  }

  @Test func `H6: a plan has at most 64 changes of each kind`() throws {
    let first = try #require(LocalDate("2026-03-03"))
    let values = (0..<65).map { "\(first + $0)".filter { $0 != "-" } + "T090000" }
    let most = values.dropLast().joined(separator: ",")
    #expect(try Self.changes("\(Self.daily)\nEXDATE:\(most)").count == 64 * 12 - 1)
    for name in ["EXDATE", "RDATE"] {
      let lines = "\(name):\(values.joined(separator: ","))".replacing(
        "T09", with: name == "RDATE" ? "T10" : "T09")
      let flaws = try CalendarSample.imported(Self.calendar("\(Self.daily)\n\(lines)")).flaws
      #expect(
        flaws.map(\.description) == [
          "line 7: \(name) exceeds the 64 dates that a plan can change; remove dates that have "
            + "passed, or begin the series later"
        ])
    }
  }

  @Test func `E15: a series whose dates are all left out is refused`() throws {
    let lines = "DTSTART:20260302T090000\nRRULE:FREQ=DAILY;COUNT=1\nEXDATE:20260302T090000"
    #expect(
      try CalendarSample.imported(Self.calendar(lines)).flaws.map(\.description) == [
        "line 2: VEVENT has no date that is not left out; remove the component"
      ])
  }

  @Test func `E14: a changed date changes the component, and the same file is known`() throws {
    var player = Player(planner: try CalendarSample.planner.get(), now: try utc("2026-03-01 12:00"))
    func imported(_ lines: String, _ changes: [String] = []) throws -> CalendarImport {
      let result = try CalendarSample.imported(
        Self.calendar(lines, changes), recipient: player.recipient, now: player.now)
      #expect(result.flaws == [])
      return result
    }
    func comparison(_ lines: String, _ changes: [String] = []) throws -> CalendarComparison? {
      try imported(lines, changes).comparisons(
        with: player.recipient, now: player.now, planner: player.planner
      ).first
    }
    let moved = "RECURRENCE-ID:20260303T090000\nDTSTART:20260303T150000"
    let series = "\(Self.daily)\nEXDATE:20260304T090000"
    let data = try #require(try imported(series, [moved]).entries.first?.document["data"])
    try player.take("planned", data)
    #expect(try comparison(series, [moved]) == .known)
    #expect(try comparison(series) == .changed)
    #expect(try comparison(Self.daily, [moved]) == .changed)
    player.advance(to: try utc("2026-03-05 12:00"))
    #expect(try comparison(series, [moved]) == .known)
    #expect(
      player.entries.map(\.planned) == [
        try utc("2026-03-02 09:00"), try utc("2026-03-03 15:00"), try utc("2026-03-05 09:00"),
      ])
  }

  // MARK: - Alarms of RFC 9074

  @Test(arguments: [
    // The alarm before the event rang at 08:30, and does not ring again.
    ("DTSTART:20260302T090000", "20260302T083000Z", true),
    ("DTSTART:20260302T090000", "20260302T082959Z", false),
    ("DTSTART;TZID=Europe/Berlin:20260302T090000", "20260302T073000Z", true),
    // It rings again on the next date.
    ("DTSTART:20260302T090000\nRRULE:FREQ=DAILY", "20260302T083000Z", false),
  ])
  func `E16: an alarm that was acknowledged does not ring again`(
    time: String, acknowledged: String, isExpressed: Bool
  ) throws {
    let alarm = "BEGIN:VALARM\nTRIGGER:-PT30M\nACKNOWLEDGED:\(acknowledged)\nEND:VALARM"
    let result = try CalendarSample.imported(CalendarSample.file("\(time)\n\(alarm)"))
    #expect(result.flaws.isEmpty == isExpressed && result.ignored.isEmpty)
  }

  @Test func `E16: a snooze of an alarm is left out and listed`() throws {
    let alarms = """
      BEGIN:VALARM
      UID:1
      TRIGGER:PT0S
      ACKNOWLEDGED:20260302T090100Z
      END:VALARM
      BEGIN:VALARM
      UID:2
      TRIGGER;VALUE=DATE-TIME:20260302T092000Z
      RELATED-TO;RELTYPE=SNOOZE:1
      END:VALARM
      """
    let file = CalendarSample.file("\(Self.daily)\n\(alarms)")
    let result = try CalendarSample.imported(file)
    #expect(result.flaws == [] && result.entries.count == 1)
    #expect(
      result.ignored.map(\.description) == [
        "line 15: RELATED-TO snoozes an alarm, and snoozes are not imported"
      ])
    let rung = file.replacing("UID:2", with: "ACKNOWLEDGED:20260302T092000Z")
    #expect(try CalendarSample.imported(rung).ignored == [])
  }
}
