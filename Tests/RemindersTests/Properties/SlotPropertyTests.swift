import CivilTime
import JSON
import Reminders
import TestSupport
import Testing

/// Rule V12 on random days: no occurrence takes capacity that a known, more urgent occurrence
/// needs.
@Suite struct SlotPropertyTests {
  private static let catalog = """
    catalog: apps
    categories:
      LOW: {title: Low, urgency: low, channels: {push: true}}
      NORMAL: {title: Normal, urgency: normal, channels: {push: true}}
      HIGH: {title: High, urgency: high, channels: {push: true}}
    reminders: {}
    """
  private static let urgencies = ["LOW", "NORMAL", "HIGH"]

  private struct Wish {
    let requestedAt: Instant
    let planned: Instant
    let urgency: Int
    let title: String
  }

  @Test(arguments: Seeds.all)
  func `V12: the cap goes to the most urgent known occurrences`(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    for _ in 0..<12 {
      let cap = Int.random(in: 1...4, using: &random)
      let midnight = try utc("2026-03-06 00:00")
      let wishes = Self.wishes(from: midnight, &random)
      var player = Player(planner: try Fixtures.planner(catalog: Self.catalog), now: midnight)
      try player.take(
        "preferences.updated",
        ["caps": ["perDay": .integer(Int64(cap))], "bundling": ["threshold": 0]])
      for wish in wishes.sorted(by: { $0.requestedAt < $1.requestedAt }) {
        player.advance(to: wish.requestedAt)
        try player.take(
          "notification.requested",
          [
            "category": .string(Self.urgencies[wish.urgency]), "title": .string(wish.title),
            "body": "b", "at": .string(wish.planned.description), "expires": "12h",
          ])
      }
      player.advance(to: midnight + .days(1) - .milliseconds(1))
      Self.check(wishes, player.entries, cap, "seed \(seed)")
    }
  }

  private static func wishes(from midnight: Instant, _ random: inout SplitMix64) -> [Wish] {
    (0..<Int.random(in: 3...12, using: &random)).map { number in
      let planned = midnight + .minutes(Int.random(in: 30..<1_430, using: &random))
      let requestedAt = midnight + .minutes(Int.random(in: 1..<20, using: &random))
      return Wish(
        requestedAt: requestedAt, planned: planned, urgency: Int.random(in: 0...2, using: &random),
        title: "wish \(number)")
    }
  }

  private static func check(
    _ wishes: [Wish], _ entries: [Player.Entry], _ cap: Int, _ comment: String
  ) {
    let sent = entries.filter { $0.outcome == .delivered }
    #expect(sent.count == min(cap, wishes.count), "\(comment): the cap is used completely")
    let sentTitles = Set(sent.map(\.title))
    for unsent in wishes where !sentTitles.contains(unsent.title) {
      for sent in wishes where sentTitles.contains(sent.title) {
        #expect(
          sent.urgency >= unsent.urgency,
          "\(comment): \(sent.title) of \(sent.planned) before \(unsent.title)")
      }
    }
  }

  // MARK: - Days with cancellations and later requests

  /// A less urgent occurrence does not delay a known, more urgent occurrence. So the delay remains
  /// if the day is replayed without the less urgent occurrence.
  @Test(arguments: Seeds.all)
  func `V12: a less urgent occurrence takes no capacity of a more urgent one`(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    for number in 0..<12 {
      let day = try SlotDay(&random)
      let deliveries = try day.deliveries()
      for wish in day.wishes {
        try Self.check(wish, of: day, deliveries, "seed \(seed), day \(number)")
      }
    }
  }

  private static func check(
    _ wish: SlotDay.Wish, of day: SlotDay, _ deliveries: [String: Player.Entry], _ comment: String
  ) throws {
    let timeAlone = try day.deliveries(isCapped: false) { $0.title == wish.title }[wish.title]?.at
    guard let timeAlone, deliveries[wish.title]?.at != timeAlone else { return }
    for other in day.wishes where other.urgency < wish.urgency {
      guard let sentAt = deliveries[other.title]?.at,
        isKnown(wish, before: timeAlone, by: sentAt, day),
        !isInUrgentDigest(other, at: sentAt, of: wish.urgency, day, deliveries)
      else { continue }
      let without = try day.deliveries { $0.title != other.title }
      #expect(
        without[wish.title]?.at != timeAlone,
        "\(comment): \(other.title) at \(sentAt) took the capacity of \(wish.title) at \(timeAlone)"
      )
    }
  }

  /// Returns whether the wish was known at `sentAt`, when another wish was sent and used capacity
  /// of the same date. Returns false if a wish is requested or cancelled from then until the
  /// instant at which this wish would be sent alone.
  private static func isKnown(
    _ wish: SlotDay.Wish, before timeAlone: Instant, by sentAt: Instant, _ day: SlotDay
  ) -> Bool {
    let end = day.midnight + .days(1)
    guard wish.requestedAt <= sentAt, sentAt <= timeAlone, (sentAt < end) == (timeAlone < end)
    else {
      return false
    }
    return !day.wishes.contains { other in
      let isNew = sentAt < other.requestedAt && other.requestedAt <= timeAlone
      let isCancelled = other.cancelledAt.map { sentAt < $0 && $0 <= timeAlone } ?? false
      return isNew || isCancelled
    }
  }

  /// Returns whether a wish went in a digest that has a member of at least the given urgency, and
  /// so had that member's priority.
  private static func isInUrgentDigest(
    _ wish: SlotDay.Wish, at instant: Instant, of urgency: Int, _ day: SlotDay,
    _ deliveries: [String: Player.Entry]
  ) -> Bool {
    guard deliveries[wish.title]?.outcome == .bundled else { return false }
    return day.wishes.contains { other in
      let entry = deliveries[other.title]
      return other.urgency >= urgency && entry?.outcome == .bundled && entry?.at == instant
    }
  }

  @Test func `V12: a pending occurrence names the occurrence for which it waits`() throws {
    var player = Player(
      planner: try Fixtures.planner(catalog: Self.catalog), now: try utc("2026-03-06 08:00"))
    try player.take("preferences.updated", ["caps": ["perDay": 1]])
    for (category, time) in [("HIGH", "12:00"), ("LOW", "09:30")] {
      try player.take(
        "notification.requested",
        [
          "category": .string(category), "title": "t", "body": "b",
          "at": .string("2026-03-06T\(time):00Z"),
        ])
    }
    for time in ["08:00", "10:00"] {
      player.advance(to: try utc("2026-03-06 \(time)"))
      let low = player.recipient.pending(now: player.now, planner: player.planner)
        .first { $0.waitsFor != nil }
      #expect(low?.waitsFor?.at == (try utc("2026-03-06 12:00")))
      #expect(low?.waitsFor?.reminder == Symbol("notification.requested HIGH"))
      #expect(low?.decision.at == (try utc("2026-03-07 08:00")))
    }
  }

  @Test func `V12: capacity is reserved for the latest of a series that is due at one instant`()
    throws
  {
    let catalog = """
      catalog: apps
      categories:
        LOW: {title: Low, urgency: low, channels: {push: true}}
        NORMAL: {title: Normal, urgency: normal, channels: {push: true}}
      groups:
        notes: {enabled: true}
      reminders:
        note: {category: NORMAL, group: notes, expires: 5h,
          every: {day: {at: ["10:30", "11:00"]}}, messages: [{title: Note, body: A note.}]}
      """
    var player = Player(
      planner: try Fixtures.planner(catalog: catalog), now: try utc("2026-03-06 08:00"))
    let quietHours: JSONValue = ["enabled": true, "start": "10:00", "end": "12:00"]
    try player.take("preferences.updated", ["caps": ["perDay": 1], "quietHours": quietHours])
    try player.take(
      "notification.requested",
      ["category": "LOW", "title": "t", "body": "b", "at": "2026-03-06T09:30:00Z"])
    let low = player.recipient.pending(now: player.now, planner: player.planner)
      .first { $0.reminder == Symbol("notification.requested LOW") }
    player.advance(to: try utc("2026-03-06 12:00"))
    let notes = player.entries.filter { $0.reminder == "note" }
    let sent = try #require(notes.first { $0.outcome == .delivered })
    #expect(notes.map(\.outcome) == [.dropped, .delivered])
    #expect(try sent.planned == utc("2026-03-06 11:00"))
    #expect(try low?.waitsFor?.at == utc("2026-03-06 12:00"))
    #expect(low?.waitsFor?.key == sent.key)
  }

  @Test func `V12: an explanation names the occurrence for which another one waits`() throws {
    var player = Player(
      planner: try Fixtures.planner(catalog: Self.catalog), now: try utc("2026-03-06 08:00"))
    try player.take("preferences.updated", ["caps": ["perDay": 1]])
    for (category, time) in [("HIGH", "12:00"), ("LOW", "09:30")] {
      try player.take(
        "notification.requested",
        [
          "category": .string(category), "title": "t", "body": "b",
          "at": .string("2026-03-06T\(time):00Z"),
        ])
    }
    let noon = try utc("2026-03-06 12:00")
    func explain(_ question: Question) throws -> [Explanation] {
      try player.recipient.explain(question, now: player.now, planner: player.planner)
    }
    let pending = try explain(.pending(reminder: Reminder.requested))
    #expect(pending.compactMap(\.waitsFor?.at) == [noon] && pending.count == 2)
    #expect(pending.compactMap(\.waitsFor?.reminder) == [Reminder.requested])
    func wouldWait(_ category: String, _ time: String) throws -> Explanation? {
      try explain(.hypothetical(category: category, at: utc(time))).first
    }
    let low = try wouldWait("LOW", "2026-03-06 10:00")
    #expect(low?.waitsFor?.at == noon && low?.decision.trace.reasons == ["daily_cap"])
    #expect(try low?.decision.at == utc("2026-03-07 08:00"))
    // At equal urgency the earlier occurrence is sent first. After noon, no capacity is reserved.
    #expect(try wouldWait("HIGH", "2026-03-06 10:00")?.decision.at == utc("2026-03-06 10:00"))
    #expect(try wouldWait("LOW", "2026-03-06 13:00")?.waitsFor == nil)
    #expect(try wouldWait("LOW", "2026-03-07 10:00")?.waitsFor == nil)
  }
}
