import JSON
import Testing

/// Rule G10: an event that ends a reminder for another recipient may omit that recipient.
@Suite struct OmittedRecipientTests {
  private static func catalog(_ reminder: String) -> String {
    """
    catalog: notes
    events: {visit: {v: identifier, at: instant, carer: recipient?},
      off: {v: identifier, carer: recipient?}}
    categories: {NOTE: {title: Notes, channels: {push: true}}}
    groups: {notes: {enabled: true}}
    reminders:
      note: {category: NOTE, group: notes, expires: 1h, to: carer, \(reminder),
        messages: [{title: Note, body: b}]}
    """
  }

  @Test(arguments: [
    "before: {event: visit, at: at, by: 1h}, cancel: off",
    "before: {event: visit, at: at, by: 1h}, unless: off",
    "every: {day: {at: '11:00'}}, since: visit, until: off",
    "every: {day: {at: '11:00'}}, since: visit, cancel: off",
  ])
  func `G10: an event that ends a carer's reminder need not name the carer`(
    reminder: String
  ) throws {
    let planner = try Fixtures.planner(catalog: Self.catalog(reminder))
    let visit: JSONValue = ["v": "a", "at": "2026-03-03T12:00:00Z", "carer": "k1"]
    let events = try Fixtures.events(
      [
        ("p", "2026-03-02T15:00:00Z", "visit", visit),
        ("p", "2026-03-03T09:00:00Z", "off", ["v": "a"]),
      ], planner)
    let until = "2026-03-03T20:00:00Z"
    #expect(try Fixtures.timeline([events[0]], planner, until: until).count == 1)
    #expect(try Fixtures.timeline(events, planner, until: until).isEmpty)
  }

  @Test func `G10: a cancellation reported before the booking is ingested with the booking`() throws
  {
    let planner = try Fixtures.planner(
      catalog: Self.catalog("every: {day: {at: '11:00'}}, since: visit, until: off"))
    let visit: JSONValue = ["v": "a", "at": "2026-03-03T12:00:00Z", "carer": "k1"]
    let events = try Fixtures.events(
      [
        ("p", "2026-03-02T15:00:00Z", "off", ["v": "a"]),
        ("p", "2026-03-02T16:00:00Z", "visit", visit),
      ], planner)
    #expect(try Fixtures.timeline(events, planner, until: "2026-03-04T20:00:00Z").isEmpty)
  }
}
