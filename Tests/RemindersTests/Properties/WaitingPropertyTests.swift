import CivilTime
import JSON
import Reminders
import TestSupport
import Testing

/// Rules V6, V9, V12 and V13 on random days: a cap holds occurrences, which are sent before their
/// expiry or dropped at it.
@Suite struct WaitingPropertyTests {
  @Test(arguments: Seeds.all)
  func `V12: an occurrence takes no capacity from an earlier, equally urgent one that is held`(
    seed: UInt64
  ) throws {
    var random = SplitMix64(seed: seed)
    for number in 0..<12 {
      let day = try SlotDay(&random)
      let deliveries = try day.deliveries()
      for younger in day.wishes {
        guard let delivery = deliveries[younger.title] else { continue }
        for older in day.wishes where older.waits(at: delivery.at, beside: younger, deliveries) {
          guard delivery.outcome != .bundled, older.planned < younger.planned else { continue }
          let deliveriesWithout = try day.deliveries { $0.title != younger.title }
          let at = deliveries[older.title]?.at
          guard let atWithout = deliveriesWithout[older.title]?.at,
            day.hasNoRequests(delivery.at, at ?? day.midnight + .days(2))
          else { continue }
          #expect(
            at.map { $0 <= atWithout } ?? false,
            "seed \(seed), day \(number): \(younger.title) took the capacity of \(older.title)")
        }
      }
    }
  }

  @Test(arguments: Seeds.all)
  func `V6: occurrences whose holds end at one instant are sent as one digest`(seed: UInt64) throws
  {
    var random = SplitMix64(seed: seed)
    for number in 0..<24 {
      let day = try SlotDay(&random)
      guard day.threshold > 0 else { continue }
      let held = try day.entries().filter { $0.outcome == .delivered && !$0.reasons.isEmpty }
      for (at, together) in Dictionary(grouping: held, by: \.at) {
        let singles = together.filter { $0.reminder != "digest" }
        #expect(
          singles.count < day.threshold, "seed \(seed), day \(number): \(singles.count) at \(at)")
        #expect(
          together.count == singles.count || singles.isEmpty,
          "seed \(seed), day \(number): a digest and others at \(at)")
      }
    }
  }

  @Test(arguments: Seeds.all)
  func `V13: an occurrence that a cap holds is dropped at its expiry`(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    for number in 0..<24 {
      let day = try SlotDay(&random)
      for entry in try day.entries() where entry.outcome == .dropped {
        guard !entry.reasons.contains("quiet_hours") else { continue }
        #expect(entry.reasons.contains("expired"), "seed \(seed), day \(number): \(entry)")
        let expiry = entry.planned + SlotDay.expires + .milliseconds(1)
        #expect(entry.at == expiry, "seed \(seed), day \(number): \(entry)")
      }
    }
  }

  /// Events arrive at random instants, about half of them in the first five hours of a day.
  @Test(arguments: Seeds.all + [16_233_151_419_552_703_012])
  func `V9: an occurrence held overnight by a cap is sent at dayStart or later`(seed: UInt64) throws
  {
    var random = SplitMix64(seed: seed)
    let reports: [(String, JSONValue)] = [
      ("recipient.updated", ["locale": "de"]), ("notification.opened", ["notification": "n"]),
      ("preferences.updated", ["caps": ["perDay": 9]]),
      ("preferences.updated", ["caps": ["perDay": nil]]),
      ("preferences.updated", ["caps": ["perDay": 1]]),
      ("preferences.updated", ["bundling": ["threshold": 2]]),
      (
        "notification.requested",
        ["category": "HIGH", "title": "now", "body": "b", "channels": ["push"]]
      ),
    ]
    var heldCount = 0
    for _ in 0..<8 {
      var player = Player(
        planner: try Fixtures.planner(catalog: SlotDay.catalog), now: try utc("2026-03-06 09:00"))
      try player.take("recipient.updated", ["timezone": "Europe/Berlin"])
      try player.take("preferences.updated", ["caps": ["perDay": 1]])
      for _ in 0..<40 {
        let isNight = Bool.random(using: &random)
        let next = player.now + .minutes(Int.random(in: 1..<300, using: &random))
        let date = try Fixtures.zone("Europe/Berlin").date(at: player.now) + 1
        let midnight = try Fixtures.zone("Europe/Berlin").instant(of: date, at: .midnight)
        let night = midnight + .minutes(Int.random(in: 0..<300, using: &random))
        player.advance(to: isNight ? max(night, player.now) : next)
        let (type, data) = try #require(reports.randomElement(using: &random))
        if Int.random(in: 0..<8, using: &random) == 0 { try player.restart() }
        try player.take(type, data)
        player.advance(to: player.now)
        try player.take(
          "notification.requested",
          ["category": "LOW", "title": "word", "body": "b", "expires": "3d"])
        player.advance(to: player.now)
      }
      player.advance(to: player.now + .days(3))
      heldCount += try Self.checkNights(player, "seed \(seed)")
    }
    #expect(heldCount > 0, "seed \(seed)")
  }

  /// Checks that each occurrence that a cap held overnight was sent at dayStart or later.
  ///
  /// - Returns: how many occurrences a cap held.
  private static func checkNights(_ player: Player, _ comment: String) throws -> Int {
    let zone = try Fixtures.zone("Europe/Berlin")
    let start = try #require(LocalTime(minuteOfDay: 8 * 60))
    let held = player.entries.filter { $0.outcome != .dropped && $0.reasons.contains("daily_cap") }
    for entry in held where zone.date(at: entry.planned) < zone.date(at: entry.at) {
      let dayStart = zone.instant(of: zone.date(at: entry.at), at: start)
      #expect(entry.at >= dayStart, "\(comment): \(entry)")
    }
    return held.count
  }
}

extension SlotDay.Wish {
  /// Returns whether the wish is due and held at an instant, and is as urgent as another wish.
  fileprivate func waits(
    at instant: Instant, beside other: SlotDay.Wish, _ deliveries: [String: Player.Entry]
  ) -> Bool {
    guard title != other.title, urgency == other.urgency, planned <= instant,
      planned + SlotDay.expires > instant
    else { return false }
    return deliveries[title].map { $0.at > instant } ?? (cancelledAt == nil)
  }
}
