import CivilTime
import JSON
import Reminders
import Testing

/// Makes iCalendar files, and imports them for a catalog whose event `planned` has a plan.
enum CalendarSample {
  static let catalog = Fixtures.catalog(
    events: """
      {planned: {medicine: identifier, name: text, place: text?, schedule: plan?},
        ended: {medicine: identifier}, twice: {medicine: identifier, one: plan?, two: plan?},
        dosed: {medicine: identifier, schedule: plan, strength: number},
        noted: {name: text, schedule: plan}}
      """,
    reminders: [
      "dose":
        "every: {plan: schedule}, since: planned, cancel: ended, "
        + "messages: [{title: '{{name}}', body: Now.}]"
    ])

  static let planner = Result { try Fixtures.planner(catalog: catalog) }

  /// Returns a file with one VEVENT, whose lines begin in line 5.
  static func file(_ lines: String, uid: String = "a@b", summary: String = "Iron") -> String {
    "BEGIN:VCALENDAR\n" + component(lines, uid: uid, summary: summary) + "END:VCALENDAR\n"
  }

  static func component(
    _ lines: String, kind: String = "VEVENT", uid: String = "a@b", summary: String = "Iron"
  ) -> String {
    "BEGIN:\(kind)\nUID:\(uid)\nSUMMARY:\(summary)\n\(lines)\nEND:\(kind)\n"
  }

  static func imported(
    _ bytes: [UInt8], as type: String = "planned", planner other: Planner? = nil,
    allDay: String? = nil, ignoresAlarms: Bool = false,
    recipient: Recipient? = nil, now: Instant? = nil
  ) throws -> CalendarImport {
    let (planner, now) = (try other ?? planner.get(), try now ?? utc("2026-03-01 12:00"))
    let options = CalendarImport.Options(
      recipient: recipient ?? Recipient(name: "amina", now: now),
      allDay: try allDay.map { try #require(LocalTime($0)) }, ignoresAlarms: ignoresAlarms,
      digest: digest)
    return CalendarImport(
      bytes, try CalendarMapping(type: type, in: planner.catalog), options,
      reader: EventReader(planner: planner), now: now)
  }

  static func imported(
    _ text: String, allDay: String? = nil, ignoresAlarms: Bool = false,
    recipient: Recipient? = nil, now: Instant? = nil
  ) throws -> CalendarImport {
    try imported(
      Array(text.utf8), allDay: allDay, ignoresAlarms: ignoresAlarms, recipient: recipient, now: now
    )
  }

  /// Returns the data of a file's only event.
  static func data(_ text: String, allDay: String? = nil) throws -> JSONValue {
    let result = try imported(text, allDay: allDay)
    #expect(result.flaws == [])
    try #require(result.entries.count == 1)
    return try #require(result.entries[0].document["data"])
  }

  /// Two FNV hashes, which are enough to tell the events of tests apart.
  private static func digest(_ bytes: [UInt8]) -> [UInt8] {
    let hashes = [bytes, bytes.reversed()].map { bytes in
      bytes.reduce(0xcbf2_9ce4_8422_2325 as UInt64) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 }
    }
    return hashes.flatMap { hash in (0..<8).map { UInt8(truncatingIfNeeded: hash >> (8 * $0)) } }
  }
}
