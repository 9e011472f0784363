import CivilTime
import JSON
import Reminders
import TestSupport
import Testing

/// Rules T2, V2 and V7 if all changes happen at a few instants. The changes are events, planned
/// instants, quiet hours, midnights, changes of clocks, and the ends of vacations, snoozes,
/// intervals and expiries.
@Suite struct CoincidencePropertyTests {
  @Test(arguments: Seeds.all)
  func `V7: coinciding occurrences are sent as forecast, in order, and when no gate objects`(
    seed: UInt64
  ) throws {
    var random = SplitMix64(seed: seed)
    for _ in 0..<25 {
      var days = try CoincidentDays(seed: random.next())
      try days.run()
      #expect(days.problems.isEmpty, "seed \(seed)\n\(days.diary)")
    }
  }
}

private struct CoincidentDays {
  private static let catalog = """
    catalog: apps
    events: {booked: {visit: identifier, at: instant}}
    categories:
      LOW: {title: Low, urgency: low, channels: {push: true}}
      HIGH: {title: High, urgency: high, channels: {push: true}}
    groups:
      visits: {enabled: true}
      daily: {enabled: true, time: "00:00"}
    reminders:
      visit: {category: HIGH, group: visits, before: {event: booked, at: at, by: 2h},
        expires: 4h, messages: [{title: Visit, body: b}]}
      daily: {category: LOW, group: daily, every: {day: {at: $time}}, expires: 6h,
        messages: [{title: Daily, body: b}]}
    """
  /// Zones, each with a local midnight one or two days before its clocks change; UTC's never do.
  private static let zones = [
    ("Europe/Berlin", "2026-03-27 23:00"), ("Europe/Berlin", "2026-10-23 22:00"),
    ("America/Santiago", "2026-09-04 04:00"), ("Africa/Cairo", "2026-04-22 22:00"),
    ("UTC", "2026-03-02 00:00"),
  ]
  private static let clocks = ["00:00", "01:00", "02:00", "03:00", "08:00", "22:00"]
  private static let spans = ["1h", "2h", "6h"]

  private var random: SplitMix64
  private let zone: Zone
  private var player: Player
  private var expiries: [String: TimeSpan] = [:]
  private var quietHours: QuietHours?
  private var interval: TimeSpan?
  private var cap: Int?
  /// Whether there has been a vacation, during which expiries stand still.
  private var hadVacation = false
  private(set) var diary = ""
  private(set) var problems: [String] = []

  init(seed: UInt64) throws {
    random = SplitMix64(seed: seed)
    let (name, midnight) = random.pick(Self.zones)
    zone = try Fixtures.zone(name)
    player = Player(
      planner: try Fixtures.planner(catalog: Self.catalog), now: try utc(midnight))
    diary = "\(name)\n"
    try take("recipient.updated", ["timezone": .string(name)])
    try take("preferences.updated", preferences())
  }

  private mutating func preferences() -> JSONValue {
    var changes: JSONObject = [
      "reminders": ["daily": ["time": .string(random.pick(Self.clocks))]],
      "bundling": ["threshold": .integer(Int64(random.pick([0, 2, 3])))],
      "dayStart": .string(random.pick(["00:00", "03:00", "08:00"])),
    ]
    let (from, to) = (random.pick(Self.clocks), random.pick(Self.clocks))
    if from != to, let start = Self.time(from), let end = Self.time(to) {
      changes["quietHours"] = [
        "enabled": true, "start": .string(from), "end": .string(to),
      ]
      quietHours = QuietHours(isEnabled: true, start: start, end: end)
    }
    var caps: JSONObject = [:]
    if random.isOne(of: 2) {
      let count = random.int(in: 1..<4)
      (cap, caps["perDay"]) = (count, .integer(Int64(count)))
    }
    if random.isOne(of: 2) {
      let hours = random.int(in: 1..<3)
      (interval, caps["minInterval"]) = (.hours(hours), .string("\(hours)h"))
    }
    if !caps.isEmpty { changes["caps"] = .object(caps) }
    return .object(changes)
  }

  private static func time(_ clock: String) -> LocalTime? {
    Int(clock.prefix(2)).flatMap { LocalTime(hour: $0, minute: 0) }
  }

  mutating func run() throws {
    for number in 0..<14 {
      let forecast = player.recipient.simulatedFirings(
        from: player.now, through: player.now + .hours(4), planner: player.planner)
      let (knownCount, from) = (player.entries.count, player.now)
      let next = player.now + .hours(random.int(in: 0..<4))
      player.advance(to: next)
      compare(forecast, with: player.entries[knownCount...], from: from, through: next)
      try reportSomething(number)
      // Fires occurrences that the event has made due.
      player.advance(to: next)
    }
    player.advance(to: player.now + .days(4))
    checkDeliveries()
  }

  private mutating func reportSomething(_ number: Int) throws {
    let at = player.now + .hours(random.int(in: 0..<8))
    switch random.int(in: 0..<8) {
    case 0: try take("booked", ["visit": "v\(number)", "at": .string(at.description)])
    case 1:
      let until = zone.date(at: player.now) + random.int(in: 0..<2)
      var dates: JSONObject = ["until": .string(until.description)]
      if random.isOne(of: 2) {
        dates["from"] = .string((until - random.int(in: 0..<2)).description)
      }
      try take("vacation.started", .object(dates))
      hadVacation = true
    case 2: try take("vacation.ended", [:])
    case 3:
      let pending = player.recipient.pending(now: player.now, planner: player.planner)
      guard let entry = pending.first,
        let reminder = player.planner.catalog.reminder(entry.reminder)
      else { return }
      try? take(
        "pending.snoozed",
        [
          "reminder": .string(reminder.identifier), "occurrence": .string("\(entry.key)"),
          "for": .string(random.pick(Self.spans)),
        ])
    default:
      let span = random.pick(Self.spans)
      expiries["w\(number)"] = .hours(Int(span.dropLast()) ?? 1)
      try take(
        "notification.requested",
        [
          "category": .string(random.pick(["LOW", "HIGH"])), "title": "w\(number)", "body": "b",
          "at": .string(at.description), "expires": .string(span),
        ])
    }
  }

  private mutating func take(_ type: String, _ data: JSONValue) throws {
    diary += "\(player.now) \(type) \(data)\n"
    try player.take(type, data)
  }

  // MARK: - Judging

  /// Compares planned with actual outcomes until the next event.
  private mutating func compare(
    _ forecast: [Firing], with entries: ArraySlice<Player.Entry>, from: Instant,
    through end: Instant
  ) {
    let expected = forecast.compactMap { firing -> String? in
      guard case .finished(let outcome) = firing.result, firing.at <= end else { return nil }
      return "\(firing.at) \(firing.key) \(outcome.name)"
    }
    let actual = entries.map { "\($0.at) \($0.key) \($0.outcome.name)" }
    if expected.sorted() != actual.sorted() {
      problems.append("from \(from) expected \(expected), got \(actual)")
    }
    if entries.map(\.at) != entries.map(\.at).sorted() { problems.append("order \(actual)") }
  }

  private mutating func checkDeliveries() {
    let sent = player.entries.filter { $0.outcome == .delivered }
    // An occurrence bound to an instant may be sent before its own planned time, and then waits for
    // neither cap nor interval (rule V15).
    func isForward(_ entry: Player.Entry) -> Bool { entry.at < entry.planned }
    for entry in sent where !isForward(entry) {
      if let quietHours, QuietMinutes(quietHours, in: zone, around: entry.at)[0] {
        problems.append("\(entry.at) \(entry.title) in quiet hours")
      }
      if let expires = expiries[entry.title], !hadVacation, entry.at > entry.planned + expires {
        problems.append("\(entry.at) \(entry.title) after its expiry")
      }
      if let cap, sent.count(where: { zone.date(at: $0.at) == zone.date(at: entry.at) }) > cap,
        !sent.contains(where: { isForward($0) })
      {
        problems.append("\(entry.at) \(entry.title) beyond the cap")
      }
      if let interval,
        sent.contains(where: { $0 != entry && $0.at <= entry.at && $0.at > entry.at - interval }),
        !sent.contains(where: { isForward($0) })
      {
        problems.append("\(entry.at) \(entry.title) within the interval")
      }
    }
    diary +=
      problems.joined(separator: "\n") + "\n"
      + player.entries.map { "\($0.at) \($0.title) of \($0.planned) \($0.outcome) \($0.reasons)" }
      .joined(separator: "\n")
  }
}
