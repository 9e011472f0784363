import Reminders
import Testing

/// Rule G1: the start, end and repetition of a reminder.
@Suite struct TermsTests {
  private static let events = "{logged: {}, published: {}, joined: {}}"

  private static func catalog(_ reminders: KeyValuePairs<String, String>) -> String {
    Fixtures.catalog(
      events: events,
      groups: "notes: {enabled: true, persistence: {choice: [once, repeat]}}",
      reminders: reminders)
  }

  @Test func `the key having requires a recent event`() throws {
    try Diary.expect(
      """
      2026-03-02 07:00  created
      2026-03-03 12:00  event published
      2026-03-04 10:00  > news
      2026-03-05 09:59  event published
      2026-03-05 10:00  > news
      2026-03-06 10:00  end
      """,
      catalog: Self.catalog([
        "news": "every: {day: {at: \"10:00\"}}, having: {event: published, within: 1d}"
      ]))
  }

  @Test func `the key unless skips the date of an event and cancels a held occurrence`() throws {
    try Diary.expect(
      """
      2026-03-02 07:00  created
      2026-03-02 10:00  > weigh
      2026-03-02 23:59  event logged
      2026-03-03 09:00  event logged
      2026-03-04 09:30  quiet 09:00 12:00
      2026-03-04 11:00  event logged
      2026-03-05 12:00  > weigh of 2026-03-05 10:00 (quiet_hours)
      2026-03-05 13:00  end
      """, catalog: Self.catalog(["weigh": "every: {day: {at: \"10:00\"}}, unless: logged"]))
  }

  @Test func `the key unless applies to the local date`() throws {
    // Auckland is 13 hours ahead: there, the event is on the date of the reminder.
    try Diary.expect(
      """
      2026-03-02 07:00  zone Pacific/Auckland
      2026-03-02 12:00  event logged
      2026-03-03 21:00  > weigh
      2026-03-03 22:00  end
      """, catalog: Self.catalog(["weigh": "every: {day: {at: \"10:00\"}}, unless: logged"]))
  }

  @Test func `an event counts for the nearest of several times a day`() throws {
    try Diary.expect(
      """
      2026-03-02 07:00  created
      2026-03-02 08:00  > dose
      2026-03-02 08:30  > dose+1
      2026-03-02 08:40  event logged
      2026-03-02 20:00  > dose
      2026-03-02 20:10  event logged
      2026-03-03 07:50  event logged
      2026-03-03 19:50  event logged
      2026-03-04 07:00  end
      """,
      catalog: Self.catalog([
        "dose": """
        every: {day: {at: ["08:00", "20:00"]}}, unless: logged, again: {every: 30m, times: 2}
        """
      ]))
  }

  @Test func `the key from waits for an event, the key until ends a reminder for good`() throws {
    try Diary.expect(
      """
      2026-03-02 07:00  created
      2026-03-03 09:00  event joined
      2026-03-03 10:00  > note
      2026-03-04 10:00  > note
      2026-03-04 11:00  event logged
      2026-03-06 10:00  end
      """,
      catalog: Self.catalog(["note": "every: {day: {at: \"10:00\"}}, from: joined, until: logged"]))
  }

  @Test func `the key again repeats a reminder until an event, if the recipient wants it`() throws {
    try Diary.expect(
      """
      2026-03-02 07:00  created
      2026-03-02 10:00  > weigh
      2026-03-02 12:00  prefs {"reminders": {"notes": {"persistence": "repeat"}}}
      2026-03-02 13:00  > weigh+3
      2026-03-03 10:00  > weigh
      2026-03-03 11:00  > weigh+1
      2026-03-03 11:30  event logged
      2026-03-04 09:00  event logged
      2026-03-05 10:00  > weigh
      2026-03-05 11:00  > weigh+1
      2026-03-05 12:00  > weigh+2
      2026-03-05 13:00  > weigh+3
      2026-03-06 09:00  end
      """,
      catalog: Self.catalog([
        "weigh": """
        every: {day: {at: "10:00"}}, unless: logged, \
        again: {every: 1h, times: 3, when: {persistence: repeat}}
        """
      ]))
  }

  @Test func `a repetition expires when the next repetition is due`() throws {
    try Diary.expect(
      """
      2026-03-02 07:00  created
      2026-03-02 12:30  jump
      2026-03-02 12:30  x weigh of 2026-03-02 10:00 (missed)
      2026-03-02 12:30  x weigh+1 of 2026-03-02 11:00 (expired)
      2026-03-02 12:30  > weigh+2 of 2026-03-02 12:00
      2026-03-02 12:40  end
      """,
      catalog: Self.catalog([
        "weigh": "every: {day: {at: \"10:00\"}}, again: {every: 1h, times: 2}"
      ]))
  }

  @Test func `the keys unless and again also apply to a reminder after an event`() throws {
    try Diary.expect(
      """
      2026-03-02 07:00  created
      2026-03-02 08:00  event published
      2026-03-02 10:00  > read
      2026-03-02 11:00  > read+1
      2026-03-03 08:00  event published
      2026-03-03 09:30  event logged
      2026-03-05 00:00  end
      """,
      catalog: Self.catalog([
        "read": """
        after: {event: published, delay: 2h}, unless: logged, again: {every: 1h, times: 1}
        """
      ]))
  }

  @Test func `G1: a reminder and its repetitions form a chain`() throws {
    let catalog = try Fixtures.read(
      Self.catalog([
        "weigh": "every: {day: {at: \"10:00\"}}, again: {every: 1h, times: 2}",
        "still": "every: {day: {at: \"10:30\"}}, repeats: weigh",
      ]))
    let chain = ["weigh", "weigh+1", "weigh+2", "still"].map { Symbol($0) }
    for symbol in chain {
      let reminder = try #require(catalog.reminder(symbol))
      #expect(catalog.chain(of: reminder) == chain)
    }
  }
}
