import Testing

/// Rule G1: reminders before an instant that an event contains.
@Suite struct BeforeTests {
  private static let catalog = Fixtures.catalog(
    events: """
      {booked: {appointment: identifier, at: instant, place: text?},
        cancelled: {appointment: identifier}, everything.cancelled: {}}
      """,
    groups: "notes: {enabled: true, advance: [24, 2], days: {number: [0, 9], initial: 3}}",
    reminders: [
      "visit": """
      before: {event: booked, at: at, by: $advance}, cancel: [cancelled, everything.cancelled], \
      expires: 1h, messages: [{title: "{{hours}} h: {{appointment}}{{place}} {{at}}", body: "-"}]
      """
    ])

  private static func bookingLine(_ name: String, _ at: String, place: String = "") -> String {
    let place = place.isEmpty ? "" : ", \"place\": \"\(place)\""
    return "event booked {\"appointment\": \"\(name)\", \"at\": \"\(at)\"\(place)}"
  }

  @Test func `G1: each lead of each entity goes out once`() throws {
    try Diary.expect(
      """
      2026-03-02 07:00  \(Self.bookingLine("a", "2026-03-04T09:00:00Z", place: " in Ghent"))
      2026-03-02 08:00  \(Self.bookingLine("b", "2026-03-04T10:00:00+01:00"))
      2026-03-03 09:00  > visit "24 h: a in Ghent 2026-03-04 09:00"
      2026-03-03 09:00  > visit "24 h: b 2026-03-04 09:00"
      2026-03-03 10:00  restart
      2026-03-03 11:00  \(Self.bookingLine("a", "2026-03-04T09:00:00Z", place: " in Ghent"))
      2026-03-04 07:00  > visit "2 h: b 2026-03-04 09:00"
      2026-03-04 07:00  > visit "2 h: a in Ghent 2026-03-04 09:00"
      2026-03-04 07:30  zone Asia/Tokyo
      2026-03-05 00:00  end
      """, catalog: Self.catalog)
  }

  @Test func `G1: a moved booking has its reminders again, a cancelled booking has none`() throws {
    try Diary.expect(
      """
      2026-03-02 07:00  \(Self.bookingLine("a", "2026-03-04T09:00:00Z"))
      2026-03-03 07:00  \(Self.bookingLine("b", "2026-03-04T12:00:00Z"))
      2026-03-03 08:00  event cancelled {"appointment": "b"}
      2026-03-03 09:00  > visit "24 h: a 2026-03-04 09:00"
      2026-03-03 10:00  \(Self.bookingLine("a", "2026-03-06T09:00:00Z"))
      2026-03-05 09:00  > visit "24 h: a 2026-03-06 09:00"
      2026-03-05 10:00  event everything.cancelled
      2026-03-05 11:00  \(Self.bookingLine("b", "2026-03-05T16:00:00Z"))
      2026-03-05 14:00  > visit "2 h: b 2026-03-05 16:00"
      2026-03-07 00:00  end
      """, catalog: Self.catalog)
  }

  @Test func `V2: a held occurrence stays held when its entity is reported again`() throws {
    try Diary.expect(
      """
      2026-03-02 00:00  quiet 06:00 07:30
      2026-03-03 10:00  \(Self.bookingLine("a", "2026-03-04T09:00:00Z"))
      2026-03-03 10:00  \(Self.bookingLine("b", "2026-03-04T09:00:00Z"))
      2026-03-04 07:10  \(Self.bookingLine("a", "2026-03-04T09:00:00Z", place: " in Ghent"))
      2026-03-04 07:10  \(Self.bookingLine("b", "2026-03-04T09:10:00Z"))
      2026-03-04 07:30  > visit of 2026-03-04 07:00 (quiet_hours) "1 h: a in Ghent 2026-03-04 09:00"
      2026-03-04 07:30  > visit of 2026-03-04 07:10 (quiet_hours)
      2026-03-05 00:00  end
      """, catalog: Self.catalog)
  }

  @Test func `T13: a booking reported after all its leads is sent at once`() throws {
    try Diary.expect(
      """
      2026-03-02 07:00  created
      2026-03-02 08:00  \(Self.bookingLine("a", "2026-03-02T20:00:00Z"))
      2026-03-02 18:00  > visit "2 h: a 2026-03-02 20:00"
      2026-03-02 19:00  \(Self.bookingLine("b", "2026-03-02T20:00:00Z"))
      2026-03-02 19:00  > visit
      2026-03-02 19:10  \(Self.bookingLine("b", "2026-03-02T20:00:00Z"))
      2026-03-03 00:00  end
      """, catalog: Self.catalog)
  }

  @Test func `E1: a booking that is reported late has a single reminder, sent late`() throws {
    try Diary.expect(
      """
      2026-03-02 07:00  created
      2026-03-04 07:30  \(Self.bookingLine("a", "2026-03-04T09:00:00Z"))  @ 2026-03-02 08:00
      2026-03-04 07:30  > visit of 2026-03-04 07:00 "1 h: a 2026-03-04 09:00"
      2026-03-04 07:40  \(Self.bookingLine("a", "2026-03-04T09:00:00Z"))  @ 2026-03-02 09:00
      2026-03-05 00:00  end
      """, catalog: Self.catalog)
  }

  @Test func `a changed lead moves the planned occurrences`() throws {
    try Diary.expect(
      """
      2026-03-02 07:00  \(Self.bookingLine("a", "2026-03-04T09:00:00Z"))
      2026-03-02 08:00  prefs {"reminders": {"notes": {"advance": [30, 1]}}}
      2026-03-03 03:00  > visit "30 h: a 2026-03-04 09:00"
      2026-03-04 08:00  > visit "1 h: a 2026-03-04 09:00"
      2026-03-04 08:30  prefs {"reminders": {"notes": {"advance": []}}}
      2026-03-05 00:00  end
      """, catalog: Self.catalog)
  }

  @Test func `T3: a lead in hours is elapsed time, a lead in days counts local dates`() throws {
    // Clocks in New York go forward on 8 March: 12:00 UTC is 08:00 there.
    try Diary.expect(
      """
      2026-03-02 07:00  zone America/New_York
      2026-03-02 08:00  \(Self.bookingLine("a", "2026-03-08T12:00:00Z"))
      2026-03-07 12:00  > hours
      2026-03-07 13:00  > days
      2026-03-08 12:00  > days "at 2026-03-08 08:00"
      2026-03-09 00:00  end
      """,
      catalog: Fixtures.catalog(
        events: "{booked: {appointment: identifier, at: instant}}",
        reminders: [
          "hours": "before: {event: booked, at: at, by: 24h}",
          "days": """
          before: {event: booked, at: at, days: [1, 0], time: "08:00"}, \
          messages: [{title: "at {{at}}", body: "{{at.date}} {{at.time}}"}]
          """,
        ]))
  }

  @Test func `days before an instant follow the recipient to another zone`() throws {
    try Diary.expect(
      """
      2026-03-02 07:00  zone Europe/Berlin
      2026-03-02 08:00  \(Self.bookingLine("a", "2026-03-10T02:00:00Z"))
      2026-03-02 09:00  zone America/New_York
      2026-03-06 14:00  > days "3 days before 2026-03-09 22:00"
      2026-03-06 15:00  zone Pacific/Honolulu
      2026-03-10 00:00  end
      """,
      catalog: Fixtures.catalog(
        events: "{booked: {appointment: identifier, at: instant}}",
        groups: "notes: {enabled: true, days: 3}",
        reminders: [
          "days": """
          before: {event: booked, at: at, days: $days, time: "09:00"}, \
          messages: [{title: "{{days}} days before {{at}}", body: "-"}]
          """
        ]))
  }

  @Test func `an occurrence after the announced instant is not planned`() throws {
    try Diary.expect(
      """
      2026-03-02 07:00  created
      2026-03-02 08:00  \(Self.bookingLine("a", "2026-03-05T00:00:00Z"))
      2026-03-04 09:00  > tomorrow
      2026-03-06 00:00  end
      """,
      catalog: Fixtures.catalog(
        events: "{booked: {appointment: identifier, at: instant}}",
        reminders: [
          "today": "before: {event: booked, at: at, days: 0, time: \"09:00\"}",
          "tomorrow": "before: {event: booked, at: at, days: 1, time: \"09:00\"}",
        ]))
  }
}
