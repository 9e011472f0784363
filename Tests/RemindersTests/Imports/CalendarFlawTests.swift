import Reminders
import Testing

/// Rule E13: each part that no event expresses is named with its line and the remedy.
@Suite struct CalendarFlawTests {
  private static let time = "DTSTART:20260302T090000"

  @Test(arguments: [
    ("\(time)\nEXRULE:FREQ=DAILY", "line 6: EXRULE leaves out dates by a rule, which a plan"),
    ("\(time)\nSTATUS:cancelled", "line 6: STATUS is cancelled; remove the component, and report"),
    ("\(time)\nCOMPLETED:20260303T090000Z", "line 6: COMPLETED ends the task; remove the task"),
    ("\(time)\nDTSTART:20260303T090000", "line 6: DTSTART is given twice; remove one"),
    ("\(time)\nRRULE:FREQ=DAILY\nRRULE:FREQ=DAILY", "line 7: RRULE is given twice; remove one"),
    (
      "\(time)\nRECURRENCE-ID:20260302T090000",
      "line 6: RECURRENCE-ID changes a date of a series that the file does not contain; export the"
    ),
    ("DUE:20260303T090000", "line 2: VEVENT has no time; add DTSTART"),
    ("DTSTART:2026-03-02", "line 5: DTSTART must be a date such as VALUE=DATE:20260302"),
    ("DTSTART:20260230T090000", "line 5: DTSTART must be a date"),
    ("DTSTART;VALUE=DATE:20260302T090000", "line 5: DTSTART must be a date"),
    ("DTSTART;VALUE=DATE-TIME:20260302", "line 5: DTSTART must be a date"),
    ("DTSTART;VALUE=PERIOD:20260302T090000", "line 5: DTSTART must be a date"),
    ("DTSTART:20260302T250000", "line 5: DTSTART must be a date"),
    ("DTSTART:20260302T090030", "line 5: DTSTART has seconds; give the time in minutes"),
    ("DTSTART;VALUE=DATE:20260302", "line 5: DTSTART is a whole day; give a time in the calendar"),
    (
      "DTSTART:19530412T090000\nRRULE:FREQ=YEARLY",
      "line 5: DTSTART is before 1970; begin the series in 1970 or later, or remove the component"
    ),
    ("DTSTART:22000302T090000", "line 5: DTSTART must be a date such as \"2026-03-02\""),
    (
      "DTSTART;TZID=Nowhere/Town:20260302T090000",
      "line 5: DTSTART has the zone \"Nowhere/Town\", which is not known; use a name such as"
    ),
    ("\(time)\nRRULE:FREQ=HOURLY", "line 6: RRULE has FREQ=HOURLY; it must be DAILY, WEEKLY"),
    ("\(time)\nRRULE:FREQ=YEARLY;BYWEEKNO=2", "line 6: RRULE has BYWEEKNO, which is not supported"),
    ("\(time)\nRRULE:FREQ=DAILY;COUNT=2;UNTIL=20260310", "line 6: RRULE has COUNT and UNTIL"),
    ("\(time)\nRRULE:", "line 6: RRULE has the part \"\""),
    ("\(time)\nRRULE:FREQ=DAILY;UNTIL=20260301", "line 6: RRULE has UNTIL on 2026-03-01, before"),
    ("\(time)\nRRULE:FREQ=DAILY;UNTIL=soon", "line 6: RRULE has UNTIL=SOON; it must be a local"),
    (
      "\(time)\nRRULE:FREQ=DAILY;UNTIL=20260310T000000Z",
      "line 6: RRULE has an UNTIL in UTC, and DTSTART has no zone; give the UNTIL without Z"
    ),
    (
      "\(time)\nRRULE:FREQ=WEEKLY;BYDAY=TU",
      "line 6: RRULE does not select 2026-03-02, the date of DTSTART; begin the series on one"
    ),
    ("\(time)\nRRULE:FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=30", "line 6: RRULE has no dose; change"),
    ("\(time)\nLOCATION:\(String(repeating: "l", count: 256))", "line 6: LOCATION has 256 bytes"),
    ("\(time)\nLOCATION:a\u{7}b", "line 6: LOCATION has a control character (code 7); remove it"),
  ])
  func `E13: a part that a plan cannot express is named`(lines: String, message: String) throws {
    let result = try CalendarSample.imported(CalendarSample.file(lines))
    #expect(result.entries.isEmpty)
    let texts = result.flaws.map(\.description)
    #expect(texts.count == 1 && texts[0].hasPrefix(message), "\(texts)")
  }

  @Test func `E13: a rule of whole days ends by a date`() throws {
    let lines = "DTSTART;VALUE=DATE:20260302\nRRULE:FREQ=DAILY;UNTIL=20260310T090000"
    let flaws = try CalendarSample.imported(CalendarSample.file(lines), allDay: "08:00").flaws
    #expect(
      flaws.map(\.description) == [
        "line 6: RRULE has an UNTIL with a time, and DTSTART is a date; give a date"
      ])
  }

  @Test func `E13: a task has one time, at which it is due`() throws {
    for (lines, message) in [
      (
        "DUE:20260302T170000\nRRULE:FREQ=DAILY",
        "line 6: DUE differs from DTSTART, and a plan has one time; remove one of them"
      ),
      (
        "DURATION:PT8H",
        "line 6: DURATION determines when the task is due; give the time as DUE instead"
      ),
    ] {
      let task = CalendarSample.component("\(Self.time)\n\(lines)", kind: "VTODO")
      let flaws = try CalendarSample.imported("BEGIN:VCALENDAR\n\(task)END:VCALENDAR\n").flaws
      #expect(flaws.map(\.description) == [message])
    }
  }

  @Test func `E13: a component needs a UID and the texts of its event`() throws {
    for (text, message) in [
      (CalendarSample.file(Self.time, uid: ""), "line 2: VEVENT has no UID, by which the next"),
      (
        CalendarSample.file(Self.time, summary: " "), "line 2: VEVENT has no SUMMARY, which planned"
      ),
    ] {
      let flaws = try CalendarSample.imported(text).flaws.map(\.description)
      #expect(flaws.count == 1 && flaws[0].hasPrefix(message), "\(flaws)")
    }
  }

  @Test func `E13: a UID is of one component, also in another calendar of the file`() throws {
    let file = CalendarSample.file(Self.time)
    let twice = try CalendarSample.imported(file + file)
    #expect(
      twice.flaws.map(\.description) == [
        "line 9: VEVENT has the UID of the component in line 2; remove one"
      ])
  }

  @Test func `E13: all flaws are listed in the order of their lines`() throws {
    let text =
      CalendarSample.file("\(Self.time)\nEXRULE:FREQ=DAILY", uid: "1")
      + CalendarSample.file(Self.time, uid: "2")
      + CalendarSample.file("DTSTART:soon\nBEGIN:VALARM\nTRIGGER:PT5M\nEND:VALARM", uid: "3")
    let result = try CalendarSample.imported(text)
    #expect(result.flaws.map(\.line) == [6, 20, 22])
    #expect(result.flaws.map(\.part) == ["EXRULE", "DTSTART", "TRIGGER"])
  }

  // MARK: - Files that cannot be read

  @Test(arguments: [
    ("", "line 1: the file has no VCALENDAR; export the calendar as iCalendar"),
    ("\n\n", "line 1: the file has no VCALENDAR"),
    ("hello", "line 1: \"hello\" is not a property such as SUMMARY:New Year; correct or remove"),
    (
      "BEGIN:VEVENT\nEND:VEVENT\n",
      "line 1: BEGIN must be of a VCALENDAR here; remove the component"
    ),
    ("VERSION:2.0\nBEGIN:VCALENDAR\n", "line 1: VERSION is outside of a VCALENDAR; remove it"),
    ("BEGIN:VCALENDAR\n", "line 1: VCALENDAR has no END; export the file again"),
    ("BEGIN:VCALENDAR\nBEGIN:VEVENT\nEND:VCALENDAR\n", "line 3: END does not match the last BEGIN"),
    ("BEGIN:VCALENDAR\nEND:VCALENDAR\nEND:VCALENDAR\n", "line 3: END does not match the last"),
    ("BEGIN:VCALENDAR\nBEGIN:VCALENDAR\n", "line 2: BEGIN of a VCALENDAR is inside another"),
    ("BEGIN:VCALENDAR\nA;B:1\n", "line 2: the parameter \"B\" has no value"),
    ("BEGIN:VCALENDAR\nA;B=\"c:1\n", "line 2: a quotation mark is not closed on this line"),
    ("BEGIN:VCALENDAR\nA;B=c\n", "line 2: there is no colon before the value"),
    ("BEGIN:VCALENDAR\nA:\0\n", "line 2: the line has a NUL byte"),
    (
      "BEGIN:VCALENDAR\nMETHOD:CANCEL\nEND:VCALENDAR\n", "line 2: METHOD must be PUBLISH or REQUEST"
    ),
    ("BEGIN:VCALENDAR\nCALSCALE:HEBREW\nEND:VCALENDAR\n", "line 2: CALSCALE must be GREGORIAN"),
    (
      "BEGIN:VCALENDAR\nBEGIN:VJOURNAL\nEND:VJOURNAL\nEND:VCALENDAR\n",
      "line 2: VJOURNAL is neither a VEVENT nor a VTODO; remove it"
    ),
    (
      "BEGIN:VCALENDAR\nBEGIN:A\nBEGIN:B\nBEGIN:C\nBEGIN:D\n",
      "line 5: BEGIN is nested more than 4 deep"
    ),
  ])
  func `E13: a file that cannot be read is refused with its first faulty line`(
    text: String, message: String
  ) throws {
    let result = try CalendarSample.imported(text)
    #expect(result.entries.isEmpty)
    let texts = result.flaws.map(\.description)
    #expect(texts.count == 1 && texts[0].hasPrefix(message), "\(texts)")
  }

  @Test func `E13: a line that is not UTF-8 is refused`() throws {
    let bytes = Array("BEGIN:VCALENDAR\nSUMMARY:".utf8) + [0xFC, 0x0A]
    let flaws = try CalendarSample.imported(bytes).flaws.map(\.description)
    #expect(flaws == ["line 2: the line is not UTF-8; save the file in that encoding"])
  }

  @Test func `E13: the size and the number of components are limited`() throws {
    let open = "BEGIN:VCALENDAR\n"
    let event = { (number: Int) in
      CalendarSample.component(Self.time, uid: "\(number)")
    }
    let most = (1...256).map(event).joined()
    #expect(try CalendarSample.imported(open + most + "END:VCALENDAR").entries.count == 256)
    for (text, message) in [
      (String(repeating: "X", count: 1 << 20 + 1), "line 1: the file has 1048577 bytes; at most"),
      (
        open + String(repeating: "BEGIN:X-A\nEND:X-A\n", count: 2_000) + "END:VCALENDAR",
        "line 4000: BEGIN exceeds the 2000 components of a file; split it"
      ),
      (
        open + most + event(257) + "END:VCALENDAR",
        "line 1282: VEVENT exceeds the 256 events and tasks of a file; remove old ones"
      ),
    ] {
      let result = try CalendarSample.imported(text)
      #expect(result.entries.isEmpty)
      let texts = result.flaws.map(\.description)
      #expect(texts.count == 1 && texts[0].hasPrefix(message), "\(texts)")
    }
  }
}
