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
  func `E8: a request at an improbable instant has a warning`(at: String, words: String) throws {
    let planner = try Fixtures.planner(
      catalog: Fixtures.catalog(reminders: ["note": "every: {day: {at: \"23:00\"}}"]))
    let document = try JSONParser.parse(
      """
      {"specversion": "1.0", "id": "1", "source": "s", "type": "notification.requested",
        "subject": "u", "time": "2026-03-02T08:00:00Z",
        "data": {"category": "NOTE", "title": "N", "body": "-", "at": "\(at)"}}
      """)
    let event = try EventReader(planner: planner).event(document, now: nil)
    let warnings = event.warnings(at: try utc("2026-03-02 08:00"))
    #expect(warnings.count == (words.isEmpty ? 0 : 1))
    #expect(words.isEmpty || warnings.first?.contains(words) == true, "\(warnings)")
  }
}
