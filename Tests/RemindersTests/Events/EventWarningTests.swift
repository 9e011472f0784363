import CivilTime
import JSON
import Reminders
import Testing

@Suite struct EventWarningTests {
  @Test(arguments: [
    ("2020-03-02T09:00:00Z", "has expired"), ("2099-03-02T09:00:00Z", "more than a year ahead"),
    ("2026-03-02T07:00:00Z", "before the event's time"), ("2026-03-02T08:00:00Z", ""),
    ("2027-03-02T09:00:00Z", ""),
  ])
  func `E8: a request for an improbable instant has a warning`(at: String, words: String) throws {
    let planner = try Fixtures.planner(
      catalog: Fixtures.catalog(reminders: ["note": "every: {day: {at: \"23:00\"}}"]))
    let document = try JSONParser.parse(
      """
      {"specversion": "1.0", "id": "1", "source": "s", "type": "notification.requested",
        "subject": "u", "time": "2026-03-02T08:00:00Z",
        "data": {"category": "NOTE", "title": "N", "body": "-", "at": "\(at)"}}
      """)
    let event = try EventReader(planner: planner).event(document, now: nil)
    let warnings = event.warnings(at: try utc("2026-03-02 08:00"), in: planner.catalog)
    #expect(warnings.count == (words.isEmpty ? 0 : 1))
    #expect(words.isEmpty || warnings.first?.contains(words) == true, "\(warnings)")
  }

  /// Returns the warnings for an event that happens and arrives at 12:00.
  private static func warnings(_ type: String, _ data: String, catalog: String) throws -> [String] {
    let planner = try Fixtures.planner(catalog: catalog)
    let document = try JSONParser.parse(
      """
      {"specversion": "1.0", "id": "1", "source": "s", "type": "\(type)", "subject": "u",
        "time": "2026-03-02T12:00:00Z", "data": \(data)}
      """)
    let event = try EventReader(planner: planner).event(document, now: nil)
    return event.warnings(at: try utc("2026-03-02 12:00"), in: planner.catalog)
  }

  @Test(arguments: [("12:00:00Z", true), ("09:00:00Z", true), ("12:00:01Z", false)])
  func `E8: a report whose instant is not after its own time has a warning`(
    time: String, isWarned: Bool
  ) throws {
    let data = #"{"trial": "1", "name": "Music", "at": "2026-03-02T\#(time)"}"#
    let found = try Self.warnings(
      "trial.reminder.set", data, catalog: Fixtures.shipped("trials"))
    let expected =
      "data.at: 2026-03-02T\(time.dropLast()).000Z is not after the event's time "
      + "2026-03-02T12:00:00.000Z; reminders before this instant are not planned; "
      + "check the instant"
    #expect(found == (isWarned ? [expected] : []))
  }

  // 2026-03-01 ends at 12:00 UTC on the next day in the last zone.
  @Test(arguments: [("2026-02-28", true), ("2026-03-01", false)])
  func `E8: a report whose date has ended in every zone has a warning`(
    date: String, isWarned: Bool
  ) throws {
    let catalog = Fixtures.catalog(
      events: "{billed: {due: date}}",
      reminders: ["ahead": "before: {event: billed, at: due, days: 1, time: '09:00'}"])
    let found = try Self.warnings("billed", #"{"due": "\#(date)"}"#, catalog: catalog)
    let expected =
      "data.due: \(date) ended before the event's time 2026-03-02T12:00:00.000Z; reminders "
      + "before this date are not planned; check the date"
    #expect(found == (isWarned ? [expected] : []))
  }

  @Test func `E8: only an instant before which reminders are sent has a warning`() throws {
    let catalog = Fixtures.catalog(
      events: "{visit: {v: identifier, at: instant, made: instant, carer: recipient?}, "
        + "over: {v: identifier, at: instant}}",
      reminders: [
        "missed": "past: {event: over, at: at, by: 1h}",
        "other": "on: {event: over, delay: 1h}",
        "ahead": "to: carer, before: {event: visit, at: at, days: 1, time: '09:00'}",
      ])
    let instants = #""at": "2026-03-01T12:00:00Z", "made": "2026-03-01T12:00:00Z""#
    let over = #"{"v": "1", "at": "2026-03-01T12:00:00Z"}"#
    #expect(try Self.warnings("over", over, catalog: catalog) == [])
    let visitWithoutCarer = #"{"v": "1", \#(instants)}"#
    #expect(try Self.warnings("visit", visitWithoutCarer, catalog: catalog) == [])
    let visitWithCarer = #"{"v": "1", "carer": "k", \#(instants)}"#
    let found = try Self.warnings("visit", visitWithCarer, catalog: catalog)
    #expect(found.map { String($0.prefix(8)) } == ["data.at:"])
  }
}
