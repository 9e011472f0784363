#if DEBUG
  import CivilTime
  import JSON
  import Reminders
  import Testing

  /// Rule H6: the work for one recipient is linear in the number of pending occurrences. The tests
  /// count operations instead of time.
  @Suite struct CostTests {
    private static let counts = (few: 180, many: 720)
    /// The allowed factor of work for four times as many occurrences, with some extra for sorting.
    private static let growth = 4.5

    private func expectLinear(
      _ load: BusyRecipient.Load, _ name: String, _ body: (inout BusyRecipient) throws -> Void
    ) throws {
      let few = try Self.work(load, count: Self.counts.few, body)
      let many = try Self.work(load, count: Self.counts.many, body)
      #expect(few > 0)
      #expect(Double(many) <= Self.growth * Double(few), "\(name) of \(load): \(few), \(many)")
    }

    private static func work(
      _ load: BusyRecipient.Load, count: Int, _ body: (inout BusyRecipient) throws -> Void
    ) throws -> Int {
      var person = try BusyRecipient(load, count: count)
      let meter = WorkMeter()
      try Work.$meter.withValue(meter) { try body(&person) }
      return meter.total
    }

    @Test(arguments: BusyRecipient.Load.allCases)
    func `H6: one more event costs linear work`(load: BusyRecipient.Load) throws {
      try expectLinear(load, "a request") { $0.take(try $0.request(-1, at: $0.last)) }
      try expectLinear(load, "a booking") { $0.take(try $0.booking(0, at: $0.last)) }
      try expectLinear(load, "a cancellation") {
        $0.take(try $0.event("notification.cancelled", ["notification": "request 1"], id: "no"))
      }
    }

    @Test(arguments: BusyRecipient.Load.allCases)
    func `H6: firing one occurrence or all costs linear work`(load: BusyRecipient.Load) throws {
      try expectLinear(load, "firing one") { _ = $0.fire(at: $0.first) }
      try expectLinear(load, "firing all") { person in
        let firings = person.fire(at: person.last + .days(10))
        #expect(firings.count >= Self.counts.few)
      }
    }

    @Test(arguments: BusyRecipient.Load.allCases)
    func `H6: queries cost linear work`(load: BusyRecipient.Load) throws {
      try expectLinear(load, "pending") { person in
        let pending = person.recipient.pending(now: person.now, planner: person.planner)
        #expect(pending.count > Self.counts.few)
      }
      try expectLinear(load, "the days ahead") { person in
        let firings = person.recipient.simulatedFirings(
          from: person.now, through: person.now + .days(14), planner: person.planner)
        #expect(firings.count > Self.counts.few)
      }
      try expectLinear(load, "an explanation") { person in
        let reminder = load.isOfRequests ? Reminder.requested : "note-one"
        _ = try person.recipient.explain(
          .pending(reminder: reminder), now: person.now, planner: person.planner)
        _ = try person.recipient.explain(
          .hypothetical(category: "NOTE", at: person.now + .days(10)), now: person.now,
          planner: person.planner)
      }
    }

    private static let changes: [(String, JSONValue)] = [
      ("preferences.updated", ["caps": ["perDay": 1], "bundling": ["threshold": 0]]),
      ("preferences.updated", ["caps": ["minInterval": "1h"], "bundling": ["threshold": 0]]),
      ("preferences.updated", ["caps": ["perDay": 1]]),
      ("recipient.updated", ["timezone": "Asia/Tokyo"]), ("vacation.ended", [:]),
    ]

    @Test(arguments: BusyRecipient.Load.allCases, 0..<5)
    func `H6: changes and their consequences cost linear work`(
      load: BusyRecipient.Load, change: Int
    ) throws {
      let (type, data) = Self.changes[change]
      try expectLinear(load, "\(type)") { $0.take(try $0.event(type, data, id: "change")) }
      guard type == "preferences.updated" else { return }
      try expectLinear(load, "the consequences of \(data)") { person in
        _ = person.recipient.consequences(
          of: [try person.event(type, data, id: "change")], now: person.now,
          planner: person.planner)
      }
    }

    @Test(arguments: BusyRecipient.Load.allCases)
    func `H6: replanning and rewinding cost linear work`(load: BusyRecipient.Load) throws {
      try expectLinear(load, "another catalog") { person in
        var recipient = person.recipient
        recipient.replan(from: person.planner, to: person.planner, now: person.now)
      }
      try expectLinear(load, "a clock that was set back") { person in
        _ = person.fire(at: person.last)
        person.rewind(to: person.first - .hours(1))
      }
    }

    /// Many occurrences of low urgency are due at one instant. As many urgent occurrences are due a
    /// minute apart.
    @Test func `H6: firing occurrences that wait for more urgent ones costs linear work`() throws {
      func work(_ count: Int) throws -> Int {
        var player = Player(
          planner: try Fixtures.planner(catalog: SlotDay.catalog), now: try utc("2026-03-02 06:00"))
        try player.take(
          "preferences.updated", ["caps": ["minInterval": "90s"], "bundling": ["threshold": 0]])
        for index in 0..<count {
          try player.takeRequest("HIGH", at: player.now + .minutes(60 + index))
          try player.takeRequest("LOW", at: player.now + .minutes(60) + .seconds(1))
        }
        let meter = WorkMeter()
        Work.$meter.withValue(meter) { player.jump(to: player.now + .minutes(60) + .seconds(2)) }
        return meter.total
      }
      let (few, many) = (try work(120), try work(480))
      #expect(Double(many) <= Self.growth * Double(few), "\(few), \(many)")
    }

    /// A fortnight of the whole wellness program with appointments. A cap of 12 can be reached, and
    /// many occurrences wait for a cap of 2. A waiting occurrence is processed once more when it
    /// expires (rule V13).
    @Test(arguments: [12, 2])
    func `H6: caps increase the work per firing by at most a quarter`(perDay: Int64) throws {
      let uncapped = try Self.fortnight(caps: ["perDay": nil])
      let capped = try Self.fortnight(caps: ["perDay": .integer(perDay), "minInterval": "15m"])
      #expect(uncapped.work > 1_000)
      let (cost, uncappedCost) = (
        capped.work / capped.firingCount, uncapped.work / uncapped.firingCount
      )
      #expect(Double(cost) <= 1.25 * Double(uncappedCost), "\(uncapped), \(capped)")
      #expect(capped.firingCount <= 2 * uncapped.firingCount, "\(uncapped), \(capped)")
    }

    /// Returns the counted operations of a fortnight, and its number of firings.
    private static func fortnight(caps: JSONValue) throws -> (work: Int, firingCount: Int) {
      var player = Player(
        planner: try Fixtures.planner(catalog: Fixtures.shipped("wellness")),
        now: try utc("2026-03-02 06:00"))
      let medication: JSONValue = ["medication": ["enabled": true], "snacks": ["enabled": true]]
      try player.take("preferences.updated", ["caps": caps, "reminders": medication])
      for day in 1...6 {
        let at = player.now + .days(2 * day) + .hours(8)
        try player.take(
          "appointment.booked",
          [
            "appointment": .string("\(day)"), "at": .string(at.description),
            "provider": "Dr. Adler",
          ])
      }
      var (recipient, due) = (player.recipient, player.nextDue)
      let (planner, end) = (player.planner, player.now + .days(14))
      let meter = WorkMeter()
      var firingCount = 0
      Work.$meter.withValue(meter) {
        while let now = due, now < end {
          due = recipient.fire(now: now, planner: planner).schedule.due
          firingCount += 1
        }
      }
      return (meter.total, firingCount)
    }

    @Test(arguments: BusyRecipient.Load.allCases)
    func `H6: rows grow linearly with pending occurrences`(load: BusyRecipient.Load) throws {
      let (few, many) = (
        try BusyRecipient(load, count: Self.counts.few),
        try BusyRecipient(load, count: Self.counts.many)
      )
      let sizes = [few, many].map {
        $0.recipient.facts.encoded.count + $0.recipient.progress.encoded.count
      }
      #expect(Double(sizes[1]) <= Self.growth * Double(sizes[0]))
    }
  }

  extension Player {
    /// Reports a request for a notification that expires after twelve hours.
    fileprivate mutating func takeRequest(_ category: String, at instant: Instant) throws {
      try take(
        "notification.requested",
        [
          "category": .string(category), "title": "t", "body": "b",
          "at": .string(instant.description), "expires": "12h",
        ])
    }
  }
#endif
