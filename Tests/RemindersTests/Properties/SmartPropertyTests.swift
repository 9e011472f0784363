import CivilTime
import JSON
import Reminders
import TestSupport
import Testing

/// Rule M3 in random weeks of a recipient who opens notifications.
@Suite struct SmartPropertyTests {
  @Test(arguments: Seeds.all)
  func `M3: the planned hour is the hour with the most opens`(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    for _ in 0..<4 {
      var life = try HabitualLife(&random, days: 45)
      try life.simulate { _ in }
      for entry in life.player.entries where entry.reminder == "note" {
        let date = LocalDate(daysSinceEpoch: Int(entry.key))
        let time = life.expectedTime(on: date)
        #expect(
          entry.planned == life.zone.instant(of: date, at: time),
          "seed \(seed): \(entry) is for \(time), \(life.zone)")
      }
      #expect(life.player.entries.count > 35, "seed \(seed)")
    }
  }

  /// The random weeks include travel, late opens and changes of quiet hours.
  @Test(arguments: Seeds.all)
  func `L2: occurrences happen as shown and as forecast`(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    for _ in 0..<3 {
      var life = try HabitualLife(&random, days: 35, isRestless: true)
      var checks = random
      try life.simulate { player in
        guard Int.random(in: 0..<25, using: &checks) == 0 else { return }
        PendingPropertyTests.expectAsShown(player, "seed \(seed)")
        let end = player.now + .days(6)
        let forecast = player.recipient.simulatedFirings(
          from: player.now, through: end, planner: player.planner
        )
        .filter { if case .finished = $0.result { true } else { false } }
        var future = player
        future.advance(to: end)
        let actual = future.entries[player.entries.count...].map { "\($0.at) \($0.key)" }
        #expect(forecast.map { "\($0.at) \($0.key)" } == actual, "seed \(seed)")
      }
    }
  }

  @Test(arguments: Seeds.all)
  func `T2: each date has exactly one occurrence`(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    for _ in 0..<4 {
      var life = try HabitualLife(&random, days: 40, delayMax: .days(3))
      try life.simulate { _ in }
      let keys = life.player.entries.map(\.key)
      let dates = zip(keys, keys.dropFirst())
      #expect(dates.allSatisfy { $1 == $0 + 1 }, "seed \(seed): \(keys)")
    }
  }

  @Test(arguments: Seeds.all)
  func `E1: any order of arrival yields the same opens`(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    let planner = try Fixtures.planner(catalog: HabitualLife.catalog)
    let start = try utc("2026-02-01 00:00")
    let reader = EventReader(planner: planner)
    for _ in 0..<5 {
      let events = try (0..<300).map { index in
        let time = start + .minutes(Int.random(in: 0..<100_000, using: &random))
        let json: JSONValue = [
          "specversion": "1.0", "id": "1", "source": "test", "type": "notification.opened",
          "subject": "amina", "time": .string(time.description), "data": ["notification": "n"],
        ]
        return (try reader.event(json, now: nil), Int64(index))
      }
      let facts = Self.foldedFacts(events)
      for _ in 0..<10 {
        try #require(Self.foldedFacts(events.shuffled(using: &random)) == facts, "seed \(seed)")
      }
      let read = try facts.encoded.withUnsafeBytes { try Facts(decoding: $0) }
      #expect(read == facts, "seed \(seed)")
      #expect(facts.opens.quarters.count <= 31 * 96 + 1, "seed \(seed)")
    }
  }

  private static func foldedFacts(_ events: [(Event, Int64)]) -> Facts {
    events.reduce(into: Facts()) { $0.fold($1.0, order: $1.1, memory: nil) }
  }
}

/// Some weeks of a recipient who opens notifications at random instants.
struct HabitualLife {
  static let catalog = Fixtures.catalog(
    groups: "notes: {enabled: true, time: \"08:00\"}",
    reminders: ["note": "every: {day: {at: $time}}, smart: true, expires: 23h"])
  private static let zones = ["UTC", "America/New_York", "Asia/Kathmandu", "Australia/Lord_Howe"]

  private(set) var player: Player
  private(set) var zone: Zone
  private var quietHours: QuietHours
  private var opens: [Instant] = []
  private let until: Instant
  private let isRestless: Bool
  private let delayMax: TimeSpan
  private var random: SplitMix64

  /// - Parameters:
  ///   - isRestless: Whether zone and quiet hours change, and reports are up to two days late.
  ///   - delayMax: The maximum delay of a report, if `isRestless` is false.
  init(
    _ random: inout SplitMix64, days: Int, isRestless: Bool = false, delayMax: TimeSpan = .zero
  ) throws {
    self.random = SplitMix64(seed: random.next())
    self.isRestless = isRestless
    self.delayMax = isRestless ? .days(2) : delayMax
    // In the weeks after this instant, clocks change in zones of both hemispheres.
    let start = try utc("2026-02-20 12:00")
    until = start + .days(days)
    zone = try Fixtures.zone("UTC")
    quietHours = QuietHours(isEnabled: false, start: .midnight, end: .midnight)
    player = Player(planner: try Fixtures.planner(catalog: Self.catalog), now: start)
    try travel()
    try changeQuietHours()
  }

  /// - Parameter observe: Called after each report.
  mutating func simulate(_ observe: (Player) -> Void) throws {
    while player.now < until {
      let step = TimeSpan.minutes(Int.random(in: 10...700, using: &random))
      player.advance(to: player.now + step)
      switch Int.random(in: 0..<20, using: &random) {
      case 0 where isRestless: try travel()
      case 1 where isRestless: try changeQuietHours()
      default: try open()
      }
      observe(player)
    }
  }

  /// Returns the hour outside quiet hours with the most opens, by counting all opens. Of several
  /// such hours it returns the hour nearest to 8:00, and of two equally near hours the earlier.
  func expectedTime(on date: LocalDate) -> LocalTime {
    let declared = LocalTime(minuteOfDay: 8 * 60) ?? .midnight
    let dates = date - 28..<date
    let counted = opens.map { zone.local(at: $0) }.filter { dates.contains($0.date) }
    guard counted.count >= 5 else { return declared }
    var best: (time: LocalTime, count: Int)?
    for minute in stride(from: 0, to: 1_440, by: 60).sorted(by: { abs($0 - 480) < abs($1 - 480) }) {
      let time = LocalTime(minuteOfDay: minute) ?? .midnight
      let count = counted.count { $0.time.hour == time.hour }
      let isQuiet = quietHours.windowEnd(at: zone.instant(of: date, at: time), in: zone) != nil
      if !isQuiet, count > best?.count ?? 0 { best = (time, count) }
    }
    return best?.time ?? declared
  }

  private mutating func open() throws {
    let delay = TimeSpan.milliseconds(
      Int.random(in: 0...Int(delayMax.milliseconds), using: &random))
    let time = max(player.now - delay, try utc("2026-02-20 12:00"))
    opens.append(time)
    try player.take("notification.opened", ["notification": "n"], at: time)
  }

  private mutating func travel() throws {
    let name = Self.zones.randomElement(using: &random) ?? "UTC"
    zone = try Fixtures.zone(name)
    try player.take("recipient.updated", ["timezone": .string(name)])
  }

  private mutating func changeQuietHours() throws {
    let start = Int.random(in: 0..<1_440, using: &random)
    let end = (start + Int.random(in: 1..<900, using: &random)) % 1_440
    quietHours = QuietHours(
      isEnabled: true, start: LocalTime(minuteOfDay: start) ?? .midnight,
      end: LocalTime(minuteOfDay: end) ?? .midnight)
    let hours: JSONValue = [
      "enabled": true, "start": .string(quietHours.start.description),
      "end": .string(quietHours.end.description),
    ]
    try player.take("preferences.updated", ["quietHours": hours])
  }
}
