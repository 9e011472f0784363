import CivilTime
import Store
import TestSupport
import Testing

@testable import Reminders

/// Rule H30: the bases of facts, in every kind of store.
@Suite struct FactBaseConformanceTests {
  private let noon = Fixtures.noon

  /// Removes all events that arrived before an instant.
  private func prune(_ stage: PortStage, before end: Instant) throws {
    var cursor: Int64? = 0
    // In its first steps, a store may do other work and remove nothing.
    for _ in 0..<10 {
      cursor =
        try stage.store.prune(
          .events, by: Age(before: end, now: noon + .days(9)), after: cursor ?? 0, limit: 10
        ) { _, _, _ in true }.cursor ?? 0
    }
  }

  private func base(_ row: UInt32, in stage: PortStage) throws -> FactBase? {
    try stage.read { try $0.factBases(of: [1, 2])[row] }
  }

  @Test(arguments: StoreKind.allCases)
  func `H30: removed events are folded into the base of their recipient`(
    _ kind: StoreKind
  ) throws {
    let stage = try PortStage(kind)
    for (hour, name) in [(1, "amina"), (2, "bilal"), (3, "amina"), (4, "amina")] {
      let time = noon + .hours(hour)
      try stage.take(Fixtures.event("\(hour)", recipient: name, time: time))
    }
    #expect(try base(1, in: stage) == nil)
    try prune(stage, before: noon + .hours(2))
    #expect(try base(1, in: stage)?.through == noon + .hours(1))
    #expect(try base(2, in: stage) == nil)
    try prune(stage, before: noon + .hours(4))
    let amina = try #require(try base(1, in: stage))
    let mark = try #require(amina.facts.mark(Symbol("relapse")))
    #expect(mark.first == Stamp(time: noon + .hours(1), order: 1))
    #expect(mark.last == Stamp(time: noon + .hours(3), order: 3))
    #expect(amina.through == noon + .hours(3))
    #expect(amina.unreadableCount == 0)
    #expect(try base(2, in: stage)?.through == noon + .hours(2))
    let history = try stage.read {
      try $0.events(through: 4, receivedBy: noon + .days(1), limit: 10)
    }
    #expect(history?.events.map(\.order) == [4])
    #expect(history?.isComplete == false)
  }

  /// A clock that was ahead received the second event, which is neither old nor young.
  @Test(arguments: StoreKind.allCases)
  func `H30: the base leads to an event that stays behind a removed one`(_ kind: StoreKind) throws {
    let stage = try PortStage(kind)
    for hour in 1...4 {
      let received = noon + (hour == 2 ? .days(30) : .hours(hour))
      try stage.take(Fixtures.event("\(hour)", time: noon + .hours(hour)), received: received)
    }
    try prune(stage, before: noon + .hours(4))
    #expect(try base(1, in: stage)?.earlierEvents == [2])
    let chain = try stage.read {
      try $0.events(through: 4, receivedBy: noon + .days(99), limit: 10)?.events.map(\.order)
    }
    #expect(chain == [4])
    try stage.erase(1)
    let left = try stage.store.commit { try $0.events(orders: [1, 2, 3, 4]) }
    #expect(left.allSatisfy { $0.identifier.isEmpty && $0.data.isEmpty })
  }

  @Test(arguments: StoreKind.allCases)
  func `H30: the base no longer leads to an event that was removed later`(
    _ kind: StoreKind
  ) throws {
    let stage = try PortStage(kind)
    for hour in 1...3 {
      let received = noon + (hour == 2 ? .days(30) : .hours(hour))
      try stage.take(Fixtures.event("\(hour)", time: noon + .hours(hour)), received: received)
    }
    try prune(stage, before: noon + .hours(4))
    #expect(try base(1, in: stage)?.earlierEvents == [2])
    try prune(stage, before: noon + .days(31))
    #expect(try base(1, in: stage)?.earlierEvents == [])
    #expect(try base(1, in: stage)?.facts.mark(Symbol("relapse"))?.last.order == 3)
  }

  @Test(arguments: StoreKind.allCases)
  func `H7: a step removes the events of at most 16 recipients`(_ kind: StoreKind) throws {
    let stage = try PortStage(kind)
    for number in 10..<30 { try stage.take(Fixtures.event("\(number)", recipient: "u\(number)")) }
    var (removed, cursor): ([Int], Int64) = ([], 0)
    // In its first steps, a store may do other work and remove nothing.
    for _ in 0..<6 {
      let step = try stage.store.prune(
        .events, by: Age(before: noon + .hours(1), now: noon + .days(9)), after: cursor, limit: 128
      ) { _, _, _ in true }
      if step.removed > 0 { removed.append(step.removed) }
      cursor = step.cursor ?? 0
    }
    #expect(removed == [16, 4])
  }

  @Test(arguments: StoreKind.allCases)
  func `H4: erasing a recipient removes the base and no other one`(_ kind: StoreKind) throws {
    let stage = try PortStage(kind, of: "amina", "bilal")
    try prune(stage, before: noon + .hours(1))
    #expect(try base(1, in: stage) != nil)
    try stage.erase(1)
    #expect(try base(1, in: stage) == nil)
    #expect(try base(2, in: stage)?.through == noon)
  }

  @Test(arguments: StoreKind.allCases)
  func `H30: a base with many requests is read as it was saved`(_ kind: StoreKind) throws {
    let stage = try PortStage(kind, of: "amina", "bilal")
    try stage.change(2) { transaction, stored in
      var other = stored
      other.request(10...200)
      var base = FactBase()
      base.add(other.recipient.facts.requests.all)
      try transaction.save(base, of: stored)
    }
    let requests = try #require(try base(2, in: stage)?.facts.requests)
    #expect(requests.all.map(\.plan.key) == Array(10...200))
    #expect(requests[57]?.content.title == "No. 57")
  }

  /// The requests of the first two recipients expire a day after they were planned, at noon of the
  /// third day.
  @Test(arguments: StoreKind.allCases)
  func `H30: requests leave a base when they expired before the retention, without other events`(
    _ kind: StoreKind
  ) throws {
    let stage = try PortStage(kind, of: "amina", "bilal", "carla")
    for row: UInt32 in [1, 2, 3] {
      try stage.change(row) { transaction, stored in
        var other = stored
        if row < 3 { other.request(10...12) }
        var base = FactBase()
        base.add(other.recipient.facts.requests.all)
        try transaction.save(base, of: stored)
      }
    }
    func forget(before end: Instant, limit: Int) throws -> Int {
      try stage.store.commit { try $0.forgetRequests(expiredBefore: end, limit: limit) }
    }
    func counts() throws -> [Int] {
      let bases = try stage.read { try $0.factBases(of: [1, 2, 3]) }
      return [1, 2, 3].map { bases[$0]?.facts.requests.count ?? -1 }
    }
    #expect(try forget(before: noon + .days(2), limit: 16) == 0)
    #expect(try counts() == [3, 3, 0])
    let later = noon + .days(2) + .milliseconds(1)
    #expect(try forget(before: later, limit: 1) == 1)
    #expect(try counts().sorted() == [0, 0, 3])
    #expect(try forget(before: later, limit: 2) == 1)
    #expect(try counts() == [0, 0, 0])
    #expect(try forget(before: later, limit: 2) == 0)
  }
}
