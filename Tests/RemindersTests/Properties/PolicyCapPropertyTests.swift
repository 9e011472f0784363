import CivilTime
import JSON
import TestSupport
import Testing

@testable import Reminders

/// Rule V20 on random days, against a count of the deliveries that knows nothing of gates.
@Suite struct PolicyCapPropertyTests {
  private static let zones = ["UTC", "America/New_York", "Asia/Kathmandu", "Africa/Cairo"]

  /// The limits of a random cap on the categories A and B.
  private struct Cap {
    let perDay: Int
    let perWeek: Int
    let interval: TimeSpan

    init(_ random: inout SplitMix64) {
      perDay = Int.random(in: 1...3, using: &random)
      perWeek = Int.random(in: 2...6, using: &random)
      interval = .minutes(Int.random(in: 1...300, using: &random))
    }

    var catalog: String {
      """
      catalog: apps
      categories:
        A: {title: A, urgency: low, channels: {push: true}}
        B: {title: B, urgency: high, channels: {push: true}}
        C: {title: C, channels: {push: true}}
        ALARM: {title: Alarm, urgency: critical, channels: {push: true}}
      policies:
        caps:
          - {categories: [A, B], perDay: \(perDay), minInterval: \(interval)}
          - {categories: [B, A], perWeek: \(perWeek)}
      reminders: {}
      """
    }
  }

  /// Returns the instants at which something of a capped category was sent. A digest counts once.
  private static func capped(_ entries: [Player.Entry]) -> [Instant] {
    let sent = entries.filter { $0.outcome != .dropped && ["A", "B"].contains($0.title) }
    let alone = sent.filter { $0.outcome == .delivered }.map(\.at)
    return (alone + Set(sent.filter { $0.outcome == .bundled }.map(\.at))).sorted()
  }

  @Test(arguments: Seeds.all)
  func `V20: no week, day or interval has more notifications than its cap`(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    for _ in 0..<4 {
      let cap = Cap(&random)
      var life = try CappedLife(
        &random, catalog: cap.catalog, zones: Self.zones, categories: ["A", "B", "C", "ALARM"])
      try life.simulate(days: 12, &random)
      let instants = Self.capped(life.player.entries)
      let dates = instants.map { life.zone.date(at: $0) }
      for date in Set(dates) {
        #expect(dates.count { $0 == date } <= cap.perDay, "seed \(seed): \(date)")
        let week = dates.count { $0 <= date && date - $0 < 7 }
        #expect(week <= cap.perWeek, "seed \(seed): \(date)")
      }
      for (at, next) in zip(instants, instants.dropFirst()) {
        #expect(next >= at + cap.interval, "seed \(seed): \(at) and \(next)")
      }
      let alarms = life.player.entries.filter { $0.title == "alarm" }
      #expect(alarms.allSatisfy { $0.outcome == .delivered && $0.at == $0.planned }, "seed \(seed)")
    }
  }

  @Test(arguments: Seeds.all)
  func `V20: the outcomes of the next days equal the forecast`(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    for _ in 0..<4 {
      var life = try CappedLife(
        &random, catalog: Cap(&random).catalog, zones: Self.zones,
        categories: ["A", "B", "C", "ALARM"])
      try life.simulate(days: 3, &random)
      let end = life.player.now + .days(9)
      let forecast = life.player.recipient.simulatedFirings(
        from: life.player.now, through: end, planner: life.player.planner)
      let entryCount = life.player.entries.count
      life.player.advance(to: end)
      let actual = life.player.entries[entryCount...].map { "\($0.at) \($0.key) \($0.outcome)" }
      let expected = forecast.compactMap { firing -> String? in
        guard case .finished(let outcome) = firing.result else { return nil }
        return "\(firing.at) \(firing.key) \(outcome)"
      }
      #expect(expected.sorted() == actual.sorted(), "seed \(seed)")
    }
  }
}
