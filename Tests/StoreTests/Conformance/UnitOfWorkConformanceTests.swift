import Access
import CivilTime
import Reminders
import Store
import Testing

/// Every store's units of work, snapshots and notes.
@Suite struct UnitOfWorkConformanceTests {
  @Test(arguments: StoreKind.allCases)
  func `a failed unit of work leaves nothing behind`(_ kind: StoreKind) throws {
    let stage = try PortStage(kind, of: "amina")
    #expect(throws: StoreError.self) {
      try stage.store.commit { transaction in
        try stage.take(Fixtures.event("2", recipient: "bilal"), in: transaction)
        var batch = try transaction.recipients(rows: [1])
        _ = try transaction.record([Fixtures.record(key: 1)], of: &batch)
        try transaction.saveNote("word", "written")
        try transaction.save(lanes: [
          "one": StoredLane(cursor: 0, channels: .all, lastDispatched: 0)
        ])
        throw StoreError.full(reason: "no room")
      }
    }
    #expect(try stage.read { try $0.recipient(named: "bilal") } == nil)
    let page = try stage.read { try $0.notifications(of: 1, after: 0, limit: 9) }
    #expect(page.notifications.isEmpty)
    #expect(try stage.read { try $0.note("word") } == nil)
    #expect(try stage.store.commit { try $0.lanes() }.isEmpty)
    #expect(try stage.take(Fixtures.event("2", recipient: "bilal")).isNew)
    // A store may skip the numbers of rows that were rolled back.
    #expect(try stage.record(Fixtures.record(key: 1)) == [stage.store.lastNotification])
  }

  @Test(arguments: StoreKind.allCases)
  func `a unit of work reads its own writes`(_ kind: StoreKind) throws {
    let stage = try PortStage(kind, of: "amina")
    try stage.store.commit { transaction in
      let event = Fixtures.event("2", recipient: "bilal")
      try stage.take(event, in: transaction)
      #expect(try transaction.match(event, at: nil).isSame)
      #expect(try transaction.recipient(named: "bilal")?.row == 2)
      #expect(try transaction.orders(of: [event.identity]) == [2])
      #expect(try transaction.events(orders: [2]).map(\.identifier) == ["2"])
    }
  }

  /// A store of one process has no fleet, or a fleet of that process alone.
  @Test(arguments: StoreKind.allCases)
  func `F1: a store of one process has no other node in its fleet`(_ kind: StoreKind) throws {
    let stage = try PortStage(kind)
    let fleet = try stage.read { try $0.fleet() }
    #expect((fleet == nil) == (kind != .postgresql))
    #expect(fleet.map { $0.members.map(\.incarnation) == [$0.ownIncarnation] } ?? true)
    #expect(fleet?.free.isEmpty ?? true)
    let decision = try stage.store.commit { try $0.drain("test", true) }
    #expect(decision == fleet.flatMap { $0.members.first }.map(DrainDecision.last))
  }

  @Test(arguments: StoreKind.allCases)
  func `H6: a snapshot does not change`(_ kind: StoreKind) throws {
    let stage = try PortStage(kind, of: "amina")
    try stage.read { reader in
      #expect(try reader.latestNotification() == 0)
      try stage.record(Fixtures.record(key: 1))
      #expect(try reader.latestNotification() == 0)
      #expect(try reader.recipient(row: 1)?.counts.head == 0)
      #expect(try stage.counts().head == 1)
    }
    #expect(try stage.read { try $0.latestNotification() } == 1)
  }

  @Test(arguments: StoreKind.allCases)
  func `a store that is shut down cannot be read`(_ kind: StoreKind) throws {
    let stage = try PortStage(kind, of: "amina")
    try stage.store.shutDown()
    #expect(throws: StoreError.self) { try stage.read { try $0.note("word") } }
  }

  @Test(arguments: StoreKind.allCases)
  func `notes are replaced`(_ kind: StoreKind) throws {
    let stage = try PortStage(kind)
    try stage.store.commit { try $0.save(notes: ["a": "1", "b": "2"]) }
    try stage.store.commit { try $0.saveNote("a", "3") }
    #expect(
      try stage.read { [try $0.note("a"), try $0.note("b"), try $0.note("c")] }
        == ["3", "2", nil])
  }

  @Test(arguments: StoreKind.allCases)
  func `T6: trusting the clock sets the remembered latest time`(_ kind: StoreKind) throws {
    let stage = try PortStage(kind)
    func newest() throws -> Instant? { try stage.store.commit { try $0.newestRecord() } }
    #expect(try newest() == nil)
    try stage.take(Fixtures.event(), received: Fixtures.noon + .hours(5))
    try stage.record(Fixtures.record(key: 1))
    #expect(try newest() == Fixtures.noon + .hours(5))
    try stage.store.commit { try $0.trustClock(at: Fixtures.noon) }
    #expect(try newest() == Fixtures.noon)
    try stage.record(Fixtures.record(key: 2))
    #expect(try newest() == Fixtures.noon + .seconds(1))
  }

  @Test(arguments: StoreKind.allCases)
  func `tokens are replaced, and erased with their recipient`(_ kind: StoreKind) throws {
    let stage = try PortStage(kind, of: "amina")
    let adminToken = TokenRecord(
      identifier: "a", name: "one", scope: .administrator, digest: [1], created: Fixtures.noon)
    let recipientToken = TokenRecord(
      identifier: "b", name: "two", scope: .recipient("amina"), digest: [2],
      created: Fixtures.noon + .seconds(1))
    var revoked = adminToken
    (revoked.revoked, revoked.lastUse) = (Fixtures.noon, Fixtures.noon)
    try stage.store.commit { try $0.save(tokens: [recipientToken, adminToken]) }
    try stage.store.commit { try $0.save(tokens: [revoked]) }
    #expect(try stage.store.commit { try $0.tokens() } == [revoked, recipientToken])
    #expect(try stage.store.commit { try $0.token(recipientToken.identifier) } == recipientToken)
    #expect(try stage.store.commit { try $0.token("unknown") } == nil)
    try stage.erase()
    #expect(try stage.store.commit { try $0.tokens() } == [revoked])
  }

  @Test(arguments: StoreKind.allCases)
  func `M1: analytics events are paged in the order of writing`(_ kind: StoreKind) throws {
    let stage = try PortStage(kind, of: "amina", "bilal")
    for row in [UInt32(1), 2, 1] {
      let event = AnalyticsEvent(time: Fixtures.noon, name: "of \(row)", parameters: [])
      try stage.store.commit { try $0.append([event, event], of: row) }
    }
    func page(_ row: UInt32?, _ after: Int64, _ limit: Int) throws -> [Int64] {
      try stage.read { try $0.analytics(of: row, after: after, limit: limit) }.map(\.number)
    }
    #expect(try page(nil, 0, 4) == [1, 2, 3, 4])
    #expect(try page(nil, 4, 4) == [5, 6])
    #expect(try page(1, 1, 2) == [2, 5])
    #expect(
      try stage.read { try $0.analytics(of: 2, after: 0, limit: 1) }.map(\.recipient)
        == ["bilal"])
  }

  @Test(arguments: StoreKind.allCases)
  func `M2: usage counts are summed by the hour of the day`(_ kind: StoreKind) throws {
    let stage = try PortStage(kind)
    let days = (1...3).map { LocalDate(daysSinceEpoch: 20_000 + $0) }
    for day in days {
      let key = UsageKey(
        .delivered, at: LocalHour(date: day, hour: 7), category: "NOTE", channel: .push)
      try stage.store.commit { try $0.add([key: 2]) }
      try stage.store.commit { try $0.add([key: 1]) }
    }
    let table = try stage.read { try $0.usage(from: days[0], through: days[1]) }
    #expect(table.rows.map { $0.counts } == [[.delivered: 6]])
    #expect(table.rows.map(\.hour) == [7])
  }

  @Test(arguments: StoreKind.allCases)
  func `H7: usage counts are pruned by whole dates`(_ kind: StoreKind) throws {
    let stage = try PortStage(kind)
    for day in [20_000, 20_001, 20_002] {
      for hour in [7, 8] {
        let at = LocalHour(date: LocalDate(daysSinceEpoch: day), hour: hour)
        let key = UsageKey(.delivered, at: at, category: "NOTE", channel: .push)
        try stage.store.commit { try $0.add([key: 1]) }
      }
    }
    // Two days after its start in UTC, the second date has ended in every zone.
    let threshold = Prunable.start(of: 20_003) + .milliseconds(1)
    let age = Age(before: threshold, now: threshold + .days(800))
    let found = try stage.read {
      try $0.prunable(.usage, by: age, after: 20_000, limit: 9) { _, _, _ in false }
    }
    #expect(found == Prunable(usage: 2, on: 20_001))
    var (cursor, removed): (Int64?, [Int]) = (0, [])
    while let start = cursor {
      let pruned = try stage.store.prune(.usage, by: age, after: start, limit: 9) { _, _, _ in
        false
      }
      (cursor, removed) = (pruned.cursor, removed + [pruned.removed])
    }
    #expect(removed == [2, 2, 0])
    let days = (LocalDate(daysSinceEpoch: 20_000), LocalDate(daysSinceEpoch: 20_009))
    let table = try stage.read { try $0.usage(from: days.0, through: days.1) }
    #expect(table.rows.map { $0.counts } == [[.delivered: 1], [.delivered: 1]])
  }
}
