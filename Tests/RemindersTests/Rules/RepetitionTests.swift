import CivilTime
import JSON
import Reminders
import TestSupport
import Testing

/// Rule T14: a reminder and its repetitions never go out together.
@Suite struct RepetitionTests {
  private static let catalog = """
    catalog: notes
    events:
      asked: {thing: identifier}
    categories:
      NOTE: {title: Notes, channels: {push: true}}
      DROP: {title: Drop, quiet: drop, channels: {push: true}}
      BOTH: {title: Both, channels: {push: true, inapp: true}}
    groups:
      weight: {enabled: false, persistence: {choice: [repeat, snooze]}}
      pill: {enabled: false}
      ask: {enabled: true}
    reminders:
      weigh:
        category: NOTE
        group: weight
        every: {day: {at: "06:00"}}
        again: {every: 30m, times: 3, when: {persistence: repeat}}
        expires: 4h
        messages: [{title: Weigh In, body: b}]
      weigh-snoozed:
        category: NOTE
        group: weight
        repeats: weigh
        when: {persistence: snooze}
        every: {day: {at: "06:00", after: 30m}}
        expires: 4h
        messages: [{title: Weigh In Now, body: b}]
      pill:
        category: DROP
        group: pill
        every: {day: {at: "06:00"}}
        again: {every: 30m, times: 2}
        expires: 4h
        messages: [{title: Pill, body: b}]
      ask:
        category: BOTH
        group: ask
        on: {event: asked, delay: 1s}
        again: {every: 1h, times: 2}
        expires: 6h
        messages: [{title: Ask, body: b}]
    """

  @Test func `T14: a repetition does not go out beside its own reminder`() throws {
    try Diary.expect(
      """
      2026-03-02 04:00  quiet 22:00 07:30
      2026-03-02 04:00  on weight
      2026-03-02 06:30  x weigh+1 (quiet_hours, expired)
      2026-03-02 07:30  x weigh of 2026-03-02 06:00 (quiet_hours, missed)
      2026-03-02 07:30  x weigh+2 of 2026-03-02 07:00 (quiet_hours, missed)
      2026-03-02 07:30  > weigh+3
      2026-03-02 12:00  end
      """, catalog: Self.catalog)
  }

  @Test func `T14: a repetition with another text replaces its reminder`() throws {
    try Diary.expect(
      """
      2026-03-02 04:00  quiet 22:00 07:30
      2026-03-02 04:00  prefs {"reminders": {"weight": {"enabled": true, "persistence": "snooze"}}}
      2026-03-02 07:30  x weigh of 2026-03-02 06:00 (quiet_hours, missed)
      2026-03-02 07:30  > weigh-snoozed of 2026-03-02 06:30 (quiet_hours)
      2026-03-02 12:00  end
      """, catalog: Self.catalog)
  }

  @Test func `T14: repetitions of a dropped occurrence are dropped`() throws {
    try Diary.expect(
      """
      2026-03-02 04:00  quiet 22:00 06:15
      2026-03-02 04:00  on pill
      2026-03-02 06:00  x pill (quiet_hours)
      2026-03-02 06:30  x pill+1 (missed)
      2026-03-02 07:00  x pill+2 (missed)
      2026-03-02 08:00  quiet off
      2026-03-03 06:00  > pill
      2026-03-03 06:30  > pill+1
      2026-03-03 07:00  > pill+2
      2026-03-03 12:00  end
      """, catalog: Self.catalog)
  }

  @Test func `T14: an occurrence before the recipient existed is not repeated`() throws {
    try Diary.expect(
      """
      2026-03-02 06:10  on weight pill
      2026-03-03 05:00  end
      """, catalog: Self.catalog)
  }

  @Test func `T14: a cancelled occurrence is not repeated`() throws {
    try Diary.expect(
      """
      2026-03-02 04:00  on pill
      2026-03-02 05:00  cancel pill
      2026-03-03 06:00  > pill
      2026-03-03 06:10  end
      """, catalog: Self.catalog)
  }

  @Test(arguments: ["cancel", "stop"])
  func `T14: a cancelled reminder of an event is not repeated`(command: String) throws {
    try Diary.expect(
      """
      2026-03-02 04:00  event asked {"thing": "a"}
      2026-03-02 04:00  \(command) ask
      2026-03-02 12:00  end
      """, catalog: Self.catalog)
  }

  /// The second cancellation is made when the first is more than three days old.
  @Test func `T14: a cancelled occurrence is not repeated a week later`() throws {
    let catalog = Fixtures.catalog(
      events: "{asked: {thing: identifier}}",
      reminders: ["ask": "on: {event: asked, delay: 1h}, again: {every: 7d, times: 2}"])
    try Diary.expect(
      """
      2026-03-02 04:00  event asked {"thing": "a"}
      2026-03-02 04:10  cancel ask
      2026-03-06 04:00  event asked {"thing": "b"}
      2026-03-06 04:10  cancel ask
      2026-03-14 04:00  event asked {"thing": "c"}
      2026-03-14 04:10  cancel ask
      2026-04-20 04:00  end
      """, catalog: catalog)
  }

  /// The visit comes near enough between the first and the second repetition. An event about
  /// another visit changes nothing.
  @Test(arguments: ["", "2026-03-02 10:30  event booked {\"visit\": \"w\"}\n"])
  func `T14: an occurrence that conditions do not allow is not repeated`(other: String) throws {
    let catalog = Fixtures.catalog(
      events: "{booked: {visit: identifier, at: instant?}}",
      reminders: [
        "prepare":
          "every: {day: {at: '10:00'}}, again: {every: 1h, times: 2}, "
          + "upcoming: {event: booked, at: at, within: 30h}"
      ])
    try Diary.expect(
      """
      2026-03-02 04:00  event booked {"visit": "v", "at": "2026-03-03T17:01:00Z"}
      \(other)2026-03-03 10:00  > prepare
      2026-03-03 11:00  > prepare+1
      2026-03-03 12:00  > prepare+2
      2026-03-03 20:00  end
      """, catalog: catalog)
  }

  /// The condition is met between the first occurrence and its first repetition.
  @Test(
    arguments: ["having: {event: ready, within: 1d}", "from: ready"],
    ["on: {event: asked, delay: 1h}", "after: {event: asked, delay: 1h}"])
  func `T14: a one-time occurrence that conditions do not allow is not repeated`(
    condition: String, trigger: String
  ) throws {
    let catalog = Fixtures.catalog(
      events: "{asked: {thing: identifier}, ready: {}}",
      reminders: ["ask": "\(trigger), \(condition), again: {every: 1h, times: 2}"])
    try Diary.expect(
      """
      2026-03-02 04:00  event asked {"thing": "a"}
      2026-03-02 05:30  event ready
      2026-03-02 06:50  restart
      2026-03-02 08:10  event asked {"thing": "b"}
      2026-03-02 09:10  > ask
      2026-03-02 10:10  > ask+1
      2026-03-02 11:10  > ask+2
      2026-03-02 20:00  end
      """, catalog: catalog)
  }

  /// The second repetition of the following day is snoozed, so it is in progress.
  @Test func `T14: a resumed occurrence is repeated`() throws {
    try Diary.expect(
      """
      2026-03-02 04:00  on pill
      2026-03-02 05:00  cancel pill
      2026-03-02 05:10  snooze pill+2 10m
      2026-03-02 05:20  resume pill
      2026-03-02 06:00  > pill
      2026-03-02 06:30  > pill+1
      2026-03-02 07:00  > pill+2
      2026-03-03 06:00  > pill
      2026-03-03 06:30  > pill+1
      2026-03-03 07:10  > pill+2
      2026-03-03 08:00  end
      """, catalog: Self.catalog)
  }

  @Test func `T14: a reminder that is switched off is not repeated, and others are sent`() throws {
    let catalog = Fixtures.catalog(
      groups: "notes: {enabled: true}\nother: {enabled: true}",
      reminders: [
        "walk": "every: {day: {at: '09:00'}}",
        "dose": "every: {day: {at: '08:00'}}, group: other",
        "again": "every: {day: {at: '08:00', after: 30m}}, repeats: dose",
      ])
    try Diary.expect(
      """
      2026-03-02 07:00  created
      2026-03-02 08:00  > dose
      2026-03-02 08:10  off other
      2026-03-02 08:30  > again
      2026-03-02 09:00  > walk
      2026-03-03 08:10  event recipient.updated {"name": "A"}
      2026-03-03 09:00  > walk
      2026-03-03 20:00  on other
      2026-03-04 08:00  > dose
      2026-03-04 08:30  > again
      2026-03-04 08:40  end
      """, catalog: catalog)
  }

  /// The course never begins for this recipient.
  @Test func `T14: a reminder without a beginning is not repeated, and others are sent`() throws {
    let catalog = Fixtures.catalog(
      events: "{begun: {}}",
      reminders: [
        "walk": "every: {day: {at: '09:00'}}",
        "dose": "every: {day: {at: '08:00'}}, since: begun",
        "again": "every: {day: {at: '08:00', after: 30m}}, repeats: dose",
      ])
    try Diary.expect(
      """
      2026-03-02 07:00  created
      2026-03-02 09:00  > walk
      2026-03-03 09:00  > walk
      2026-03-03 20:00  end
      """, catalog: catalog)
  }

  @Test func `T14: resuming a later dose keeps the repetitions of an earlier one`() throws {
    let catalog = Fixtures.catalog(
      events: "{planned: {medicine: identifier, schedule: plan}}",
      reminders: [
        "dose":
          "since: planned, every: {plan: schedule}, again: {every: 30m, times: 2}, expires: 3h"
      ])
    try Diary.expect(
      """
      2026-03-02 07:00  event planned {"medicine": "a", "schedule": {"times": ["08:00", "20:00"]}}
      2026-03-02 08:00  > dose
      2026-03-02 08:05  cancel dose
      2026-03-02 08:10  resume dose
      2026-03-02 08:30  > dose+1
      2026-03-02 09:00  > dose+2
      2026-03-02 20:00  > dose
      2026-03-02 20:30  > dose+1
      2026-03-02 21:00  > dose+2
      2026-03-02 22:00  end
      """, catalog: catalog)
  }

  /// Both occurrences of a day return. The later one was snoozed, so it is in progress.
  @Test func `N4: resuming a later occurrence hides no earlier one`() throws {
    let catalog = Fixtures.catalog(
      reminders: ["pill": "every: {day: {at: ['08:00', '16:00']}}, expires: 3h"])
    try Diary.expect(
      """
      2026-03-02 04:00  created
      2026-03-02 04:10  cancel pill
      2026-03-02 04:20  snooze pill 10m
      2026-03-02 04:30  cancel pill
      2026-03-02 04:40  resume pill
      2026-03-02 04:50  resume pill
      2026-03-02 08:00  > pill
      2026-03-02 16:10  > pill
      2026-03-03 05:00  end
      """, catalog: catalog)
  }

  /// The repetition waits as long as its reminder would have.
  @Test func `T14: a repetition that replaces a reminder expires no earlier`() throws {
    try Diary.expect(
      """
      2026-03-02 04:00  quiet 22:00 07:30
      2026-03-02 04:00  on weight
      2026-03-02 04:00  prefs {"caps": {"minInterval": "1h"}}
      2026-03-02 06:30  x weigh+1 (quiet_hours, expired)
      2026-03-02 07:25  say {"category": "NOTE", "title": "t", "body": "b", "interactive": true}
      2026-03-02 07:25  > notification.requested "t"
      2026-03-02 07:30  x weigh of 2026-03-02 06:00 (quiet_hours, missed)
      2026-03-02 07:30  x weigh+2 of 2026-03-02 07:00 (quiet_hours, missed)
      2026-03-02 08:25  > weigh+3 of 2026-03-02 07:30 (minimum_interval)
      2026-03-02 12:00  end
      """, catalog: Self.catalog)
  }

  /// On random days, no two occurrences of a chain (a reminder and its repetitions) are delivered
  /// at one instant on one channel. No repetition is delivered before its reminder was delivered or
  /// missed.
  @Test(arguments: Seeds.all)
  func `T14: a chain has one delivery at a time`(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    for _ in 0..<6 {
      var player = Player(
        planner: try Fixtures.planner(catalog: Self.catalog), now: try utc("2026-03-02 05:00"))
      try player.take("preferences.updated", ["reminders": ["weight": ["enabled": true]]])
      try player.take("preferences.updated", ["reminders": ["pill": ["enabled": true]]])
      for number in 0..<60 {
        player.advance(to: player.now + .minutes(Int.random(in: 1..<240, using: &random)))
        let (type, data) = Self.report(number, &random)
        try player.take(type, data)
        player.advance(to: player.now)
        if Int.random(in: 0..<6, using: &random) == 0 { try player.restart() }
      }
      player.advance(to: player.now + .days(2))
      Self.check(player, "seed \(seed)")
    }
  }

  private static func report(
    _ number: Int, _ random: inout SplitMix64
  ) -> (String, JSONValue) {
    switch Int.random(in: 0..<6, using: &random) {
    case 0: return ("asked", ["thing": .string("\(number % 7)")])
    case 1:
      let end =
        "0\(Int.random(in: 5...9, using: &random)):\(Bool.random(using: &random) ? "00" : "30")"
      return (
        "preferences.updated",
        ["quietHours": ["enabled": true, "start": "22:00", "end": .string(end)]]
      )
    case 2: return ("preferences.updated", ["quietHours": ["enabled": false]])
    case 3:
      let caps: JSONValue = ["perDay": Bool.random(using: &random) ? nil : 2]
      return ("preferences.updated", ["caps": caps])
    case 4:
      return ("preferences.updated", ["channels": ["inapp": .bool(Bool.random(using: &random))]])
    default: return ("asked", ["thing": .string("\(number)")])
    }
  }

  private static func check(_ player: Player, _ comment: String) {
    func chain(_ entry: Player.Entry) -> String {
      "\(entry.reminder.prefix { $0 != "+" }) \(entry.key)"
    }
    let entriesWithoutDigests = player.entries.filter { $0.reminder != "digest" }
    for (name, entries) in Dictionary(grouping: entriesWithoutDigests, by: chain) {
      let delivered = entries.filter { $0.outcome != .dropped }
      for channel in [ChannelSet(.push), ChannelSet(.inapp)] {
        let instants = delivered.filter { $0.channels == channel }.map(\.at)
        #expect(Set(instants).count == instants.count, "\(comment): \(name)")
      }
      guard let first = delivered.min(by: { $0.at < $1.at }), first.reminder.contains("+") else {
        continue
      }
      let originals = entries.filter { !$0.reminder.contains("+") && $0.channels == first.channels }
      // On a channel that was enabled later, the first message may be a repetition.
      let isReplaced =
        originals.isEmpty
        || originals.contains { $0.reasons.contains("missed") && $0.at <= first.at }
      #expect(isReplaced, "\(comment): \(name) was repeated before it was delivered")
    }
  }
}
