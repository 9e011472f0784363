import CivilTime
import JSON
import TestSupport
import Testing

@testable import Reminders

/// Rule E13: each component of a calendar becomes an event with a plan.
@Suite struct CalendarImportTests {
  @Test(arguments: [
    ("DTSTART:20260302T090000", #"{"count":1,"from":"2026-03-02T09:00","times":["09:00"]}"#),
    (
      "dtstart;value=date-time;tzid=Europe/Berlin:20260302T090000",
      #"{"count":1,"from":"2026-03-02T09:00","times":["09:00"],"zone":"Europe/Berlin"}"#
    ),
    (
      "DTSTART;X-A=\"a;b:c\",d;TZID=\"/mozilla.org/20070129_1/Europe/Berlin\":20260302T090000",
      #"{"count":1,"from":"2026-03-02T09:00","times":["09:00"],"zone":"Europe/Berlin"}"#
    ),
    (
      "DTSTART;TZID=W. Europe Standard Time:20260302T090000",
      #"{"count":1,"from":"2026-03-02T09:00","times":["09:00"],"zone":"Europe/Berlin"}"#
    ),
    (
      "DTSTART:20260302T080000Z",
      #"{"count":1,"from":"2026-03-02T08:00","times":["08:00"],"zone":"UTC"}"#
    ),
    (
      "DTSTART:20260302T090000\nRRULE:FREQ=weekly;BYDAY=MO,th",
      #"{"from":"2026-03-02T09:00","rule":"FREQ=WEEKLY;BYDAY=MO,TH","times":["09:00"]}"#
    ),
    (
      "DTSTART;VALUE=DATE:20260302\nRRULE:FREQ=DAILY;UNTIL=20260310",
      #"{"from":"2026-03-02T07:30","rule":"FREQ=DAILY;UNTIL=20260310","times":["07:30"]}"#
    ),
    (
      "DTSTART:20260302T090000\nDTEND:20260302T100000\nX-EXDATE:1\nSTATUS:CONFIRMED",
      #"{"count":1,"from":"2026-03-02T09:00","times":["09:00"]}"#
    ),
  ])
  func `E13: times, zones and rules become a plan`(lines: String, plan: String) throws {
    let data = try CalendarSample.data(CalendarSample.file(lines), allDay: "07:30")
    #expect(data["schedule"] == (try JSONParser.parse(plan)))
    #expect(data["medicine"] == "a@b" && data["name"] == "Iron")
  }

  /// The last dose of each series is at 20:00 or 02:30 of its zone.
  @Test(arguments: [
    ("America/New_York:20260302T200000", "20260311T000000Z", "20260310"),
    ("America/New_York:20260302T200000", "20260310T235959Z", "20260309"),
    ("Europe/Berlin:20261020T023000", "20261025T003000Z", "20261025"),
    ("Europe/Berlin:20261020T023000", "20261025T002959Z", "20261024"),
    // A local time in the repeated hour before 02:30 is after the first 02:30.
    ("Europe/Berlin:20261020T023000", "20261025T011500Z", "20261025"),
    // The dose at the skipped 02:30 is sent at 03:00, which is 01:00 in UTC.
    ("Europe/Berlin:20260320T023000", "20260329T010000Z", "20260329"),
    ("Europe/Berlin:20260320T023000", "20260329T005959Z", "20260328"),
    ("Asia/Tokyo:20260302T000000", "99991231T235959Z", "99991231"),
  ])
  func `E13: the end of a rule in UTC becomes the local date of its last dose`(
    start: String, until: String, last: String
  ) throws {
    let lines = "DTSTART;TZID=\(start)\nRRULE:FREQ=DAILY;UNTIL=\(until)"
    let data = try CalendarSample.data(CalendarSample.file(lines))
    #expect(data["schedule"]?["rule"] == .string("FREQ=DAILY;UNTIL=\(last)"))
  }

  @Test func `E13: a task is planned when it is due`() throws {
    for (lines, from) in [
      ("DTSTART:20260302T090000\nDUE:20260303T170000", "2026-03-03T17:00"),
      ("DUE:20260303T170000", "2026-03-03T17:00"),
      ("DTSTART:20260302T090000\nRRULE:FREQ=DAILY", "2026-03-02T09:00"),
      ("DTSTART:20260302T090000\nDUE:20260302T090000\nRRULE:FREQ=DAILY", "2026-03-02T09:00"),
    ] {
      let task = CalendarSample.component(lines, kind: "VTODO")
      let data = try CalendarSample.data("BEGIN:VCALENDAR\n\(task)END:VCALENDAR\n")
      #expect(data["schedule"]?["from"] == .string(from))
    }
  }

  @Test func `E13: folded lines, line ends, a byte order mark and escapes are read`() throws {
    let text = CalendarSample.file(
      "DTSTART;TZID=Europe/\n Berlin:2026030\n\t2T090000\nLOCATION:Küche\\, 2. Stock\\nlinks",
      summary: "Ei\n sen")
    var bytes: [UInt8] = [0xEF, 0xBB, 0xBF]
    for byte in text.utf8 {
      if byte == UInt8(ascii: "\n") { bytes.append(UInt8(ascii: "\r")) }
      bytes.append(byte)
      // A fold between the two bytes of "ü".
      if byte == 0xC3 { bytes += Array("\r\n ".utf8) }
    }
    let result = try CalendarSample.imported(bytes)
    #expect(result.flaws == [])
    let data = try #require(result.entries.first?.document["data"])
    #expect(data["name"] == "Eisen" && data["place"] == "Küche, 2. Stock links")
    #expect(data["schedule"]?["zone"] == "Europe/Berlin")
    #expect(data["schedule"]?["from"] == "2026-03-02T09:00")
  }

  @Test func `E13: a TZID may be explained by X-LIC-LOCATION in its VTIMEZONE`() throws {
    let zone = """
      BEGIN:VTIMEZONE
      TZID:Custom
      X-LIC-LOCATION:Asia/Kolkata
      BEGIN:STANDARD
      DTSTART:19700101T000000
      END:STANDARD
      END:VTIMEZONE

      """
    let event = CalendarSample.component("DTSTART;TZID=Custom:20260302T090000")
    let data = try CalendarSample.data("BEGIN:VCALENDAR\n\(zone)\(event)END:VCALENDAR\n")
    #expect(data["schedule"]?["zone"] == "Asia/Kolkata")
  }

  @Test(arguments: [
    ("GMT", "", nil), ("Asia/Tokyo", "", "Asia/Tokyo"),
    ("GMT", "X-LIC-LOCATION:Europe/London\n", "Europe/London"),
    ("GMT Standard Time", "", "Europe/London"),
  ])
  func `E13: a short TZID whose zone lacks the summer time of the VTIMEZONE is refused`(
    name: String, location: String, zone: String?
  ) throws {
    let parts = [("DAYLIGHT", "+0100", 3), ("STANDARD", "+0000", 10)].map { part, offset, month in
      "BEGIN:\(part)\nDTSTART:20070311T020000\nTZOFFSETTO:\(offset)\n"
        + "RRULE:FREQ=YEARLY;BYMONTH=\(month);BYDAY=1SU\nEND:\(part)\n"
    }
    let event = CalendarSample.component("DTSTART;TZID=\(name):20260302T090000")
    let result = try CalendarSample.imported(
      "BEGIN:VCALENDAR\nBEGIN:VTIMEZONE\nTZID:\(name)\n\(location)\(parts.joined())"
        + "END:VTIMEZONE\n\(event)END:VCALENDAR\n")
    #expect(
      result.entries.first?.document["data"]?["schedule"]?["zone"] == zone.map { .string($0) })
    guard zone == nil else { return }
    let text = try #require(result.flaws.first?.description)
    #expect(text.contains("DTSTART has the zone \"GMT\", to which"), "\(text)")
    #expect(text.contains("the offset +0100 of the calendar's VTIMEZONE; use a name"), "\(text)")
  }

  @Test func `E13: several calendars and components are events in the order of the file`() throws {
    let text =
      "BEGIN:VCALENDAR\nMETHOD:PUBLISH\nCALSCALE:GREGORIAN\n"
      + CalendarSample.component("DTSTART:20260302T090000", uid: "1")
      + "BEGIN:X-OWN\nX-A:1\nEND:X-OWN\n"
      + CalendarSample.component("DUE:20260302T090000", kind: "VTODO", uid: "2")
      + "END:VCALENDAR\n" + CalendarSample.file("DTSTART:20260302T090000", uid: "3")
    let result = try CalendarSample.imported(text)
    #expect(result.flaws == [])
    #expect(result.entries.map(\.uid) == ["1", "2", "3"])
    #expect(result.entries.map(\.line) == [4, 12, 19])
    #expect(result.entries.map(\.event.entity) == ["1", "2", "3"])
    #expect(try CalendarSample.imported("BEGIN:VCALENDAR\nEND:VCALENDAR\n").entries.isEmpty)
  }

  // MARK: - Alarms

  private static let alarm = """
    DTSTART:20260302T090000
    BEGIN:VALARM
    ACTION:DISPLAY
    TRIGGER:-PT15M
    REPEAT:2
    END:VALARM
    BEGIN:VALARM
    TRIGGER;RELATED=START:PT0S
    ACKNOWLEDGED:20260301T000000Z
    END:VALARM
    """

  @Test func `E16: an alarm at another time is a flaw, unless alarms are ignored`() throws {
    let text = CalendarSample.file(Self.alarm)
    let strict = try CalendarSample.imported(text)
    let remedy =
      "; the catalog determines when people are reminded; remove the alarm, or import without "
      + "alarms (ignoreAlarms)"
    let flaws = [
      "line 8: TRIGGER is another time than the event's" + remedy,
      "line 9: REPEAT repeats the alarm" + remedy,
    ]
    #expect(strict.flaws.map(\.description) == flaws)
    let lenient = try CalendarSample.imported(text, ignoresAlarms: true)
    #expect(lenient.flaws == [] && lenient.entries.count == 1)
    #expect(
      lenient.ignored.map(\.description) == [
        "line 8: TRIGGER is another time than the event's", "line 9: REPEAT repeats the alarm",
      ])
  }

  @Test func `H6: an alarm has at most one flaw for each property`() throws {
    let lines = String(repeating: "REPEAT:1\nTRIGGER:-PT5M\nPROXIMITY:ARRIVE\n", count: 1_000)
    let text = CalendarSample.file(
      "DTSTART:20260302T090000\nBEGIN:VALARM\n\(lines)END:VALARM")
    let ignored = try CalendarSample.imported(text, ignoresAlarms: true).ignored
    #expect(ignored.map(\.part) == ["REPEAT", "TRIGGER", "PROXIMITY"])
  }

  @Test(arguments: [
    ("20260302T090000Z", "20260302T090000Z", true),
    ("20260302T090000Z", "20260302T090100Z", false),
    ("20260302T090000", "20260302T090000Z", false), ("20260302T090000Z", "20260302T090000", false),
  ])
  func `E16: an alarm at the instant of the event is expressed by the plan`(
    start: String, trigger: String, isExpressed: Bool
  ) throws {
    let alarm = "BEGIN:VALARM\nTRIGGER;VALUE=DATE-TIME:\(trigger)\nEND:VALARM"
    let flaws = try CalendarSample.imported(CalendarSample.file("DTSTART:\(start)\n\(alarm)")).flaws
    #expect(flaws.isEmpty == isExpressed, "\(flaws)")
  }

  @Test(arguments: [
    ("VEVENT", "ACTION:none\nTRIGGER;VALUE=DATE-TIME:19760401T005545Z", true),
    ("VEVENT", "TRIGGER:PT0M", true), ("VEVENT", "TRIGGER:-P0D", true),
    ("VEVENT", "TRIGGER;RELATED=END:PT0S", false),
    ("VEVENT", "TRIGGER;VALUE=DATE-TIME:20260302T090000Z", false),
    ("VEVENT", "TRIGGER:PT0S\nPROXIMITY:ARRIVE", false), ("VEVENT", "ACTION:AUDIO", false),
    ("VTODO", "TRIGGER;RELATED=END:PT0S", true), ("VTODO", "TRIGGER:PT0S", false),
  ])
  func `E16: an alarm at the time of the plan is expressed by the plan`(
    kind: String, trigger: String, isExpressed: Bool
  ) throws {
    let time = kind == "VTODO" ? "DUE" : "DTSTART"
    let lines = "\(time):20260302T090000\nBEGIN:VALARM\n\(trigger)\nEND:VALARM"
    let text = "BEGIN:VCALENDAR\n\(CalendarSample.component(lines, kind: kind))END:VCALENDAR\n"
    #expect(try CalendarSample.imported(text).flaws.isEmpty == isExpressed)
  }

  // MARK: - Ids

  @Test func `E13: the same component has the same id, and another version or content has not`()
    throws
  {
    let file = CalendarSample.file("DTSTART:20260302T090000\nSEQUENCE:1")
    let same = CalendarSample.file(
      "X-A:1\nDTSTAMP:20260301T000000Z\nSEQUENCE:1\nDTSTART:20260302T090000")
    let event = try #require(try CalendarSample.imported(file).entries.first?.event)
    #expect(try CalendarSample.imported(same).entries.first?.event.identifier == event.identifier)
    #expect(event.source == "icalendar" && event.identifier.utf8.count == 32)
    for changed in [
      CalendarSample.file("DTSTART:20260302T090000\nSEQUENCE:2"),
      CalendarSample.file("DTSTART:20260302T090000\nSEQUENCE:1\nLAST-MODIFIED:20260301T000000Z"),
      CalendarSample.file("DTSTART:20260302T100000\nSEQUENCE:1"),
      CalendarSample.file("DTSTART:20260302T090000\nSEQUENCE:1", summary: "Zinc"),
      CalendarSample.file("DTSTART:20260302T090000\nSEQUENCE:1", uid: "A@b"),
    ] {
      let other = try #require(try CalendarSample.imported(changed).entries.first?.event)
      #expect(other.identifier != event.identifier)
    }
    let sami = Recipient(name: "sami", now: try utc("2026-03-01 12:00"))
    let other = try CalendarSample.imported(file, recipient: sami).entries.first?.event
    #expect(other?.identifier != event.identifier && other?.recipient == "sami")
  }

  @Test func `E13: a UID that is too long for an identifier is replaced by its hash`() throws {
    let time = "DTSTART:20260302T090000"
    let (long, other) = (String(repeating: "u", count: 129), String(repeating: "v", count: 129))
    let results = try [long, other, long].map {
      try CalendarSample.imported(CalendarSample.file(time, uid: $0))
    }
    #expect(results.flatMap(\.flaws) == [])
    let entities = results.compactMap { $0.entries.first?.event.entity }
    #expect(entities[0].utf8.count == 32)
    #expect(entities[0] == entities[2] && entities[0] != entities[1])
    let longest = String(long.dropLast())
    let entry = try CalendarSample.imported(CalendarSample.file(time, uid: longest)).entries.first
    #expect(entry?.event.entity == longest)
  }

  // MARK: - Reminders

  @Test func `E13: a changed file replaces the plan, and another time is sent`() throws {
    var player = Player(
      planner: try CalendarSample.planner.get(),
      now: try utc("2026-03-02 06:00"))
    try player.take("recipient.updated", ["timezone": "America/New_York"])
    let daily = "DTSTART;TZID=Europe/Berlin:20260302T090000\nRRULE:FREQ=DAILY;COUNT=3"
    let floating = "DTSTART:20260303T090000"
    for (lines, end) in [(daily, "2026-03-03 07:00"), (floating, "2026-03-10 00:00")] {
      let data = try CalendarSample.data(CalendarSample.file(lines))
      try player.take("planned", data)
      player.advance(to: try utc(end))
    }
    let planned = player.entries.map { "\($0.planned)" }
    #expect(planned == ["2026-03-02T08:00:00.000Z", "2026-03-03T14:00:00.000Z"])
  }

  // MARK: - Types of events

  @Test(arguments: [
    (
      "planed",
      "as names \"planed\", which is not declared; such types are planned, dosed; did you mean "
        + "\"planned\"?"
    ),
    ("relapse", "as names \"relapse\", but an imported type has an identifier and exactly one"),
    ("twice", "as names \"twice\", but an imported type has an identifier and exactly one plan; "),
    ("noted", "as names \"noted\", but an imported type has an identifier and exactly one plan; "),
    ("dosed", "as names \"dosed\", whose field strength no calendar fills; declare it as optional"),
  ])
  func `E13: an event type that a calendar cannot fill is refused`(
    type: String, message: String
  ) throws {
    let catalog = try CalendarSample.planner.get().catalog
    let refusal = #expect(throws: Refusal.self) { try CalendarMapping(type: type, in: catalog) }
    let text = refusal?.description ?? ""
    #expect(text.hasPrefix(message), "\(text)")
  }

  /// A catalog whose type `shared` is in a message to the carer, and `counted` only by its number.
  private static let relaying = """
    catalog: relaying
    roles: [carer]
    events:
      shared: {medicine: identifier, name: text, schedule: plan}
      counted: {medicine: identifier, name: text, schedule: plan}
      taken: {medicine: identifier}
    categories:
      DOSE: {title: Doses, urgency: normal, channels: {push: true}}
    groups:
      doses: {enabled: true}
    reminders:
      shared-dose:
        category: DOSE
        group: doses
        every: {plan: schedule}
        since: shared
        unless: taken
        expires: 2h
        escalate: [{after: 45m, to: carer, messages: [{title: "{{name}}", body: Missed.}]}]
        messages: [{title: "{{name}}", body: Now.}]
      counted-dose:
        category: DOSE
        group: doses
        every: {plan: schedule}
        since: counted
        unless: taken
        expires: 2h
        escalate: [{after: 45m, to: carer, messages: [{title: A dose, body: Missed.}]}]
        messages: [{title: "{{name}}", body: Now.}]
    """

  @Test(arguments: [
    ("shared", "CLASS:PRIVATE", false), ("shared", "class:Confidential", false),
    ("shared", "CLASS:X-OWN", false), ("shared", "CLASS:public", true), ("shared", "X-A:1", true),
    ("counted", "CLASS:PRIVATE", true),
  ])
  func `E13: a private component is refused if other people get its title`(
    type: String, line: String, isImported: Bool
  ) throws {
    let planner = try Fixtures.planner(catalog: Self.relaying)
    let file = CalendarSample.file("DTSTART:20260302T090000\n\(line)")
    let result = try CalendarSample.imported(Array(file.utf8), as: type, planner: planner)
    #expect(result.entries.isEmpty != isImported)
    guard !isImported else { return }
    let text = try #require(result.flaws.first?.description)
    #expect(text.hasPrefix("line 6: CLASS is \""), "\(text)")
    #expect(text.contains("but messages to other people contain the texts of shared; remove"))
  }

  // MARK: - Random files

  @Test(arguments: Seeds.all)
  func `E13: a damaged file has flaws or valid events, and both have lines`(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    let text = CalendarSample.file(
      "DTSTART;TZID=Europe/Berlin:20260302T090000\nRRULE:FREQ=WEEKLY;UNTIL=20260311T000000Z\n"
        + Self.alarm.replacing("DTSTART:20260302T090000\n", with: ""))
    let pieces = ["\n", ";", ":", "\"", "\\", "BEGIN:VEVENT\n", "END:VEVENT\n", "=", "Z", "9"]
    for _ in 0..<300 {
      var bytes = Array(text.utf8)
      for _ in 0..<Int.random(in: 1...4, using: &random) {
        let start = Int.random(in: 0..<bytes.count, using: &random)
        let end = min(bytes.count, start + Int.random(in: 0...12, using: &random))
        let piece = pieces[Int.random(in: 0..<pieces.count, using: &random)]
        bytes.replaceSubrange(start..<end, with: Array(piece.utf8))
      }
      let result = try CalendarSample.imported(bytes)
      let lines = result.flaws.map(\.line) + result.entries.map(\.line)
      #expect(lines.allSatisfy { (1...bytes.count).contains($0) }, "seed \(seed)")
      #expect(result.flaws.map(\.line) == result.flaws.map(\.line).sorted(), "seed \(seed)")
    }
  }
}
