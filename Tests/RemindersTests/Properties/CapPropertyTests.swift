import CivilTime
import JSON
import Reminders
import TestSupport
import Testing

/// Rules V3, V5 and L2 on random days of a recipient with many requests.
@Suite struct CapPropertyTests {
  private static let catalog = """
    catalog: apps
    categories:
      LOW: {title: Low, urgency: low, channels: {push: true}}
      HIGH: {title: High, urgency: high, channels: {push: true}}
      ALARM: {title: Alarm, urgency: critical, channels: {push: true}}
    groups:
      notes: {enabled: true, time: "12:00"}
    reminders:
      note:
        category: LOW
        group: notes
        every: {day: {at: $time}}
        smart: true
        expires: 20h
        messages: [{title: Note, body: A note.}]
    """
  private static let zones = ["UTC", "America/New_York", "Asia/Kathmandu", "Africa/Cairo"]

  @Test(arguments: Seeds.all)
  func `V5: all but critical notifications respect caps, intervals and quiet hours`(
    seed: UInt64
  ) throws {
    var random = SplitMix64(seed: seed)
    for _ in 0..<6 {
      var life = try CappedLife(&random, catalog: Self.catalog, zones: Self.zones)
      try life.simulate(days: 6, &random)
      let delivered = life.player.entries.filter { $0.outcome == .delivered }
      let counted = delivered.filter { $0.title != "alarm" }.map(\.at)
      for at in counted {
        let date = life.zone.date(at: at)
        let count = counted.count { life.zone.date(at: $0) == date }
        #expect(count <= life.cap, "seed \(seed): \(date)")
        #expect(life.quiet.windowEnd(at: at, in: life.zone) == nil, "seed \(seed): \(at)")
      }
      for (at, next) in zip(counted, counted.dropFirst()) {
        #expect(next >= at + life.interval, "seed \(seed): \(at) and \(next)")
      }
      let alarms = life.player.entries.filter { $0.title == "alarm" }
      #expect(alarms.allSatisfy { $0.outcome == .delivered && $0.at == $0.planned }, "seed \(seed)")
    }
  }

  @Test(arguments: Seeds.all)
  func `V2: each request has one outcome, and a delayed request has reasons`(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    var life = try CappedLife(&random, catalog: Self.catalog, zones: Self.zones)
    try life.simulate(days: 6, &random)
    life.player.advance(to: life.player.now + .days(4))
    let outcomes = life.player.entries.filter { $0.reminder == "notification.requested" }
    #expect(Set(outcomes.map(\.key)).count == outcomes.count, "seed \(seed)")
    #expect(outcomes.count == life.requestCount, "seed \(seed): each request has an outcome")
    for entry in outcomes where entry.at != entry.planned {
      #expect(!entry.reasons.isEmpty, "seed \(seed): \(entry)")
    }
  }

  @Test(arguments: Seeds.all)
  func `L2: the outcomes of the next days equal the forecast`(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    for _ in 0..<4 {
      var life = try CappedLife(&random, catalog: Self.catalog, zones: Self.zones)
      try life.simulate(days: 2, &random)
      let end = life.player.now + .days(5)
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

/// A recipient with quiet hours, a daily cap and a minimum interval, for whom apps request
/// notifications at random instants.
struct CappedLife {
  var player: Player
  let zone: Zone
  /// The daily cap.
  let cap: Int
  /// The minimum interval.
  let interval: TimeSpan
  let quiet: QuietHours
  private(set) var requestCount = 0
  private let categories: [String]

  init(
    _ random: inout SplitMix64, catalog: String, zones: [String],
    categories: [String] = ["LOW", "LOW", "HIGH", "ALARM"]
  ) throws {
    self.categories = categories
    let name = zones.randomElement(using: &random) ?? "UTC"
    zone = try Fixtures.zone(name)
    cap = Int.random(in: 1...6, using: &random)
    interval = .minutes(Int.random(in: 1...180, using: &random))
    let start = Int.random(in: 0..<1_440, using: &random)
    let end = (start + Int.random(in: 1..<900, using: &random)) % 1_440
    quiet = QuietHours(
      isEnabled: true, start: LocalTime(minuteOfDay: start) ?? .midnight,
      end: LocalTime(minuteOfDay: end) ?? .midnight)
    player = Player(
      planner: try Fixtures.planner(catalog: catalog), now: try utc("2026-03-06 09:00"))
    try player.take("recipient.updated", ["timezone": .string(name)])
    try player.take(
      "preferences.updated",
      [
        "quietHours": [
          "enabled": true, "start": .string(quiet.start.description),
          "end": .string(quiet.end.description),
        ],
        "caps": ["perDay": .integer(Int64(cap)), "minInterval": .string(interval.iso8601)],
        "bundling": ["threshold": .integer(Int64.random(in: 0...4, using: &random))],
      ])
  }

  mutating func simulate(days: Int, _ random: inout SplitMix64) throws {
    let end = player.now + .days(days)
    while player.now < end {
      player.advance(to: player.now + .minutes(Int.random(in: 1...400, using: &random)))
      let category = categories.randomElement(using: &random) ?? categories[0]
      requestCount += 1
      try player.take(
        "notification.requested",
        [
          "category": .string(category),
          "title": category == "ALARM" ? "alarm" : .string(category), "body": "b",
        ])
      player.advance(to: player.now)
      if Bool.random(using: &random) {
        try player.take("notification.opened", ["notification": "n"])
      }
    }
  }
}
