import JSON
import Reminders
import Testing

/// Rules P2, P3, V3 and D2: the channels of an occurrence.
@Suite struct ChannelTests {
  private static let apps = """
    catalog: apps
    categories:
      BOOKING: {title: Bookings, channels: {push: true, email: fallback, sms: fallback}}
      ROOM: {title: Rooms, channels: {push: true, inapp: true}}
      CHAT: {title: Chats, quiet: silent, channels: {push: true}}
      NEWS: {title: News, quiet: drop, channels: {push: true}}
      CARE: {title: Care, channels: {push: true, email: false, inapp: true}, fallback: [email]}
      CODE: {title: Codes, urgency: mandatory, locked: true, channels: {sms: true}}
    reminders: {}
    """

  private static func request(_ category: String) -> String {
    "say {\"category\": \"\(category)\", \"title\": \"t\", \"body\": \"b\"}"
  }

  private static func expect(_ script: String, _ requirements: [Channel: Requirement] = [:]) throws
  {
    try Diary.expect(script, catalog: apps, requirements: requirements)
  }

  @Test func `D2: a fallback is used if push cannot reach the recipient`() throws {
    try Self.expect(
      """
      2026-03-02 08:00  created
      2026-03-02 09:00  \(Self.request("BOOKING"))
      2026-03-02 09:00  x notification.requested (address)
      2026-03-02 09:10  email a@example.org
      2026-03-02 09:20  \(Self.request("BOOKING"))
      2026-03-02 09:20  > notification.requested by email
      2026-03-02 09:30  device phone
      2026-03-02 09:40  \(Self.request("BOOKING"))
      2026-03-02 09:40  > notification.requested
      2026-03-02 09:50  deny push
      2026-03-02 10:00  \(Self.request("BOOKING"))
      2026-03-02 10:00  > notification.requested by email
      2026-03-02 10:10  prefs {"channels": {"email": false}}
      2026-03-02 10:20  \(Self.request("BOOKING"))
      2026-03-02 10:20  x notification.requested (address)
      2026-03-02 10:30  allow push
      2026-03-02 10:40  undevice phone
      2026-03-02 10:50  \(Self.request("BOOKING"))
      2026-03-02 10:50  x notification.requested (address)
      2026-03-02 11:00  end
      """, [.push: .device, .email: .email, .sms: .phone])
  }

  @Test func `D2: an in-app item alone does not replace the fallback`() throws {
    try Self.expect(
      """
      2026-03-02 08:00  email a@example.org
      2026-03-02 09:00  \(Self.request("CARE"))
      2026-03-02 09:00  > notification.requested by email
      2026-03-02 09:00  > notification.requested by inapp
      2026-03-02 09:30  device phone
      2026-03-02 09:40  \(Self.request("CARE"))
      2026-03-02 09:40  > notification.requested
      2026-03-02 09:40  > notification.requested by inapp
      2026-03-02 10:00  prefs {"categories": {"CARE": {"push": false}}}
      2026-03-02 10:10  \(Self.request("CARE"))
      2026-03-02 10:10  > notification.requested by inapp
      2026-03-02 10:20  prefs {"categories": {"CARE": {"push": true, "email": false}}}
      2026-03-02 10:30  deny push
      2026-03-02 10:40  \(Self.request("CARE"))
      2026-03-02 10:40  > notification.requested by inapp
      2026-03-02 11:00  end
      """, [.push: .device, .email: .email])
  }

  @Test func `D2: critical medication reaches a recipient who denies push`() throws {
    var player = Player(
      planner: try Fixtures.planner(
        catalog: Fixtures.shipped("wellness"), requirements: [.push: .device, .sms: .phone]),
      now: try utc("2026-03-02 08:00"))
    try player.take("recipient.updated", ["phone": "+32 2 123 45 67"])
    try player.take("permission.changed", ["channel": "push", "status": "denied"])
    try player.take(
      "notification.requested", ["category": "MEDICATION", "title": "t", "body": "b"])
    player.advance(to: player.now)
    #expect(player.entries.map(\.outcome) == [.delivered, .delivered])
    #expect(Set(player.entries.map(\.channels)) == [ChannelSet(.sms), ChannelSet(.inapp)])
  }

  @Test func `P2: a category whose only channel is switched off uses no fallback`() throws {
    try Self.expect(
      """
      2026-03-02 08:00  email a@example.org
      2026-03-02 08:10  prefs {"categories": {"BOOKING": {"push": false}}}
      2026-03-02 09:00  \(Self.request("BOOKING"))
      2026-03-02 10:00  end
      """)
  }

  @Test func `V3: in quiet hours an in-app item is written at once, without sound`() throws {
    try Self.expect(
      """
      2026-03-02 08:00  quiet 08:30 12:00
      2026-03-02 09:00  \(Self.request("ROOM"))
      2026-03-02 09:00  > notification.requested by inapp silently
      2026-03-02 12:00  > notification.requested of 2026-03-02 09:00 (quiet_hours)
      2026-03-02 13:00  \(Self.request("ROOM"))
      2026-03-02 13:00  > notification.requested
      2026-03-02 13:00  > notification.requested by inapp
      2026-03-02 14:00  end
      """)
  }

  @Test func `V3: in quiet hours a category can send silently or drop`() throws {
    try Self.expect(
      """
      2026-03-02 08:00  quiet 08:30 12:00
      2026-03-02 09:00  \(Self.request("CHAT"))
      2026-03-02 09:00  > notification.requested silently
      2026-03-02 10:00  \(Self.request("NEWS"))
      2026-03-02 10:00  x notification.requested (quiet_hours)
      2026-03-02 13:00  end
      """)
  }

  /// An interactive member is sent with sound, and so is its digest.
  @Test(arguments: [false, true])
  func `V6: a digest is silent unless a member would have sound`(hasInteractiveMember: Bool) throws
  {
    let requests = (0..<3).map { number in
      let data = #"{"category": "CHAT", "title": "\#(number)", "body": "b""#
      let interactive = hasInteractiveMember && number == 1 ? #", "interactive": true}"# : "}"
      return "2026-03-02 13:0\(number)  say \(data)\(interactive)"
    }
    let members = (0..<3).map { number in
      let silence = hasInteractiveMember && number == 1 ? "" : " silently"
      return "2026-03-03 09:00  + notification.requested\(silence) "
        + "of 2026-03-02 13:0\(number) (vacation)"
    }
    let silence = hasInteractiveMember ? "" : " silently"
    try Self.expect(
      """
      2026-03-02 08:00  quiet 08:30 12:00
      2026-03-02 08:00  vacation 2026-03-09
      \(requests.joined(separator: "\n"))
      2026-03-03 09:00  back
      2026-03-03 09:00  > digest\(silence) of 2026-03-02 13:00 (vacation)
      \(members.joined(separator: "\n"))
      2026-03-03 13:00  end
      """.sortedOutcomes)
  }

  @Test func `V3: mandatory urgency passes all gates except a missing address`() throws {
    try Self.expect(
      """
      2026-03-02 08:00  quiet 08:30 12:00
      2026-03-02 08:10  prefs {"master": false, "channels": {"sms": false}, "caps": {"perDay": 1}}
      2026-03-02 08:20  vacation 2026-03-09
      2026-03-02 09:00  \(Self.request("CODE"))
      2026-03-02 09:00  x notification.requested by sms (address)
      2026-03-02 09:10  prefs {"hints": {"badge": false}}
      2026-03-02 13:00  end
      """, [.sms: .phone])
  }

  @Test func `P3: no switch turns a locked category off`() throws {
    try Self.expect(
      """
      2026-03-02 08:10  prefs {"master": false, "channels": {"sms": false}}
      2026-03-02 09:00  \(Self.request("CODE"))
      2026-03-02 09:00  > notification.requested by sms
      2026-03-02 13:00  end
      """)
  }
}
