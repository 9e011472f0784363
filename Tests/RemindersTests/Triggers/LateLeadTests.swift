import Reminders
import Testing

/// Rules T13 and T15: entities that are reported after their leads, and expired requests.
@Suite struct LateLeadTests {
  private static let catalog = Fixtures.catalog(
    events: "{booked: {visit: identifier, at: instant}, cancelled: {visit: identifier}}",
    reminders: [
      "visit": """
      before: {event: booked, at: at, by: [24h, 2h]}, cancel: cancelled, expires: 1h, \
      messages: [{title: "{{visit}} {{at.time}}", body: "-"}]
      """,
      "eve": """
      before: {event: booked, at: at, days: 1, time: "18:00"}, cancel: cancelled, late: skip
      """,
    ])

  private static func bookingLine(_ name: String, _ at: String) -> String {
    "event booked {\"visit\": \"\(name)\", \"at\": \"\(at)\"}"
  }

  @Test func `T13: only the latest lead is sent late, and once`() throws {
    try Diary.expect(
      """
      2026-03-02 08:00  created
      2026-03-02 08:30  \(Self.bookingLine("a", "2026-03-02T10:00:00Z"))
      2026-03-02 08:30  x eve (missed)
      2026-03-02 08:30  > visit "a 10:00"
      2026-03-02 08:40  \(Self.bookingLine("a", "2026-03-02T10:00:00Z"))
      2026-03-02 09:00  restart
      2026-03-02 09:10  \(Self.bookingLine("a", "2026-03-02T10:00:00Z"))
      2026-03-03 00:00  end
      """, catalog: Self.catalog)
  }

  @Test func `T13: a passed lead is not sent late if a later lead is still to come`() throws {
    try Diary.expect(
      """
      2026-03-02 08:00  created
      2026-03-02 08:00  \(Self.bookingLine("a", "2026-03-02T20:00:00Z"))
      2026-03-02 08:00  x eve (missed)
      2026-03-02 18:00  > visit "a 20:00"
      2026-03-03 00:00  end
      """, catalog: Self.catalog)
  }

  @Test func `T13: a late lead is sent although its own expiry has passed`() throws {
    try Diary.expect(
      """
      2026-03-02 08:00  created
      2026-03-02 09:40  \(Self.bookingLine("a", "2026-03-02T10:00:00Z"))
      2026-03-02 09:40  x eve (missed)
      2026-03-02 09:40  > visit "a 10:00"
      2026-03-02 10:00  \(Self.bookingLine("b", "2026-03-02T10:00:00Z"))
      2026-03-02 11:00  \(Self.bookingLine("c", "2026-03-02T10:00:00Z"))
      2026-03-03 00:00  end
      """, catalog: Self.catalog)
  }

  @Test func `T13: a booking whose move makes its leads overdue has a reminder again`() throws {
    try Diary.expect(
      """
      2026-03-01 08:00  \(Self.bookingLine("a", "2026-03-03T20:00:00Z"))
      2026-03-02 18:00  > eve
      2026-03-02 20:00  > visit "a 20:00"
      2026-03-03 12:00  \(Self.bookingLine("a", "2026-03-03T13:00:00Z"))
      2026-03-03 12:00  x eve (missed)
      2026-03-03 12:00  > visit "a 13:00"
      2026-03-04 00:00  end
      """, catalog: Self.catalog)
  }

  @Test func `V10: a late lead held beyond its booking's instant is dropped and recorded`() throws {
    try Diary.expect(
      """
      2026-03-02 00:00  quiet 08:00 09:30
      2026-03-02 08:30  \(Self.bookingLine("a", "2026-03-02T09:45:00Z"))
      2026-03-02 08:30  x eve (missed)
      2026-03-02 08:30  \(Self.bookingLine("b", "2026-03-02T09:15:00Z"))
      2026-03-02 08:30  x eve (missed)
      2026-03-02 08:30  x visit (quiet_hours, expired) "b 09:15"
      2026-03-02 09:30  > visit of 2026-03-02 08:30 (quiet_hours) "a 09:45"
      2026-03-03 00:00  end
      """, catalog: Self.catalog)
  }

  @Test func `T13: a booking that arrives after several leads is sent once`() throws {
    try Diary.expect(
      """
      2026-03-02 08:00  created
      2026-03-04 08:00  \(Self.bookingLine("a", "2026-03-04T09:00:00Z"))  @ 2026-03-02 09:00
      2026-03-04 08:00  > long of 2026-03-04 07:00
      2026-03-04 08:30  \(Self.bookingLine("b", "2026-03-04T08:40:00Z"))  @ 2026-03-02 09:00
      2026-03-04 08:30  x long of 2026-03-04 06:40 (expired)
      2026-03-05 00:00  end
      """,
      catalog: Fixtures.catalog(
        events: "{booked: {visit: identifier, at: instant}}",
        reminders: ["long": "before: {event: booked, at: at, by: [24h, 2h]}, expires: 90m"]))
  }

  @Test func `T13: a late lead is cancelled with its entity`() throws {
    try Diary.expect(
      """
      2026-03-02 00:00  quiet 08:00 09:30
      2026-03-02 08:30  \(Self.bookingLine("a", "2026-03-02T09:45:00Z"))
      2026-03-02 08:30  x eve (missed)
      2026-03-02 09:00  event cancelled {"visit": "a"}
      2026-03-03 00:00  end
      """, catalog: Self.catalog)
  }

  @Test func `T13: repetitions of a late lead count from its sending, a skipped lead has none`()
    throws
  {
    try Diary.expect(
      """
      2026-03-02 08:00  created
      2026-03-02 08:45  \(Self.bookingLine("a", "2026-03-02T10:00:00Z"))
      2026-03-02 08:45  x none (missed)
      2026-03-02 08:45  > twice
      2026-03-02 09:15  > twice+1
      2026-03-02 09:45  > twice+2
      2026-03-03 00:00  end
      """,
      catalog: Fixtures.catalog(
        events: "{booked: {visit: identifier, at: instant}}",
        reminders: [
          "twice": """
          before: {event: booked, at: at, by: 2h}, again: {every: 30m, times: 2}, expires: 3h
          """,
          "none": """
          before: {event: booked, at: at, by: 2h}, again: {every: 30m, times: 2}, late: skip
          """,
        ]))
  }

  @Test func `T15: a request that has expired on arrival is dropped with a record`() throws {
    let text = "\"category\": \"NOTE\", \"title\": \"N\", \"body\": \"-\""
    try Diary.expect(
      """
      2026-03-02 08:00  created
      2026-03-02 09:00  say {\(text), "at": "2020-03-02T09:00:00Z"}
      2026-03-02 09:00  x notification.requested of 2020-03-02 09:00 (expired) "N"
      2026-03-02 09:30  say {\(text), "at": "2026-03-02T09:00:00Z", "expires": "1h"}
      2026-03-02 09:30  > notification.requested of 2026-03-02 09:00 "N"
      2026-03-02 10:00  end
      """, catalog: Fixtures.catalog(reminders: ["note": "every: {day: {at: \"23:00\"}}"]))
  }

  @Test(arguments: [
    ("before: {event: booked, at: at, by: 2h}, late: soon", "late"),
    ("past: {event: booked, at: at, by: 2h}, late: skip", "\"late\" needs \"before\""),
  ])
  func `G1: the key late is send or skip, and needs the key before`(body: String, fault: String) {
    let catalog = Fixtures.catalog(
      events: "{booked: {visit: identifier, at: instant}}", reminders: ["visit": body])
    let error = #expect(throws: CatalogErrors.self) { try Fixtures.read(catalog) }
    #expect("\(error.map { "\($0)" } ?? "")".contains(fault))
  }
}
