#if DEBUG
  import CivilTime
  import JSON
  import Testing

  @testable import Reminders

  /// Rule H6: ending the series of many entities costs work that is linear in their number. The
  /// tests count operations instead of time.
  @Suite struct EntityCostTests {
    /// The numbers of entities. Both are below the limit of open entities, whose check has its own
    /// cost.
    private static let counts = (few: 30, many: 120)
    /// The allowed factor of work for four times as many entities, with some extra for sorting.
    private static let growth = 4.5

    private static let catalog = Fixtures.catalog(
      events: "{task: {task: identifier}, dose: {medicine: identifier}}",
      reminders: [
        "do": "on: {event: task, delay: 1h}, expires: 30d",
        "take": "every: {day: {at: '12:00'}}, since: dose",
      ])

    /// Returns a recipient with `count` tasks that a vacation holds, and as many medicines.
    private func playerWithEntities(_ count: Int) throws -> Player {
      var player = Player(
        planner: try Fixtures.planner(catalog: Self.catalog), now: try utc("2026-03-02 06:00"))
      for number in 0..<count {
        try player.take("task", ["task": .string("\(number)")])
        try player.take("dose", ["medicine": .string("\(number)")])
      }
      try player.take("vacation.started", ["until": "2026-03-09"])
      player.jump(to: try utc("2026-03-02 08:00"))
      try #require(player.recipient.progress.inProgress.count == count)
      return player
    }

    /// Expects that the work of `body` grows at most linearly with the number of entities.
    ///
    /// - Parameter prepare: called before the work is counted.
    private func expectLinear(
      after prepare: (inout Player) throws -> Void = { _ in }, _ body: (inout Player) throws -> Void
    ) throws {
      func work(_ count: Int) throws -> Int {
        var player = try playerWithEntities(count)
        try prepare(&player)
        let meter = WorkMeter()
        try Work.$meter.withValue(meter) { try body(&player) }
        return meter.total
      }
      let (few, many) = (try work(Self.counts.few), try work(Self.counts.many))
      #expect(few > 0)
      #expect(Double(many) <= Self.growth * Double(few), "\(few), \(many)")
    }

    private func endEachSeries(_ player: inout Player) throws {
      for entry in player.recipient.progress.inProgress {
        try player.take(
          "pending.cancelled",
          ["reminder": "do", "series": true, "occurrence": .string("\(entry.key)")])
      }
    }

    @Test func `H6: ending the series of all entities costs linear work`() throws {
      try expectLinear { try $0.take("pending.cancelled", ["reminder": "do", "series": true]) }
      try expectLinear { player in
        let entry = try #require(player.recipient.progress.inProgress.first)
        try player.take(
          "pending.cancelled",
          ["reminder": "do", "series": true, "occurrence": .string("\(entry.key)")])
      }
    }

    @Test func `H6: a report costs linear work after the series of many entities were ended`()
      throws
    {
      try expectLinear(after: endEachSeries) { player in
        #expect(player.recipient.facts.entityStops.count >= Self.counts.few)
        try player.take("task", ["task": "new"])
      }
    }

    @Test func `H6: ended series are listed and resumed with linear work`() throws {
      try expectLinear(after: endEachSeries) { player in
        _ = player.recipient.cancelled(now: player.now, planner: player.planner)
      }
      try expectLinear(after: endEachSeries) {
        try $0.take("pending.resumed", ["reminder": "do", "series": true])
      }
    }

    @Test func `H6: a report costs linear work after many dates were cancelled`() throws {
      func cancelDates(_ player: inout Player) throws {
        for _ in player.recipient.progress.inProgress {
          try player.take("pending.cancelled", ["reminder": "take"])
        }
      }
      try expectLinear(after: cancelDates) { player in
        #expect(player.recipient.progress.cancelled.count >= Self.counts.few)
        try player.take("task", ["task": "new"])
      }
    }
  }
#endif
