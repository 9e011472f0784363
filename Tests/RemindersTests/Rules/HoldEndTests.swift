import Testing

/// Rules V9 and V11: the end of a hold changes only if something that determines it changes. In the
/// names of tests, a move is a change of the recipient's zone.
@Suite struct HoldEndTests {
  private static let catalog = """
    catalog: apps
    categories:
      LOW: {title: Low, urgency: low, channels: {push: true}}
      HIGH: {title: High, urgency: high, channels: {push: true}}
    reminders: {}
    """

  private static func request(
    _ title: String, _ extraMembers: String = "", category: String = "LOW"
  ) -> String {
    "say {\"category\": \"\(category)\", \"title\": \"\(title)\", \"body\": \"b\", "
      + "\"expires\": \"3d\"\(extraMembers)}"
  }

  @Test func `V9: an occurrence that a cap holds stays held after an event at night`() throws {
    try Diary.expect(
      """
      2026-03-02 08:00  prefs {"caps": {"perDay": 1}}
      2026-03-02 18:00  \(Self.request("one"))
      2026-03-02 18:00  > notification.requested "one"
      2026-03-02 18:30  \(Self.request("two"))
      2026-03-03 00:05  email a@b.example
      2026-03-03 00:10  prefs {"caps": {"perDay": 5}}
      2026-03-03 00:20  prefs {"caps": {"perDay": null}}
      2026-03-03 08:00  > notification.requested of 2026-03-02 18:30 (daily_cap) "two"
      2026-03-03 10:00  end
      """, catalog: Self.catalog)
  }

  @Test func `V9: a cap raised on the same date releases held occurrences at once`() throws {
    try Diary.expect(
      """
      2026-03-02 08:00  prefs {"caps": {"perDay": 1}}
      2026-03-02 18:00  \(Self.request("one"))
      2026-03-02 18:00  > notification.requested "one"
      2026-03-02 18:30  \(Self.request("two"))
      2026-03-02 23:00  prefs {"caps": {"perDay": 2}}
      2026-03-02 23:00  > notification.requested of 2026-03-02 18:30 (daily_cap) "two"
      2026-03-03 10:00  end
      """, catalog: Self.catalog)
  }

  @Test func `V9: a reload at night releases no occurrence held by a cap`() throws {
    try Diary.expect(
      """
      2026-03-02 08:00  prefs {"caps": {"perDay": 1}}
      2026-03-02 18:00  \(Self.request("one"))
      2026-03-02 18:00  > notification.requested "one"
      2026-03-02 18:30  \(Self.request("two"))
      2026-03-03 00:05  catalog other
      2026-03-03 00:06  restart
      2026-03-03 00:07  fire
      2026-03-03 08:00  > notification.requested of 2026-03-02 18:30 (daily_cap) "two"
      2026-03-03 10:00  end
      """, catalog: Self.catalog, alternatives: ["other": Self.catalog + "\n"])
  }

  @Test func `V9: a clock corrected at night releases no occurrence held by a cap`() throws {
    try Diary.expect(
      """
      2026-03-02 08:00  prefs {"caps": {"perDay": 1}}
      2026-03-02 18:00  \(Self.request("one"))
      2026-03-02 18:00  > notification.requested "one"
      2026-03-02 18:30  \(Self.request("two"))
      2026-03-02 18:40  \(Self.request("three"))
      2026-03-03 08:00  jump
      2026-03-03 08:00  > notification.requested of 2026-03-02 18:30 (daily_cap) "two"
      2026-03-03 01:00  rewind
      2026-03-03 01:05  email a@b.example
      2026-03-03 08:00  > notification.requested of 2026-03-02 18:40 (daily_cap) "three"
      2026-03-03 10:00  end
      """, catalog: Self.catalog)
  }

  @Test func `V9: an occurrence held by a vacation stays held at night`() throws {
    try Diary.expect(
      """
      2026-03-02 08:00  vacation 2026-03-02
      2026-03-02 08:01  \(Self.request("one", ", \"at\": \"2026-03-02T23:30:00Z\""))
      2026-03-03 00:30  jump
      2026-03-03 08:00  > notification.requested of 2026-03-02 23:30 (vacation) "one"
      2026-03-03 10:00  end
      """, catalog: Self.catalog)
  }

  /// The occurrence is held from 23:00 to 07:00 in Berlin. At that end, it is day in Tokyo, but
  /// quiet hours in New York hold the occurrence again.
  @Test(arguments: [
    "email a@b.example", "event notification.opened {\"notification\": \"n\"}",
    "prefs {\"caps\": {\"perDay\": 9}}", "prefs {\"dayStart\": \"09:00\"}",
  ])
  func `V11: an unrelated report after a move keeps the end of a hold`(report: String) throws {
    for zone in ["Asia/Tokyo", "America/New_York"] {
      let deliveryLine =
        zone == "Asia/Tokyo"
        ? "2026-03-03 06:00  > notification.requested of 2026-03-02 22:00 (quiet_hours) \"one\""
        : "2026-03-03 12:00  > notification.requested of 2026-03-02 22:00 (quiet_hours) \"one\""
      try Diary.expect(
        """
        2026-03-02 08:00  zone Europe/Berlin
        2026-03-02 08:00  quiet 22:00 07:00
        2026-03-02 22:00  \(Self.request("one"))
        2026-03-02 23:00  zone \(zone)
        2026-03-03 00:30  \(report)
        2026-03-03 01:30  \(report)
        \(deliveryLine)
        2026-03-03 13:00  end
        """, catalog: Self.catalog)
    }
  }

  @Test func `V11: a change of quiet hours after a move sets a new end`() throws {
    try Diary.expect(
      """
      2026-03-02 08:00  zone Europe/Berlin
      2026-03-02 08:00  quiet 22:00 07:00
      2026-03-02 22:00  \(Self.request("one"))
      2026-03-02 23:00  zone Asia/Tokyo
      2026-03-03 00:30  prefs {"quietHours": {"end": "08:00"}}
      2026-03-03 00:30  > notification.requested of 2026-03-02 22:00 (quiet_hours) "one"
      2026-03-03 13:00  end
      """, catalog: Self.catalog)
  }

  @Test func `V11: an unrelated report after a move keeps a cap's hold`() throws {
    try Diary.expect(
      """
      2026-03-02 08:00  zone Europe/Berlin
      2026-03-02 08:00  prefs {"caps": {"perDay": 1}}
      2026-03-02 18:00  \(Self.request("one"))
      2026-03-02 18:00  > notification.requested "one"
      2026-03-02 18:30  \(Self.request("two"))
      2026-03-02 19:00  zone Europe/Helsinki
      2026-03-02 19:05  email a@b.example
      2026-03-03 07:00  > notification.requested of 2026-03-02 18:30 (daily_cap) "two"
      2026-03-03 13:00  end
      """, catalog: Self.catalog)
  }

  /// The vacation starts at 15:00; the service receives the event an hour later.
  @Test func `V4: a vacation stops the time to expiry from the time of its event`() throws {
    try Diary.expect(
      """
      2026-03-02 08:00  quiet 12:00 18:00
      2026-03-02 14:00  say {"category": "LOW", "title": "one", "body": "b", "expires": "8h"}
      2026-03-02 16:00  vacation 2026-03-02 @ 2026-03-02 15:00
      2026-03-02 17:00  quiet 07:30 14:30
      2026-03-03 14:30  > notification.requested of 2026-03-02 14:00 (vacation, quiet_hours) "one"
      2026-03-03 18:00  end
      """, catalog: Self.catalog)
  }
}
