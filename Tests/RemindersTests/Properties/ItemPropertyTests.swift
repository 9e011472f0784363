import CivilTime
import JSON
import Reminders
import TestSupport
import Testing

/// The order in which events about entities arrive does not matter, the facts survive encoding, and
/// the plan depends only on the facts.
@Suite struct ItemPropertyTests {
  @Test(arguments: Seeds.all)
  func `E1: any order of arrival yields the same facts and plan`(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    let planner = try Fixtures.planner(catalog: Errands.catalog)
    for _ in 0..<10 {
      let errands = try Errands(seed: random.next(), delayMax: .zero)
      let events = try Self.events(errands, planner)
      let facts = Self.foldedFacts(events)
      let now = errands.start + .days(7)
      let plan = Self.plan(facts, now, planner)
      #expect(!facts.items.isEmpty)
      for _ in 0..<10 {
        let other = Self.foldedFacts(events.shuffled(using: &random))
        try #require(other == facts, "seed \(seed)")
        try #require(other.encoded == facts.encoded, "seed \(seed)")
        try #require(Self.plan(other, now, planner) == plan, "seed \(seed)")
      }
      let decoded = try facts.encoded.withUnsafeBytes { try Facts(decoding: $0) }
      #expect(decoded == facts, "seed \(seed)")
    }
  }

  @Test(arguments: Seeds.all)
  func `H6: the same entities are forgotten for any order of arrival`(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    let planner = try Fixtures.planner(catalog: Errands.catalog)
    var events: [(Event, Int64)] = []
    for month in 0..<4 {
      let errands = try Errands(seed: random.next(), delayMax: .zero)
      let shift = TimeSpan.days(30 * month)
      events += try Self.events(errands, planner, shift: shift, order: Int64(month * 1_000))
    }
    let facts = Self.factsWithoutFinished(events, planner)
    let latest = try #require(facts.items.map(\.stamp.time).max())
    let withoutIdentifier = facts.items.filter { $0.identifier == nil }
    #expect(withoutIdentifier.allSatisfy { $0.stamp.time >= latest - .days(45) }, "seed \(seed)")
    for _ in 0..<10 {
      // Events may be at most 45 days late, so each period of two weeks is shuffled separately.
      let periods = Dictionary(grouping: events) { $0.0.time.milliseconds / 1_209_600_000 }
      let shuffled = periods.keys.sorted().flatMap { key in
        (periods[key] ?? []).shuffled(using: &random)
      }
      try #require(Self.factsWithoutFinished(shuffled, planner) == facts, "seed \(seed)")
    }
  }

  /// The reports include late reports, repeated reports and changes of zone. The service restarts
  /// between some of them.
  @Test(arguments: Seeds.all)
  func `no occurrence is delivered twice`(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    let planner = try Fixtures.planner(catalog: Errands.catalog)
    for _ in 0..<10 {
      let errands = try Errands(seed: random.next(), delayMax: .days(3))
      var player = Player(planner: planner, now: errands.start)
      for arrival in errands.arrivals {
        if Int.random(in: 0..<8, using: &random) == 0 {
          player.jump(to: max(arrival.arrivalTime, player.now))
        }
        player.advance(to: arrival.arrivalTime)
        try player.take(arrival.type, arrival.data, at: arrival.eventTime)
        if Int.random(in: 0..<4, using: &random) == 0 { try player.restart() }
      }
      player.advance(to: errands.until)
      #expect(player.entries.count > 5)
      let counts = Dictionary(grouping: player.entries, by: \.occurrence)
      for (occurrence, entries) in counts where entries.count > 1 {
        Issue.record("seed \(seed): \(occurrence): \(entries.map(DiaryLine.format))")
      }
    }
  }

  // MARK: - Support

  private static func foldedFacts(_ events: [(Event, Int64)]) -> Facts {
    events.reduce(into: Facts()) { facts, entry in
      facts.fold(entry.0, order: entry.1, memory: nil)
    }
  }

  /// Returns the facts after folding the events, and forgetting finished entities after each event.
  private static func factsWithoutFinished(_ events: [(Event, Int64)], _ planner: Planner) -> Facts
  {
    events.reduce(into: Facts()) { facts, entry in
      facts.fold(entry.0, order: entry.1, memory: nil)
      let now = facts.items.map(\.stamp.time).max() ?? entry.0.time
      let context = PlanningContext(facts: facts, planner: planner)
      facts.forgetFinished(planner.catalog) { context.openItems(Progress(cutoff: now)) }
    }
  }

  private static func plan(_ facts: Facts, _ now: Instant, _ planner: Planner) -> [Pending] {
    Recipient(name: "amina", facts: facts, progress: Progress(cutoff: now))
      .pending(now: now, planner: planner)
  }

  private static func events(
    _ errands: Errands, _ planner: Planner, shift: TimeSpan = .zero, order: Int64 = 0
  ) throws -> [(Event, Int64)] {
    let reader = EventReader(planner: planner)
    return try errands.arrivals.enumerated().map { index, arrival in
      let json: JSONValue = [
        "specversion": "1.0", "id": "1", "source": "test", "type": .string(arrival.type),
        "subject": "amina", "time": .string((arrival.eventTime + shift).description),
        "data": arrival.data,
      ]
      return (try reader.event(json, now: nil), order + Int64(index))
    }
  }
}
