import Testing

/// Rule V11: after a change of the frequency, a collection does not repeat items that were
/// delivered singly or by another collection.
@Suite struct CollectedOnceTests {
  /// Plays a diary of a recipient to whom new content is announced with the given frequency. Other
  /// reminders are off.
  private static func expect(_ frequency: String, _ script: String) throws {
    let start = "2026-03-02 08:00"
    let script = """
      \(start)  prefs {"channels": {"inapp": false}}
      \(start)  off meals weight exercise weekly monthly tips encouragement inactivity
      \(change(to: frequency, at: start))
      \(script)
      """
    // The operator's cap of the shipped catalog would hold the items of a busy day.
    let catalog = try Fixtures.shipped("wellness").replacing("perDay: 6\n", with: "perDay: 1000\n")
    try Diary.expect(script, catalog: catalog)
  }

  private static func change(to frequency: String, at time: String) -> String {
    "\(time)  prefs {\"reminders\": {\"newContent\": {\"frequency\": \"\(frequency)\"}}}"
  }

  private static func content(_ name: String, at time: String) -> String {
    "\(time)  event content.published {\"content\": \"\(name)\", \"title\": \"\(name)\"}"
  }

  @Test func `V11: a collection does not count items that were sent immediately`() throws {
    try Self.expect(
      "immediate",
      """
      \(Self.content("one", at: "2026-03-02 09:00"))
      2026-03-02 09:00:01  > new-content "New for You"
      \(Self.change(to: "daily", at: "2026-03-02 09:30"))
      2026-03-02 11:00  restart
      \(Self.content("one", at: "2026-03-02 12:00"))
      \(Self.content("two", at: "2026-03-04 12:00"))
      2026-03-05 10:00  > new-content-daily "New Content"
      2026-03-09 00:00  end
      """)
  }

  @Test func `V11: an item that was held and not delivered is collected`() throws {
    try Self.expect(
      "immediate",
      """
      2026-03-02 08:30  quiet 08:30 09:45
      \(Self.content("one", at: "2026-03-02 09:00"))
      \(Self.change(to: "daily", at: "2026-03-02 09:30"))
      2026-03-02 10:00  > new-content-daily "New Content"
      2026-03-04 00:00  end
      """)
  }

  @Test func `V11: writing the current setting again loses no collected item`() throws {
    try Self.expect(
      "daily",
      """
      \(Self.content("one", at: "2026-03-02 12:00"))
      \(Self.change(to: "daily", at: "2026-03-02 18:00"))
      2026-03-03 10:00  > new-content-daily "New Content"
      2026-03-04 00:00  end
      """)
  }

  @Test func `V11: a weekly collection does not count items of daily collections`() throws {
    try Self.expect(
      "daily",
      """
      \(Self.content("one", at: "2026-03-03 12:00"))
      2026-03-04 10:00  > new-content-daily "New Content"
      \(Self.change(to: "weekly", at: "2026-03-05 12:00"))
      2026-03-09 12:00  restart
      \(Self.content("two", at: "2026-03-10 12:00"))
      2026-03-16 10:00  > new-content-weekly "New Content"
      2026-03-24 00:00  end
      """)
  }

  /// The daily collection was at 10:00; a later change of the time has no effect on it.
  @Test func `V11: items since a collection stay new if the time of collection moves`() throws {
    try Self.expect(
      "daily",
      """
      \(Self.content("one", at: "2026-03-07 12:00"))
      2026-03-08 10:00  > new-content-daily "New Content"
      \(Self.change(to: "weekly", at: "2026-03-08 11:00"))
      \(Self.content("two", at: "2026-03-08 12:00"))
      2026-03-08 13:00  prefs {"reminders": {"newContent": {"time": "18:00"}}}
      2026-03-09 18:00  > new-content-weekly "New Content"
      2026-03-17 00:00  end
      """)
  }

  /// More items were delivered immediately than are remembered individually.
  @Test func `V11: items before the remembered ones also count as delivered`() throws {
    let contents = (0..<40).map { Self.content("\($0)", at: "2026-03-05 09:\(10 + $0)") }
    let deliveries = (0..<40).map { "2026-03-05 09:\(10 + $0):01  > new-content" }
    try Self.expect(
      "immediate",
      """
      \(zip(contents, deliveries).flatMap { [$0, $1] }.joined(separator: "\n"))
      \(Self.change(to: "weekly", at: "2026-03-05 12:00"))
      2026-03-10 00:00  end
      """)
  }
}
