import Reminders
import Testing

/// Rule G1: reminders after an instant, after a delay that the recipient sets, and while an entity
/// is upcoming.
@Suite struct PastTests {
  private static let events = """
    {booked: {visit: identifier, at: instant, place: text?}, begun: {visit: identifier},
        called.off: {visit: identifier}, missed: {}}
    """

  private static func bookingLine(_ name: String, _ at: String) -> String {
    "event booked {\"visit\": \"\(name)\", \"at\": \"\(at)\"}"
  }

  @Test func `G1: an entity that has not begun has its reminder after its instant`() throws {
    try Diary.expect(
      """
      2026-03-02 07:00  \(Self.bookingLine("a", "2026-03-02T09:00:00Z"))
      2026-03-02 07:00  \(Self.bookingLine("b", "2026-03-02T10:00:00Z"))
      2026-03-02 09:10  event begun {"visit": "a"}
      2026-03-02 10:05  restart
      2026-03-02 10:30  > late "b did not begin"
      2026-03-02 10:35  \(Self.bookingLine("b", "2026-03-02T12:00:00Z"))
      2026-03-02 12:30  > late "b did not begin"
      2026-03-03 08:00  > next
      2026-03-03 09:00  end
      """,
      catalog: Fixtures.catalog(
        events: Self.events,
        reminders: [
          "late": """
          past: {event: booked, at: at, by: 30m}, cancel: [begun, called.off], expires: 1h, \
          messages: [{title: "{{visit}} did not begin", body: "-"}]
          """,
          "next": """
          past: {event: booked, at: at, days: [0, 1], time: "08:00"}, cancel: begun
          """,
        ]))
  }

  @Test func `G1: the recipient can set a delay`() throws {
    try Diary.expect(
      """
      2026-03-02 07:00  created
      2026-03-02 08:00  event missed
      2026-03-02 10:00  > ask
      2026-03-02 11:00  event missed
      2026-03-02 11:10  prefs {"reminders": {"notes": {"delay": "PT30M"}}}
      2026-03-02 11:20  prefs {"reminders": {"notes": {"delay": "1m"}}}
      2026-03-02 11:20  ! reminders.notes.delay must be from 5m to 1d; it is "1m"
      2026-03-02 11:30  > ask
      2026-03-02 12:00  end
      """.replacing("! reminders", with: "! data.reminders"),
      catalog: Fixtures.catalog(
        events: Self.events,
        groups: "notes: {enabled: true, delay: {duration: [5m, 1d], initial: 2h}}",
        reminders: ["ask": "on: {event: missed, delay: $delay}"]))
  }

  @Test func `G1: the next time of day after an event may be on the same date`() throws {
    try Diary.expect(
      """
      2026-03-02 07:00  event missed
      2026-03-02 08:00  > soon
      2026-03-02 08:00  event missed
      2026-03-03 08:00  > soon
      2026-03-04 00:00  end
      """,
      catalog: Fixtures.catalog(
        events: Self.events, reminders: ["soon": "on: {event: missed, at: \"08:00\"}"]))
  }

  @Test func `G1: idle time is counted in hours`() throws {
    try Diary.expect(
      """
      2026-03-02 07:00  event missed
      2026-03-02 19:00  > quiet-1 "12 hours"
      2026-03-03 07:00  > quiet-2 "24 hours"
      2026-03-04 00:00  end
      """,
      catalog: Fixtures.catalog(
        events: Self.events,
        reminders: [
          "quiet": """
          idle: {event: missed, hours: 12, times: [1, 2]}, \
          messages: [{title: "{{hours | one: # hour | other: # hours}}", body: "-"}]
          """
        ]))
  }

  @Test func `G1: a reminder goes out only while an entity is upcoming`() throws {
    try Diary.expect(
      """
      2026-03-02 07:00  \(Self.bookingLine("a", "2026-03-04T09:00:00Z"))
      2026-03-02 07:00  \(Self.bookingLine("b", "2026-03-04T11:00:00Z"))
      2026-03-03 18:00  > eve "a at 09:00"
      2026-03-03 18:30  \(Self.bookingLine("c", "2026-03-06T10:00:00Z"))
      2026-03-03 18:30  \(Self.bookingLine("d", "2027-03-06T10:00:00Z"))
      2026-03-04 12:00  event called.off {"visit": "c"}
      2027-03-05 18:00  > eve "d at 10:00"
      2027-03-08 00:00  end
      """,
      catalog: Fixtures.catalog(
        events: Self.events,
        reminders: [
          "eve": """
          every: {day: {at: "18:00"}}, \
          upcoming: {event: booked, at: at, within: 24h, cancel: called.off}, \
          messages: [{title: "{{visit}} at {{at.time}}", body: "-"}]
          """
        ]))
  }

  @Test(arguments: [
    ("within: 0h", "\"within\" must be longer than 0; it is 0h"),
    ("within: -1h", "within must be a duration such as 30m, 12h or 3d"),
    ("within: 24h, cancel: caled.off", "did you mean \"called.off\"?"),
  ])
  func `an impossible upcoming condition is explained`(terms: String, message: String) {
    let upcoming = "upcoming: {event: booked, at: at, \(terms)}"
    let text = Fixtures.catalog(
      events: Self.events, reminders: ["eve": "every: {day: {at: \"18:00\"}}, \(upcoming)"])
    let error = #expect(throws: CatalogErrors.self) { try Fixtures.read(text) }
    #expect(error?.description.contains(message) == true, "\(error?.description ?? "")")
  }

  @Test func `G1: a reminder requires three events within a span`() throws {
    try Diary.expect(
      """
      2026-03-02 07:00  event missed
      2026-03-04 07:00  event missed
      2026-03-20 07:00  event missed
      2026-03-22 07:00  event missed
      2026-03-22 07:30  event missed
      2026-03-22 08:00  > thrice
      2026-03-24 00:00  end
      """,
      catalog: Fixtures.catalog(
        events: Self.events,
        reminders: [
          "thrice": """
          every: {day: {at: "08:00"}}, having: {event: missed, within: 3d, times: 3}, \
          unless: relapse, skip: {days: [mon]}
          """
        ]))
  }

  @Test func `I4: a freeze delays the planned milestones`() throws {
    let catalog = Fixtures.catalog(
      events: "{frozen: {}}",
      reminders: [
        "m-{days}": """
        on: {event: milestone.reached, delay: 1s, since: [streak.started], \
        freeze: {event: frozen, by: 24h}}, milestones: {3: {name: a, meaning: b}, \
        5: {name: c, meaning: d}}
        """
      ])
    try Diary.expect(
      """
      2026-03-02 12:00  streak
      2026-03-03 12:00  event frozen
      2026-03-06 12:00  > m-3
      2026-03-06 13:00  event frozen
      2026-03-07 09:00  event frozen  @ 2026-03-01 09:00
      2026-03-09 12:00  > m-5
      2026-03-10 09:00  event frozen
      2026-03-20 00:00  end
      """, catalog: catalog)
  }

  /// Old reports are forgotten after a while, but freezes are not.
  @Test func `I4: a freeze counts for the whole streak`() throws {
    try Diary.expect(
      """
      2026-01-01 12:00  streak
      2026-01-02 12:00  event frozen
      2026-02-25 12:00  \(Self.bookingLine("a", "2026-02-26T12:00:00Z"))
      2026-02-26 12:30  restart
      2026-03-03 12:00  > m-60
      2026-03-04 00:00  end
      """,
      catalog: Fixtures.catalog(
        events: """
          {frozen: {}, booked: {visit: identifier, at: instant}}
          """,
        reminders: [
          "m-{days}": """
          on: {event: milestone.reached, delay: 1s, since: [streak.started], \
          freeze: {event: frozen, by: 24h}}, milestones: {60: {name: a, meaning: b}}
          """
        ]))
  }

  @Test func `a freeze event with fields is rejected`() {
    let text = Fixtures.catalog(
      events: "{frozen: {reason: text}}",
      reminders: [
        "m-{days}": """
        on: {event: milestone.reached, delay: 1s, since: relapse, \
        freeze: {event: frozen, by: 24h}}, milestones: {60: {name: a, meaning: b}}
        """
      ])
    let error = #expect(throws: CatalogErrors.self) { try Fixtures.read(text) }
    #expect(error?.description.contains("must have no fields") == true)
  }

  // MARK: - Conditions on fields

  private static let labs = """
    {lab: {result: identifier, test: text, value: number?, isFinal: flag, unit: text?}}
    """

  private static func lab(_ name: String, _ data: String) -> String {
    "event lab {\"result\": \"\(name)\", \"test\": \"\(name)\", \(data)}"
  }

  @Test func `G1: the key where selects events by their fields`() throws {
    try Diary.expect(
      """
      2026-03-02 07:00  created
      2026-03-02 08:00  \(Self.lab("K", "\"value\": 5.6, \"isFinal\": true"))
      2026-03-02 08:00:01  > high "K 5.6"
      2026-03-02 08:00:01  > known "K 5.6"
      2026-03-02 08:10  \(Self.lab("K", "\"value\": 5.5, \"isFinal\": true"))
      2026-03-02 08:20  \(Self.lab("Na", "\"value\": 140, \"isFinal\": false"))
      2026-03-02 08:20:01  > known "Na 140"
      2026-03-02 08:30  \(Self.lab("P", "\"isFinal\": true"))
      2026-03-02 08:40  prefs {"reminders": {"notes": {"limit": 7}}}
      2026-03-02 08:50  \(Self.lab("K2", "\"value\": 6, \"isFinal\": true"))
      2026-03-02 08:50:01  > known "K2 6"
      2026-03-03 00:00  end
      """,
      catalog: Fixtures.catalog(
        events: Self.labs, groups: "notes: {enabled: true, limit: 5}",
        reminders: [
          "high": """
          on: {event: lab, delay: 1s}, messages: [{title: "{{test}} {{value}}", body: "-"}], \
          where: {test: [K, K2, P], value: {above: 5.5, atLeast: $limit}, isFinal: true}
          """,
          "known": """
          on: {event: lab, delay: 1s}, messages: [{title: "{{test}} {{value}}", body: "-"}], \
          where: {value: {given: true}, unit: {given: false}}
          """,
        ]))
  }

  @Test func `G1: the trigger after follows the latest event that the key where selects`() throws {
    try Diary.expect(
      """
      2026-03-02 07:00  \(Self.lab("K", "\"value\": 6, \"isFinal\": true"))
      2026-03-02 09:00  \(Self.lab("K", "\"value\": 4, \"isFinal\": true"))
      2026-03-02 09:30  restart
      2026-03-02 10:00  > again "K 6"
      2026-03-02 11:00  \(Self.lab("K", "\"value\": 7, \"isFinal\": true"))
      2026-03-02 12:00  \(Self.lab("K", "\"value\": 8, \"isFinal\": true"))
      2026-03-02 13:00  \(Self.lab("K", "\"isFinal\": true"))
      2026-03-02 15:00  > again "K 8"
      2026-03-03 00:00  end
      """,
      catalog: Fixtures.catalog(
        events: Self.labs,
        reminders: [
          "again": """
          after: {event: lab, delay: 3h}, where: {value: {above: 5}}, \
          messages: [{title: "{{test}} {{value}}", body: "-"}]
          """
        ]))
  }

  /// The latest matching report of each entity counts; an event that cancels the entity ends the
  /// reminder.
  @Test(arguments: ["state: sent", "state: sent, weight: {above: $limit}"])
  func `G1: a newer report that fails the condition changes nothing`(condition: String) throws {
    try Diary.expect(
      """
      2026-03-02 07:00  event parcel {"id": "a", "state": "sent", "weight": 2}
      2026-03-02 08:00  event parcel {"id": "a", "state": "seen", "weight": 2}
      2026-03-02 09:00  event parcel {"id": "b", "state": "seen", "weight": 2}
      2026-03-02 10:00  > asked "a sent"
      2026-03-02 11:00  event parcel {"id": "b", "state": "sent", "weight": 2}
      2026-03-02 12:00  event parcel {"id": "b", "state": "seen", "weight": 2}
      2026-03-02 13:00  event taken {"id": "b"}
      2026-03-03 00:00  end
      """,
      catalog: Fixtures.catalog(
        events: "{parcel: {id: identifier, state: text, weight: number}, taken: {id: identifier}}",
        groups: "notes: {enabled: true, limit: 1}",
        reminders: [
          "asked": """
          after: {event: parcel, delay: 3h}, where: {\(condition)}, cancel: taken, \
          messages: [{title: "{{id}} {{state}}", body: "-"}]
          """
        ]))
  }

  /// With a fixed condition, the number of events without a match does not matter. With a limit set
  /// by the recipient, the last 32 events are remembered, matching or not.
  @Test(arguments: [("above: 5", 40), ("above: $limit", 31)])
  func `G1: events without a match do not displace a match`(condition: String, count: Int) throws {
    let others = (0..<count).map { minute in
      "2026-03-02 09:\(minute < 10 ? "0" : "")\(minute)  "
        + Self.lab("K", "\"value\": 4, \"isFinal\": true")
    }
    try Diary.expect(
      """
      2026-03-02 07:00  \(Self.lab("K", "\"value\": 6, \"isFinal\": true"))
      \(others.joined(separator: "\n"))
      2026-03-02 10:00  > again
      2026-03-03 00:00  end
      """,
      catalog: Fixtures.catalog(
        events: Self.labs, groups: "notes: {enabled: true, limit: 5}",
        reminders: ["again": "after: {event: lab, delay: 3h}, where: {value: {\(condition)}}"]))
  }

  @Test(arguments: [
    ("{tset: K}", "lab has no \"tset\"; did you mean \"test\"?"),
    ("{value: high}", "\"value\" must be a number such as 3 or 5.5"),
    ("{value: {over: 5}}", "\"value\" has no \"over\""), ("{isFinal: 3}", "must be true or false"),
    ("{value: {above: $time}}", "$time is not a whole number"),
    ("{}", "\"where\" must map the event's fields to conditions"),
  ])
  func `an invalid condition is explained`(condition: String, message: String) {
    let text = Fixtures.catalog(
      events: Self.labs, groups: "notes: {enabled: true, time: \"12:00\"}",
      reminders: ["note": "on: {event: lab, delay: 1s}, where: \(condition)"])
    let error = #expect(throws: CatalogErrors.self) { try Fixtures.read(text) }
    #expect(error?.description.contains(message) == true, "\(error?.description ?? "")")
  }
}
