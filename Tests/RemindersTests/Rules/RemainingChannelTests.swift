import Testing

/// Rule V1: an occurrence has one outcome even if one of its channels becomes unavailable.
@Suite struct RemainingChannelTests {
  private static let catalog = """
    catalog: apps
    categories:
      BOTH: {title: Both, channels: {push: true, inapp: true}}
    reminders: {}
    """
  private static let request =
    "say {\"category\": \"BOTH\", \"title\": \"one\", \"body\": \"b\", \"expires\": \"3d\"}"

  @Test(arguments: [
    ("{\"channels\": {\"inapp\": false}}", ""), ("{\"channels\": {\"push\": false}}", " by inapp"),
    ("{\"categories\": {\"BOTH\": {\"push\": false}}}", " by inapp"),
  ])
  func `V1: a held occurrence goes out on the remaining channel`(
    change: String, channel: String
  ) throws {
    try Diary.expect(
      """
      2026-03-02 08:00  vacation 2026-03-02
      2026-03-02 09:00  \(Self.request)
      2026-03-02 10:00  prefs \(change)
      2026-03-03 08:00  > notification.requested\(channel) of 2026-03-02 09:00 (vacation) "one"
      2026-03-03 10:00  end
      """, catalog: Self.catalog)
  }

  @Test(arguments: ["prefs {\"channels\": {\"push\": false}}", "deny push"])
  func `V1: an occurrence sent as an in-app item is not recorded as dropped on another channel`(
    change: String
  ) throws {
    try Diary.expect(
      """
      2026-03-02 08:00  quiet 08:00 12:00
      2026-03-02 09:00  \(Self.request)
      2026-03-02 09:00  > notification.requested by inapp silently "one"
      2026-03-02 09:30  restart
      2026-03-02 10:00  \(change)
      2026-03-03 10:00  end
      """, catalog: Self.catalog)
  }

  @Test func `V1: a held occurrence goes out on a newly enabled channel`() throws {
    try Diary.expect(
      """
      2026-03-02 08:00  prefs {"channels": {"inapp": false}}
      2026-03-02 08:00  quiet 08:00 12:00
      2026-03-02 09:00  \(Self.request)
      2026-03-02 10:00  prefs {"channels": {"inapp": true, "push": false}}
      2026-03-02 10:00  > notification.requested by inapp silently of 2026-03-02 09:00 (quiet_hours)
      2026-03-03 10:00  end
      """, catalog: Self.catalog)
  }

  @Test func `V1: an occurrence without a channel is dropped with its reasons`() throws {
    try Diary.expect(
      """
      2026-03-02 08:00  vacation 2026-03-02
      2026-03-02 09:00  \(Self.request)
      2026-03-02 10:00  deny push
      2026-03-02 10:01  prefs {"channels": {"inapp": false}}
      2026-03-02 10:01  x notification.requested of 2026-03-02 09:00 (vacation, address) "one"
      2026-03-03 10:00  end
      """, catalog: Self.catalog)
  }
}
