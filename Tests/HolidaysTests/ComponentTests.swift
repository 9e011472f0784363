import CivilTime
import Holidays
import Testing

/// RFC 5545, section 3.6: calendars, events and other components of a file.
@Suite struct ComponentTests {
  @Test func `components other than events are ignored`() throws {
    let text = Samples.calendar(lines: [
      "PRODID:-//somebody//EN", "METHOD:PUBLISH", "CALSCALE:GREGORIAN", "X-WR-CALNAME:Ours",
      "BEGIN:VTIMEZONE", "TZID:Europe/Berlin", "BEGIN:STANDARD", "DTSTART:19701025T030000",
      "RRULE:FREQ=YEARLY;BYMONTH=10;BYDAY=-1SU", "END:STANDARD", "END:VTIMEZONE",
      "BEGIN:VTODO", "DTSTART:nonsense", "DUE:20260101", "END:VTODO",
      "BEGIN:X-MINE", "BEGIN:VEVENT", "DTSTART:20260401", "END:VEVENT", "END:X-MINE",
      "BEGIN:VEVENT", "UID:1", "DTSTAMP:20260101T000000Z", "DTSTART;VALUE=DATE:20260501",
      "CATEGORIES:a,b", "TRANSP:TRANSPARENT", "STATUS:CONFIRMED", "SUMMARY:Labour Day",
      "BEGIN:VALARM", "TRIGGER:-PT15M", "DURATION:PT5M", "SUMMARY:Wake up", "DTSTART:20260601",
      "END:VALARM", "DESCRIPTION:free", "END:VEVENT",
    ])
    let calendar = try Samples.read(text)
    #expect(calendar.dates.map(\.description) == ["2026-05-01"])
    #expect(try calendar.name(of: Samples.date("2026-05-01")) == "Labour Day")
  }

  @Test func `a file may contain several calendars`() throws {
    let one = Samples.calendar(event: "DTSTART:20260501")
    let two = Samples.calendar(event: "DTSTART:20260601")
    #expect(try Samples.read(one + two).dates.count == 2)
    #expect(try Samples.read(Samples.calendar(lines: [])).dates.isEmpty)
  }

  @Test func `cancelled events have no dates`() throws {
    #expect(try Samples.dates("DTSTART:20260501", "STATUS:CANCELLED") == "")
    #expect(try Samples.dates("DTSTART:nonsense", "status:cancelled", "RRULE:FREQ=DAILY") == "")
    #expect(try Samples.dates("DTSTART:20260501", "STATUS:TENTATIVE") == "2026-05-01")
  }

  @Test func `an event with the same UID replaces a date of its series`() throws {
    let series = ["BEGIN:VEVENT", "UID:a", "DTSTART:20260501", "RRULE:FREQ=YEARLY;COUNT=3"]
    let other = ["END:VEVENT", "BEGIN:VEVENT", "UID:b", "DTSTART:20270501", "END:VEVENT"]
    let movedEvent = [
      "BEGIN:VEVENT", "UID:a", "RECURRENCE-ID:20270501", "DTSTART:20270503", "END:VEVENT",
    ]
    let cancelledEvent = [
      "BEGIN:VEVENT", "UID:a", "RECURRENCE-ID;VALUE=DATE:20280501", "STATUS:CANCELLED",
      "END:VEVENT",
    ]
    let lines = movedEvent + series + other + cancelledEvent
    let dates = try Samples.read(Samples.calendar(lines: lines)).dates
    #expect(dates.map(\.description) == ["2026-05-01", "2027-05-01", "2027-05-03"])
    let movedDates = try Samples.read(Samples.calendar(lines: movedEvent)).dates
    #expect(movedDates.map(\.description) == ["2027-05-03"])
  }

  @Test(arguments: [
    ("", ["0: is no iCalendar file"]),
    ("hello", ["1: \"hello\" is not a property", "0: is no iCalendar file"]),
    ("BEGIN:VCARD\nFN:x\nEND:VCARD\n", ["1: \"VCARD\" begins", "0: is no iCalendar file"]),
    ("BEGIN:VCALENDAR\n", ["1: \"VCALENDAR\" has no END"]),
    (
      "BEGIN:VCALENDAR\nBEGIN:VEVENT\nDTSTART:20260501\nEND:VCALENDAR\n",
      ["4: \"VCALENDAR\" ends where the end of \"VEVENT\" of line 2 is expected"]
    ),
    (
      "BEGIN:VCALENDAR\nEND:VEVENT\nEND:VCALENDAR\n",
      ["2: \"VEVENT\" ends where the end of \"VCALENDAR\" of line 1"]
    ),
    ("BEGIN:VCALENDAR\nEND:VCALENDAR\nEND:VCALENDAR\n", ["3: \"VCALENDAR\" ends where a BEGIN"]),
    ("BEGIN:VCALENDAR\nEND:VCALENDAR\nNAME:x\n", ["3: NAME is outside of any calendar"]),
    ("BEGIN:VCALENDAR\nVERSION:1.0\nEND:VCALENDAR\n", ["2: VERSION must be 2.0"]),
    ("BEGIN:VCALENDAR\nCALSCALE:ISLAMIC\nEND:VCALENDAR\n", ["2: CALSCALE must be GREGORIAN"]),
    ("BEGIN:VCALENDAR\nMETHOD:CANCEL\nEND:VCALENDAR\n", ["2: METHOD:CANCEL revokes"]),
  ])
  func `the errors of a malformed file name its lines`(text: String, messages: [String]) {
    let complaints = Samples.complaints(text)
    #expect(complaints.count == messages.count)
    for message in messages {
      #expect(complaints.contains { $0.hasPrefix(message) }, "\(message) in \(complaints)")
    }
  }

  @Test func `all errors are reported at once, in order`() {
    let complaints = Samples.complaints(
      Samples.calendar(lines: [
        "BEGIN:VEVENT", "SUMMARY:a", "RRULE:FREQ=YEARLY;BYSETPOS=1", "EXDATE:2026", "END:VEVENT",
        "oops", "BEGIN:VEVENT", "DTSTART:20260230", "DURATION:1D", "END:VEVENT",
      ]))
    #expect(complaints.map { $0.prefix { $0 != ":" } } == ["3", "5", "6", "8", "10"])
  }

  @Test func `at most 100 errors are listed, with the number of further errors`() {
    let text = Samples.calendar(lines: Array(repeating: "oops", count: 1_000))
    let complaints = Samples.complaints(text)
    #expect(complaints.count == 101)
    #expect(complaints.last == "0: has 900 more errors")
  }

  @Test func `components may be nested up to 8 levels`() {
    let lines =
      Array(repeating: "BEGIN:X-MINE", count: 7) + Array(repeating: "END:X-MINE", count: 7)
    #expect(throws: Never.self) { try Samples.read(Samples.calendar(lines: lines)) }
    let deeper = ["BEGIN:X-MINE"] + lines + ["END:X-MINE"]
    let complaints = Samples.complaints(Samples.calendar(lines: deeper))
    #expect(complaints.first == #"10: "X-MINE" is nested too deeply; at most 8 levels are allowed"#)
  }

  @Test func `a file above 4 MiB is rejected`() {
    let line = "X-FILLER:" + String(repeating: "x", count: 1_000)
    let text = Samples.calendar(lines: Array(repeating: line, count: 4_200))
    #expect(Samples.complaints(text) == ["0: is larger than 4 MiB; split it into several files"])
  }

  @Test func `a file with too many dates is rejected`() {
    let event = [
      "BEGIN:VEVENT", "DTSTART:20000101", "DURATION:P366D", "RRULE:FREQ=YEARLY", "END:VEVENT",
    ]
    let lines = Array(repeating: event, count: 40).flatMap(\.self)
    let complaints = Samples.complaints(Samples.calendar(lines: lines))
    #expect(complaints.first?.contains("too many dates up to this event") == true)
  }
}
