import CivilTime
import JSON
import Reminders
import Testing

/// Rules V5, V6, V12 and V13: minimum interval, daily cap, digests.
@Suite struct CapTests {
  private static let apps = """
    catalog: apps
    categories:
      LOW: {title: Low, urgency: low, channels: {push: true, inapp: false}}
      NORMAL: {title: Normal, urgency: normal, channels: {push: true}}
      HIGH: {title: High, urgency: high, channels: {push: true}}
      ALARM: {title: Alarm, urgency: critical, channels: {push: true}}
      SIREN: {title: Siren, urgency: critical, overCap: drop, channels: {push: true}}
      NEWS: {title: News, urgency: low, overCap: drop, channels: {push: true}}
    reminders: {}
    """

  private static func request(
    _ category: String, _ title: String, _ expires: String = "1d"
  ) -> String {
    "say {\"category\": \"\(category)\", \"title\": \"\(title)\", \"body\": \"b\", "
      + "\"expires\": \"\(expires)\"}"
  }

  @Test func `V5: the interval holds an occurrence that is due too soon`() throws {
    try Diary.expect(
      """
      2026-03-02 08:00  prefs {"caps": {"minInterval": "PT15M"}}
      2026-03-02 09:00  \(Self.request("LOW", "a"))
      2026-03-02 09:00  > notification.requested "a"
      2026-03-02 09:05  \(Self.request("LOW", "b"))
      2026-03-02 09:06  \(Self.request("ALARM", "fire"))
      2026-03-02 09:06  > notification.requested "fire"
      2026-03-02 09:15  > notification.requested of 2026-03-02 09:05 (minimum_interval) "b"
      2026-03-02 10:00  end
      """, catalog: Self.apps)
  }

  @Test func `V5: the cap holds an occurrence until the next local day`() throws {
    try Diary.expect(
      """
      2026-03-02 08:00  zone Europe/Berlin
      2026-03-02 08:00  prefs {"caps": {"perDay": 2}}
      2026-03-02 09:00  \(Self.request("LOW", "a"))
      2026-03-02 09:00  > notification.requested "a"
      2026-03-02 10:00  \(Self.request("LOW", "b"))
      2026-03-02 10:00  > notification.requested "b"
      2026-03-02 11:00  \(Self.request("LOW", "c"))
      2026-03-02 12:00  \(Self.request("NEWS", "d"))
      2026-03-02 12:00  x notification.requested (daily_cap) "d"
      2026-03-02 12:30  \(Self.request("ALARM", "fire"))
      2026-03-02 12:30  > notification.requested "fire"
      2026-03-03 07:00  > notification.requested of 2026-03-02 11:00 (daily_cap) "c"
      2026-03-03 10:00  end
      """, catalog: Self.apps)
  }

  @Test func `V9: after a clock was set back, an occurrence held by a cap waits for dayStart`()
    throws
  {
    let catalog = Fixtures.catalog(
      events: "{ping: {ping: identifier}}",
      reminders: ["pinged": "on: {event: ping, delay: 0s}, expires: 3d"])
    var player = Player(
      planner: try Fixtures.planner(catalog: catalog), now: try utc("2026-03-02 08:00"))
    try player.take("preferences.updated", ["caps": ["perDay": 1]])
    for name in ["a", "b"] {
      try player.take("ping", ["ping": .string(name)])
      player.advance(to: player.now + .hours(1))
    }
    let held = try #require(player.recipient.progress.inProgress.first)
    // The clock jumps days ahead, so the occurrence expires; then the clock is set back to the
    // night after the hold began.
    player.jump(to: try utc("2026-03-10 08:00"))
    var recipient = player.recipient
    #expect(recipient.progress.inProgress.isEmpty)
    recipient.rewind(
      to: try utc("2026-03-03 00:30"), planner: player.planner,
      reopening: [
        DroppedOccurrence(
          reminder: held.reminder, key: held.key,
          channelGroupNumber: held.channelGroup.number, planned: held.planned)
      ])
    let night = recipient.fire(now: try utc("2026-03-03 00:30"), planner: player.planner)
    #expect(night.firings.allSatisfy { $0.result != .finished(.delivered) })
    #expect(night.schedule.due == (try utc("2026-03-03 08:00")))
    let morning = recipient.fire(now: try utc("2026-03-03 08:00"), planner: player.planner)
    #expect(morning.firings.map(\.result) == [.finished(.delivered)])
  }

  /// A cap that counted drops would withhold later notifications.
  @Test func `V5: a dropped occurrence uses no capacity`() throws {
    try Diary.expect(
      """
      2026-03-02 08:00  prefs {"caps": {"perDay": 1}, "categories": {"LOW": {"push": false}}}
      2026-03-02 09:00  \(Self.request("LOW", "a"))
      2026-03-02 10:00  \(Self.request("NORMAL", "b"))
      2026-03-02 10:00  > notification.requested "b"
      2026-03-02 11:00  end
      """, catalog: Self.apps)
  }

  /// A category with `overCap: drop` is no exception, nor is an occurrence within the interval.
  @Test func `V5: a critical occurrence is never dropped by a cap`() throws {
    try Diary.expect(
      """
      2026-03-02 08:00  prefs {"caps": {"perDay": 1, "minInterval": "PT6H"}}
      2026-03-02 09:00  \(Self.request("NEWS", "a"))
      2026-03-02 09:00  > notification.requested "a"
      2026-03-02 10:00  \(Self.request("SIREN", "fire"))
      2026-03-02 10:00  > notification.requested "fire"
      2026-03-02 10:01  \(Self.request("SIREN", "fire again"))
      2026-03-02 10:01  > notification.requested "fire again"
      2026-03-02 16:00  \(Self.request("NEWS", "b"))
      2026-03-02 16:00  x notification.requested (daily_cap) "b"
      2026-03-02 17:00  end
      """, catalog: Self.apps)
  }

  private static let bothGates = "quiet_hours, daily_cap"

  @Test func `V5: at the cap the more urgent occurrence is sent first, then the older`() throws {
    try Diary.expect(
      """
      2026-03-02 07:00  prefs {"caps": {"perDay": 2}, "bundling": {"threshold": 0}}
      2026-03-02 07:00  quiet 08:00 10:00
      2026-03-02 09:00  \(Self.request("LOW", "old", "3d"))
      2026-03-02 09:01  \(Self.request("NORMAL", "older", "3d"))
      2026-03-02 09:02  \(Self.request("NORMAL", "newer", "3d"))
      2026-03-02 09:03  \(Self.request("HIGH", "urgent", "3d"))
      2026-03-02 10:00  > notification.requested of 2026-03-02 09:01 (quiet_hours) "older"
      2026-03-02 10:00  > notification.requested of 2026-03-02 09:03 (quiet_hours) "urgent"
      2026-03-03 10:00  > notification.requested of 2026-03-02 09:00 (\(Self.bothGates)) "old"
      2026-03-03 10:00  > notification.requested of 2026-03-02 09:02 (\(Self.bothGates)) "newer"
      2026-03-03 13:00  end
      """, catalog: Self.apps)
  }

  @Test func `V6: occurrences whose holds end together become a digest`() throws {
    try Diary.expect(
      """
      2026-03-02 07:00  quiet 08:00 12:00
      2026-03-02 07:30  prefs {"caps": {"perDay": 1}}
      2026-03-02 09:00  \(Self.request("LOW", "a"))
      2026-03-02 09:01  \(Self.request("NORMAL", "b"))
      2026-03-02 09:02  \(Self.request("HIGH", "c"))
      2026-03-02 09:03  \(Self.request("ALARM", "fire"))
      2026-03-02 09:03  > notification.requested "fire"
      2026-03-02 12:00  > digest of 2026-03-02 09:00 (quiet_hours) "3 reminders"
      2026-03-02 12:00  + notification.requested of 2026-03-02 09:00 (quiet_hours) "a"
      2026-03-02 12:00  + notification.requested of 2026-03-02 09:01 (quiet_hours) "b"
      2026-03-02 12:00  + notification.requested of 2026-03-02 09:02 (quiet_hours) "c"
      2026-03-02 13:00  end
      """, catalog: Self.apps)
  }

  @Test(arguments: [(0, false), (2, true), (3, false)])
  func `V6: the recipient sets the threshold`(threshold: Int, isDigest: Bool) throws {
    let sign = isDigest ? "+" : ">"
    let digest = "2026-03-02 12:00  > digest of 2026-03-02 09:00 (quiet_hours)"
    try Diary.expect(
      """
      2026-03-02 07:00  prefs {"bundling": {"threshold": \(threshold)}}
      2026-03-02 07:00  quiet 08:00 12:00
      2026-03-02 09:00  \(Self.request("LOW", "a"))
      2026-03-02 09:01  \(Self.request("LOW", "b"))
      \(isDigest ? digest : "")
      2026-03-02 12:00  \(sign) notification.requested of 2026-03-02 09:00 (quiet_hours) "a"
      2026-03-02 12:00  \(sign) notification.requested of 2026-03-02 09:01 (quiet_hours) "b"
      2026-03-02 13:00  end
      """, catalog: Self.apps)
  }

  @Test func `V5: an interactive occurrence is sent at once and counts toward the cap`() throws {
    try Diary.expect(
      """
      2026-03-02 07:00  quiet 08:00 12:00
      2026-03-02 07:30  prefs {"caps": {"perDay": 1}}
      2026-03-02 09:00  say {"category": "LOW", "title": "here", "body": "b", "interactive": true}
      2026-03-02 09:00  > notification.requested "here"
      2026-03-02 13:00  \(Self.request("LOW", "more"))
      2026-03-03 12:00  > notification.requested of 2026-03-02 13:00 (quiet_hours, daily_cap) "more"
      2026-03-03 13:00  end
      """, catalog: Self.apps)
  }

  @Test func `V13: a digest waits as a whole and drops no member at the cap`() throws {
    try Diary.expect(
      """
      2026-03-02 06:00  prefs {"caps": {"perDay": 1}}
      2026-03-02 06:30  \(Self.request("LOW", "first"))
      2026-03-02 06:30  > notification.requested "first"
      2026-03-02 07:00  quiet 08:00 12:00
      2026-03-02 09:00  \(Self.request("LOW", "a", "3d"))
      2026-03-02 09:01  \(Self.request("NORMAL", "b", "3d"))
      2026-03-02 09:02  \(Self.request("NEWS", "c", "3d"))
      2026-03-03 12:00  > digest of 2026-03-02 09:00 (\(Self.bothGates)) "3 reminders"
      2026-03-03 12:00  + notification.requested of 2026-03-02 09:00 (\(Self.bothGates)) "a"
      2026-03-03 12:00  + notification.requested of 2026-03-02 09:01 (\(Self.bothGates)) "b"
      2026-03-03 12:00  + notification.requested of 2026-03-02 09:02 (\(Self.bothGates)) "c"
      2026-03-03 13:00  end
      """, catalog: Self.apps)
  }

  @Test func `V12: a later occurrence does not take the capacity of an earlier occurrence`()
    throws
  {
    try Diary.expect(
      """
      2026-03-02 08:00  prefs {"caps": {"perDay": 1}}
      2026-03-02 09:00  \(Self.request("LOW", "first"))
      2026-03-02 09:00  > notification.requested "first"
      2026-03-02 10:00  \(Self.request("LOW", "older", "3d"))
      2026-03-03 07:00  \(Self.request("LOW", "younger", "3d"))
      2026-03-03 08:00  > notification.requested of 2026-03-02 10:00 (daily_cap) "older"
      2026-03-04 08:00  > notification.requested of 2026-03-03 07:00 (daily_cap) "younger"
      2026-03-04 13:00  end
      """, catalog: Self.apps)
  }
}
