import CivilTime
import JSON
import TestSupport
import Testing

@testable import Reminders

/// Rule V20: caps of the operator for categories and weeks.
@Suite struct PolicyCapTests {
  private static func catalog(_ caps: String) -> String {
    """
    catalog: apps
    categories:
      TIPS: {title: Tips, channels: {push: true, inapp: false}}
      NEWS: {title: News, overCap: drop, channels: {push: true, inapp: false}}
      LOW: {title: Low, urgency: low, channels: {push: true, inapp: false}}
      NOTE: {title: Notes, channels: {push: true, inapp: false}}
      URGENT: {title: Urgent, urgency: high, channels: {push: true, inapp: false}}
      ALARM: {title: Alarm, urgency: critical, channels: {push: true, inapp: false}}
    policies: {caps: \(caps)}
    reminders: {}
    """
  }

  private static func say(
    _ category: String, _ title: String, _ expires: String = "1d", at instant: String? = nil
  ) -> String {
    "say {\"category\": \"\(category)\", \"title\": \"\(title)\", \"body\": \"b\", "
      + "\"expires\": \"\(expires)\""
      + (instant.map { ", \"at\": \"2026-03-\($0):00Z\"}" } ?? "}")
  }

  @Test func `V20: a week is any seven local dates in a row`() throws {
    try Diary.expect(
      """
      2026-03-02 09:00  \(Self.say("TIPS", "a"))
      2026-03-02 09:00  > notification.requested "a"
      2026-03-03 09:00  \(Self.say("TIPS", "b"))
      2026-03-03 09:00  > notification.requested "b"
      2026-03-04 09:00  \(Self.say("TIPS", "c", "6d"))
      2026-03-05 09:00  \(Self.say("NOTE", "n"))
      2026-03-05 09:00  > notification.requested "n"
      2026-03-05 10:00  restart
      2026-03-09 08:00  > notification.requested of 2026-03-04 09:00 (policy_cap) "c"
      2026-03-09 09:00  \(Self.say("TIPS", "d", "3d"))
      2026-03-10 08:00  > notification.requested of 2026-03-09 09:00 (policy_cap) "d"
      2026-03-10 09:00  end
      """, catalog: Self.catalog("[{categories: [TIPS], perWeek: 2}]"))
  }

  @Test(arguments: ["[{categories: [NEWS], perDay: 9}]", "[]"])
  func `V20: counts of a removed cap are forgotten when they are ten days old`(
    otherCaps: String
  ) throws {
    var player = Player(
      planner: try Fixtures.planner(catalog: Self.catalog("[{categories: [TIPS], perWeek: 9}]")),
      now: try utc("2026-03-02 09:00"))
    func say(_ title: String) throws {
      let text = Self.say("TIPS", title)
      let data = try JSONParser.parse(String(text.dropFirst("say ".count)))
      try player.take("notification.requested", data)
      player.advance(to: player.now)
    }
    try say("a")
    let other = Self.catalog(otherCaps)
    player.change(to: try Fixtures.planner(catalog: other))
    player.advance(to: try utc("2026-03-12 09:00"))
    try say("b")
    #expect(player.recipient.progress.capped.map(\.at) == [try utc("2026-03-02 09:00")])
    player.advance(to: try utc("2026-03-12 09:01"))
    try say("c")
    #expect(player.recipient.progress.capped.isEmpty)
    #expect(player.entries.map(\.title) == ["a", "b", "c"])
  }

  @Test func `V20: categories of a cap count together, and one may drop at it`() throws {
    try Diary.expect(
      """
      2026-03-02 09:00  \(Self.say("TIPS", "a"))
      2026-03-02 09:00  > notification.requested "a"
      2026-03-02 10:00  \(Self.say("NEWS", "n"))
      2026-03-02 10:00  x notification.requested (policy_cap) "n"
      2026-03-02 11:00  \(Self.say("TIPS", "b"))
      2026-03-03 08:00  > notification.requested of 2026-03-02 11:00 (policy_cap) "b"
      2026-03-03 09:00  end
      """, catalog: Self.catalog("{categories: [TIPS, NEWS], perDay: 1}"))
  }

  @Test func `V20: an interval is kept across midnight`() throws {
    try Diary.expect(
      """
      2026-03-02 22:00  \(Self.say("TIPS", "a"))
      2026-03-02 22:00  > notification.requested "a"
      2026-03-02 23:00  \(Self.say("TIPS", "b"))
      2026-03-02 23:30  \(Self.say("NOTE", "n"))
      2026-03-02 23:30  > notification.requested "n"
      2026-03-03 02:00  > notification.requested of 2026-03-02 23:00 (policy_cap) "b"
      2026-03-03 09:00  end
      """, catalog: Self.catalog("[{categories: [TIPS], minInterval: 4h}]"))
  }

  @Test func `V9: a cap of the operator holds until the day starts, whatever happens meanwhile`()
    throws
  {
    try Diary.expect(
      """
      2026-03-02 09:00  \(Self.say("TIPS", "a"))
      2026-03-02 09:00  > notification.requested "a"
      2026-03-02 10:00  \(Self.say("TIPS", "b"))
      2026-03-03 00:30  \(Self.say("NOTE", "n"))
      2026-03-03 00:30  > notification.requested "n"
      2026-03-03 00:40  event recipient.updated {"locale": "de"}
      2026-03-03 08:00  > notification.requested of 2026-03-02 10:00 (policy_cap) "b"
      2026-03-03 09:00  end
      """, catalog: Self.catalog("[{categories: [TIPS], perDay: 1}]"))
  }

  @Test func `V9: after a clock was set back, a cap of the operator holds until dayStart`() throws {
    let catalog = Fixtures.catalog(
      events: "{ping: {ping: identifier}}",
      reminders: ["pinged": "on: {event: ping, delay: 0s}, expires: 3d"])
    let policies = "\npolicies: {caps: [{categories: [NOTE], perDay: 1}]}\n"
    var player = Player(
      planner: try Fixtures.planner(catalog: catalog + policies), now: try utc("2026-03-02 08:00"))
    for name in ["a", "b"] {
      try player.take("ping", ["ping": .string(name)])
      player.advance(to: player.now + .hours(1))
    }
    let held = try #require(player.recipient.progress.inProgress.first)
    player.jump(to: try utc("2026-03-10 08:00"))
    var recipient = player.recipient
    try #require(recipient.progress.inProgress.isEmpty)
    let night = try utc("2026-03-03 00:30")
    recipient.rewind(
      to: night, planner: player.planner,
      reopening: [
        DroppedOccurrence(
          reminder: held.reminder, key: held.key,
          channelGroupNumber: held.channelGroup.number, planned: held.planned)
      ])
    let nightFiring = recipient.fire(now: night, planner: player.planner)
    #expect(nightFiring.firings.allSatisfy { $0.result != .finished(.delivered) })
    #expect(nightFiring.schedule.due == (try utc("2026-03-03 08:00")))
    let morning = recipient.fire(now: try utc("2026-03-03 08:00"), planner: player.planner)
    #expect(morning.firings.map(\.result) == [.finished(.delivered)])
    #expect(morning.firings.map(\.trace.reasons) == [["policy_cap"]])
  }

  @Test func `V20: a week without categories counts all, but critical notifications`() throws {
    try Diary.expect(
      """
      2026-03-02 09:00  \(Self.say("ALARM", "fire"))
      2026-03-02 09:00  > notification.requested "fire"
      2026-03-02 10:00  \(Self.say("TIPS", "a"))
      2026-03-02 10:00  > notification.requested "a"
      2026-03-02 11:00  \(Self.say("NOTE", "n"))
      2026-03-02 12:00  \(Self.say("ALARM", "again"))
      2026-03-02 12:00  > notification.requested "again"
      2026-03-03 11:00:00.001  x notification.requested of 2026-03-02 11:00 (policy_cap, expired)
      2026-03-03 12:00  end
      """, catalog: Self.catalog("[{perDay: 9}, {perWeek: 1}]"))
  }

  @Test func `V20: a digest is sent without the members that have no capacity`() throws {
    try Diary.expect(
      """
      2026-03-02 06:00  prefs {"bundling": {"threshold": 2}}
      2026-03-02 06:30  \(Self.say("TIPS", "a"))
      2026-03-02 06:30  > notification.requested "a"
      2026-03-02 07:00  quiet 08:00 12:00
      2026-03-02 09:00  \(Self.say("TIPS", "t", "3d"))
      2026-03-02 09:01  \(Self.say("NOTE", "b"))
      2026-03-02 09:02  \(Self.say("NOTE", "c"))
      2026-03-02 12:00  > digest of 2026-03-02 09:01 (quiet_hours) "2 reminders"
      2026-03-02 12:00  + notification.requested of 2026-03-02 09:01 (quiet_hours) "b"
      2026-03-02 12:00  + notification.requested of 2026-03-02 09:02 (quiet_hours) "c"
      2026-03-03 12:00  > notification.requested of 2026-03-02 09:00 (quiet_hours, policy_cap) "t"
      2026-03-03 13:00  end
      """, catalog: Self.catalog("[{categories: [TIPS], perDay: 1}]"))
  }

  @Test func `V5: a digest without its capped member follows a more urgent notification`() throws {
    try Diary.expect(
      """
      2026-03-02 05:00  prefs {"caps": {"perDay": 2}, "bundling": {"threshold": 2}}
      2026-03-02 06:00  \(Self.say("URGENT", "a"))
      2026-03-02 06:00  > notification.requested "a"
      2026-03-02 07:00  quiet 08:00 12:00
      2026-03-02 09:00  \(Self.say("URGENT", "b"))
      2026-03-02 09:01  \(Self.say("LOW", "l", "6h"))
      2026-03-02 09:02  \(Self.say("LOW", "m", "6h"))
      2026-03-02 11:00  \(Self.say("NOTE", "n", "6h", at: "02T12:00"))
      2026-03-02 12:00  > notification.requested "n"
      2026-03-02 15:01:00.001  x notification.requested of 2026-03-02 09:01 \(Self.quietCap) "l"
      2026-03-02 15:02:00.001  x notification.requested of 2026-03-02 09:02 \(Self.quietCap) "m"
      2026-03-02 16:00  end
      """, catalog: Self.catalog("[{categories: [URGENT], perDay: 1}]"))
  }

  private static let quietCap = "(quiet_hours, daily_cap, expired)"

  @Test func `V20: a member of a digest is not dropped at a cap`() throws {
    try Diary.expect(
      """
      2026-03-02 05:00  prefs {"bundling": {"threshold": 2}}
      2026-03-02 06:00  \(Self.say("NEWS", "a"))
      2026-03-02 06:00  > notification.requested "a"
      2026-03-02 07:00  quiet 08:00 12:00
      2026-03-02 09:00  \(Self.say("NEWS", "b", "3d"))
      2026-03-02 09:01  \(Self.say("NOTE", "c"))
      2026-03-02 09:02  \(Self.say("NOTE", "d"))
      2026-03-02 12:00  > digest of 2026-03-02 09:01 (quiet_hours) "2 reminders"
      2026-03-02 12:00  + notification.requested of 2026-03-02 09:01 (quiet_hours) "c"
      2026-03-02 12:00  + notification.requested of 2026-03-02 09:02 (quiet_hours) "d"
      2026-03-02 13:00  event recipient.updated {"locale": "de"}
      2026-03-03 12:00  > notification.requested of 2026-03-02 09:00 (quiet_hours, policy_cap) "b"
      2026-03-03 13:00  end
      """, catalog: Self.catalog("[{categories: [NEWS], perDay: 1}]"))
  }

  @Test func `V20: a digest counts once towards a cap`() throws {
    try Diary.expect(
      """
      2026-03-02 06:00  prefs {"bundling": {"threshold": 2}}
      2026-03-02 07:00  quiet 08:00 12:00
      2026-03-02 09:00  \(Self.say("TIPS", "a"))
      2026-03-02 09:01  \(Self.say("TIPS", "b"))
      2026-03-02 12:00  > digest of 2026-03-02 09:00 (quiet_hours) "2 reminders"
      2026-03-02 12:00  + notification.requested of 2026-03-02 09:00 (quiet_hours) "a"
      2026-03-02 12:00  + notification.requested of 2026-03-02 09:01 (quiet_hours) "b"
      2026-03-02 13:00  \(Self.say("TIPS", "c"))
      2026-03-02 13:00  > notification.requested "c"
      2026-03-02 14:00  \(Self.say("TIPS", "d"))
      2026-03-03 12:00  > notification.requested of 2026-03-02 14:00 (quiet_hours, policy_cap) "d"
      2026-03-03 13:00  end
      """, catalog: Self.catalog("[{categories: [TIPS], perDay: 2}]"))
  }

  @Test func `V20: nothing is reserved for an occurrence that a cap of the operator holds`() throws
  {
    try Diary.expect(
      """
      2026-03-02 08:00  prefs {"caps": {"perDay": 1}}
      2026-03-02 09:00  \(Self.say("URGENT", "a"))
      2026-03-02 09:00  > notification.requested "a"
      2026-03-03 08:00  \(Self.say("URGENT", "b", at: "03T12:00"))
      2026-03-03 09:00  \(Self.say("NOTE", "n"))
      2026-03-03 09:00  > notification.requested "n"
      2026-03-04 12:00:00.001  x notification.requested of 2026-03-03 12:00 \(Self.bothCaps) "b"
      2026-03-04 13:00  end
      """, catalog: Self.catalog("[{categories: [URGENT], perWeek: 1}]"))
  }

  @Test func `V20: a reservation ends when another notification fills the cap`() throws {
    try Diary.expect(
      """
      2026-03-02 07:00  prefs {"caps": {"perDay": 2}}
      2026-03-02 08:00  \(Self.say("URGENT", "a", at: "02T12:00"))
      2026-03-02 08:01  \(Self.say("URGENT", "b", at: "02T14:00"))
      2026-03-02 09:00  \(Self.say("NOTE", "n", "10h"))
      2026-03-02 12:00  > notification.requested of 2026-03-02 09:00 (daily_cap) "n"
      2026-03-02 12:00  > notification.requested "a"
      2026-03-03 08:00  > notification.requested of 2026-03-02 14:00 \(Self.caps) "b"
      2026-03-03 09:00  end
      """, catalog: Self.catalog("[{categories: [URGENT], perDay: 1}]"))
  }

  private static let caps = "(daily_cap, policy_cap)"
  private static let bothCaps = "(daily_cap, policy_cap, expired)"

  @Test func `V11: a looser cap releases what it held before a change of zone`() throws {
    try Diary.expect(
      """
      2026-03-02 09:00  \(Self.say("TIPS", "a"))
      2026-03-02 09:00  > notification.requested "a"
      2026-03-02 10:00  \(Self.say("TIPS", "b", "9d"))
      2026-03-03 12:00  zone Europe/Berlin
      2026-03-04 12:00  catalog strict
      2026-03-05 12:00  catalog loose
      2026-03-05 12:00  > notification.requested of 2026-03-02 10:00 (policy_cap) "b"
      2026-03-05 13:00  end
      """, catalog: Self.catalog("[{categories: [TIPS], perWeek: 1}]"),
      alternatives: [
        "strict": Self.catalog(
          "[{categories: [TIPS], perWeek: 1}, {categories: [NEWS], perDay: 1}]"),
        "loose": Self.catalog("[{categories: [NEWS], perDay: 1}]"),
      ])
  }

  @Test func `V20: views show when an occurrence is sent, and the cap that holds it`() throws {
    let catalog = Self.catalog("[{categories: [TIPS], perWeek: 1}]")
    var player = Player(
      planner: try Fixtures.planner(catalog: catalog), now: try utc("2026-03-02 09:00"))
    for title in ["a", "b"] {
      try player.take(
        "notification.requested",
        ["category": "TIPS", "title": .string(title), "body": "b", "expires": "9d"])
      player.advance(to: player.now + .hours(1))
    }
    let release = try utc("2026-03-09 08:00")
    let pending = player.recipient.pending(now: player.now, planner: player.planner)
    #expect(pending.map(\.decision.at) == [release])
    let explanation = try #require(
      try player.recipient.explain(
        .pending(reminder: Reminder.requested), now: player.now, planner: player.planner
      ).first)
    #expect(explanation.decision.trace.reasons == ["policy_cap"])
    let words = "the operator's cap of 1 in seven days for TIPS, 1 sent since 2026-02-24"
    #expect(
      explanation.counterfactualText == "would be sent at 2026-03-02 11:00 UTC if not for \(words)")
    let step = try #require(
      explanation.rounds.first?.steps.first { $0.gate == .policyCap })
    #expect(step.fact.kind == "policy_cap_week")
    #expect(
      step.fact.parameters(in: explanation.zone) == [
        "cap": 1, "sent": 1, "since": "2026-02-24", "categories": ["TIPS"],
      ])
    let hypothetical = try player.recipient.explain(
      .hypothetical(category: "TIPS", at: utc("2026-03-04 10:00")), now: player.now,
      planner: player.planner)
    #expect(hypothetical.first?.decision.trace.reasons.contains("policy_cap") == true)
    player.advance(to: release)
    #expect(player.entries.map(\.at) == [try utc("2026-03-02 09:00"), release])
  }

  @Test func `V20: only where a cap concerns the occurrence is the gate evaluated`() throws {
    let catalog = Self.catalog("[{categories: [TIPS], perWeek: 1}]")
    var player = Player(
      planner: try Fixtures.planner(catalog: catalog), now: try utc("2026-03-02 09:00"))
    func gates(_ category: String) throws -> [Gate] {
      try player.recipient.explain(
        .hypothetical(category: category, at: player.now), now: player.now,
        planner: player.planner
      ).first?.rounds.first?.steps.map(\.gate) ?? []
    }
    try player.take("recipient.updated", ["timezone": "UTC"])
    #expect(try gates("TIPS") == Gate.unconditional + [.minimumInterval, .dailyCap, .policyCap])
    for category in ["NOTE", "ALARM"] {
      #expect(try gates(category) == Gate.unconditional + [.minimumInterval, .dailyCap])
    }
  }

  #if DEBUG
    @Test func `H6: deliveries under a cap of the operator cost linear work`() throws {
      let catalog = Self.catalog("[{categories: [NOTE, URGENT], perWeek: 1000}]")
      func work(_ count: Int) throws -> Int {
        var player = Player(
          planner: try Fixtures.planner(catalog: catalog), now: try utc("2026-03-02 06:00"))
        try player.take("preferences.updated", ["caps": ["perDay": 1000]])
        for (category, at) in [("NOTE", "09:00"), ("URGENT", "15:00")] {
          for _ in 0..<count {
            try player.take(
              "notification.requested",
              [
                "category": .string(category), "title": "t", "body": "b", "expires": "1d",
                "at": .string("2026-03-02T\(at):00Z"),
              ])
          }
        }
        let meter = WorkMeter()
        var recipient = player.recipient
        let now = try utc("2026-03-02 09:00")
        let firings = Work.$meter.withValue(meter) {
          recipient.fire(now: now, planner: player.planner).firings
        }
        #expect(firings.count { $0.result == .finished(.delivered) } == count)
        return meter.total
      }
      let (few, many) = (try work(40), try work(160))
      #expect(few > 0)
      #expect(Double(many) <= 4.5 * Double(few), "\(few), \(many)")
    }
  #endif

  @Test func `V20: counted deliveries are stored, and forgotten after ten days`() throws {
    var progress = Progress(cutoff: try utc("2026-03-02 09:00"))
    let (tips, notes) = (Symbol("TIPS"), Symbol("NOTE"))
    progress.count(delivery: try utc("2026-03-02 09:00"), in: [tips, notes])
    progress.count(delivery: try utc("2026-03-05 09:00"), in: [tips])
    let restored = try progress.encoded.withUnsafeBytes { try Progress(decoding: $0) }
    #expect(restored == progress)
    #expect(restored.capped.map(\.categories) == [[tips, notes].sorted(), [tips]])
    progress.count(delivery: try utc("2026-03-13 09:00"), in: [notes])
    #expect(
      try progress.capped.map(\.at) == [utc("2026-03-05 09:00"), utc("2026-03-13 09:00")])
  }

  @Test func `V20: many deliveries of one category leave those of another counted`() throws {
    let start = try utc("2026-03-02 09:00")
    var progress = Progress(cutoff: start)
    let (tips, notes) = (Symbol("TIPS"), Symbol("NOTE"))
    progress.count(delivery: start, in: [tips])
    for minute in 1...1_001 { progress.count(delivery: start + .minutes(minute), in: [notes]) }
    #expect(progress.capped.count == 1_000)
    #expect(progress.capped.first == CapCountedDelivery(at: start, categories: [tips]))
    #expect(progress.capped.dropFirst().first?.at == start + .minutes(3))
  }

  @Test(arguments: [
    (
      "[{categories: [TIP], perWeek: 3}]",
      "the category \"TIP\" is not declared; did you mean \"TIPS\"?"
    ),
    ("[{categories: [TIPS], perWeek: 0}]", "perWeek must be from 1 to 1000; it is 0"),
    ("[{categories: [TIPS], minInterval: 30s}]", "minInterval must be from 1m to 1d; it is 30s"),
    ("[{}]", "a cap needs \"perDay\", \"perWeek\" or \"minInterval\""),
    ("[{categories: [TIPS]}]", "a cap needs \"perDay\", \"perWeek\" or \"minInterval\""),
    ("[{categories: [], perDay: 1}]", "\"categories\" must be a list of at least one entry"),
    ("3", "the caps of the policies must be a mapping; it is \"3\""),
  ])
  func `V20: a faulty cap is reported with its place`(caps: String, fault: String) throws {
    let error = #expect(throws: CatalogErrors.self) { try Fixtures.read(Self.catalog(caps)) }
    let lines = error?.description.split(separator: "\n") ?? []
    #expect(lines.count == 1 && lines[0].hasPrefix("test.yaml:9:"), "\(lines)")
    #expect(lines.first?.hasSuffix(fault) == true, "\(lines)")
  }
}
