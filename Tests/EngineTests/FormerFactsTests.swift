import CivilTime
import JSON
import Reminders
import Store
import TestSupport
import Testing

@testable import Engine

/// Rule H30: the facts of past instants follow from the base and the stored events.
@Suite struct FormerFactsTests {
  private func stage(_ planner: Planner, at start: String, events days: Int) throws -> Stage {
    let stage = try Stage(planner: planner, at: start)
    var retention = Retention()
    retention.events = .days(days)
    try stage.core().maintenance.pruning.retention = retention
    return stage
  }

  private func former(_ name: String, in stage: Stage) throws -> (FormerFacts, FactBase?)? {
    try stage.core().store.commit { transaction in
      guard let stored = try transaction.recipient(named: name) else { return nil }
      let base = try transaction.factBases(of: [stored.row])[stored.row]
      let history = try #require(
        try transaction.events(through: stored.lastEvent, receivedBy: stage.now, limit: 10_000))
      #expect(history.isComplete == (base == nil))
      return (FormerFacts(of: stored.recipient, base: base, events: history.events), base)
    }
  }

  /// The facts of each day are noted while the service runs, and computed again at the end, when
  /// the store has removed the events of the first days.
  @Test(arguments: Seeds.all)
  func `H30: the facts of a past instant are those that the service had`(seed: UInt64) throws {
    let population = try Population(
      seed: seed, days: 24, isErasing: false, planner: try Fixtures.smartPlanner())
    let stage = try stage(population.planner, at: "2026-01-01 00:00", events: 6)
    let names = Set(population.events.map(\.recipient)).sorted()
    var notes: [(at: Instant, name: String, facts: Facts?)] = []
    try stage.play(population) {
      guard notes.last.map({ stage.now - $0.at >= .hours(5) }) ?? true else { return }
      for name in names {
        notes.append((stage.now, name, try stage.stored(name)?.recipient.facts))
      }
    }
    try stage.run(to: stage.now + .hours(7))
    var (comparisonCount, baseCount) = (0, 0)
    for name in names {
      guard let (former, base) = try former(name, in: stage) else { continue }
      baseCount += base == nil ? 0 : 1
      for note in notes where note.name == name {
        guard let noted = note.facts,
          let facts = former.facts(at: note.at, by: { _ in population.planner })
        else { continue }
        comparisonCount += 1
        #expect(facts.facts == noted, "seed \(seed): \(name) at \(note.at)")
        #expect(facts.unreadableCount == 0)
      }
    }
    #expect(comparisonCount > 20 && baseCount > 0, "seed \(seed): \(comparisonCount), \(baseCount)")
  }

  @Test func `H30: facts from before the latest removed event are not known`() throws {
    let stage = try stage(try Fixtures.planner(), at: "2026-03-01 09:00", events: 9)
    try stage.take("lesson.completed", ["day": 1])
    try stage.run(to: "2026-03-04 09:00")
    try stage.take("lesson.completed", ["day": 2])
    try stage.run(to: "2026-03-11 09:00")
    let planner = stage.planner
    let (former, base) = try #require(try former("amina", in: stage))
    #expect(base?.through == (try utc("2026-03-01 09:00")))
    #expect(former.start == (try utc("2026-03-01 09:00")))
    func highest(_ time: String) throws -> Int64? {
      let facts = former.facts(at: try utc(time), by: { _ in planner })?.facts
      return facts?.mark(Symbol("lesson.completed"))?.peak?.number
    }
    #expect(try highest("2026-03-01 08:59") == nil)
    #expect(try highest("2026-03-01 09:00") == 1)
    #expect(try highest("2026-03-04 08:59") == 1)
    #expect(try highest("2026-03-04 09:00") == 2)
  }

  /// The chain of stored events does not lead to a waiting request behind a removed event.
  @Test func `H30: a waiting request is among the facts although later events are removed`() throws
  {
    let stage = try stage(
      try Fixtures.planner(catalog: Fixtures.notes()), at: "2026-03-01 09:00", events: 9)
    try stage.take(
      "notification.requested",
      ["category": "NOTE", "title": "T", "body": "B", "at": "2026-06-01T09:00:00Z"])
    try stage.take("recipient.updated", ["timezone": "Asia/Tokyo"])
    try stage.run(to: "2026-03-12 09:00")
    let planner = stage.planner
    let (former, base) = try #require(try former("amina", in: stage))
    #expect(base?.facts.zoneName == "Asia/Tokyo")
    #expect(base?.facts.requests.count == 0)
    let facts = try #require(former.facts(at: try utc("2026-03-10 09:00"), by: { _ in planner }))
    #expect(facts.facts.requests.count == 1)
    #expect(facts.facts.zoneName == "Asia/Tokyo")
  }

  /// A request was pending for a part of the retention, and its event is removed once it is
  /// finished.
  @Test func `H30: a finished request stays in the base until it expired before the retention`()
    throws
  {
    let stage = try stage(
      try Fixtures.planner(catalog: Fixtures.notes()), at: "2026-03-01 09:00", events: 9)
    try stage.take(
      "notification.requested",
      [
        "category": "NOTE", "title": "T", "body": "B", "at": "2026-03-14T09:00:00Z",
        "expires": "1h",
      ])
    try stage.run(to: "2026-03-15 09:00")
    #expect(try former("amina", in: stage)?.1?.facts.requests.count == 1)
    try stage.run(to: "2026-03-22 09:00")
    #expect(try former("amina", in: stage)?.1?.facts.requests.count == 1)
    // No event arrives that would be folded into the base.
    try stage.run(to: "2026-03-24 09:00")
    #expect(try former("amina", in: stage)?.1?.facts.requests.count == 0)
  }

  /// Apps may request notifications that are sent at once and expire late.
  @Test func `H34: a base has as many requests as may be pending, those planned last`() throws {
    let planner = try Fixtures.planner(catalog: Fixtures.notes())
    let time = try utc("2026-03-01 09:00")
    let requests = (1...Int64(Facts.requestsMax) + 2).map { order in
      let at = time + .minutes(2_000 - Int(order))
      let data = #"{"category":"NOTE","title":"T","body":"B","expires":"30d","at":"\#(at)"}"#
      return StoredEvent(
        order: order, received: time, source: "test", identifier: "\(order)",
        type: "notification.requested", time: time, isTimeGiven: true, data: Array(data.utf8))
    }
    var base = FactBase()
    base.fold(requests, of: "amina") { _ in planner }
    base.forgetRequests(expiredBefore: time)
    #expect(base.unreadableCount == 0 && base.facts.requests.count == Facts.requestsMax)
    let kept = requests.map(\.order).filter { base.facts.request($0) != nil }
    #expect(kept == Array(1...Int64(Facts.requestsMax)))
  }

  /// The stored series has the current name of a renamed reminder.
  @Test func `H30: an ended series has the name that its reminder had at the instant`() throws {
    let stage = try stage(
      try Fixtures.planner(catalog: Fixtures.notes()), at: "2026-03-01 09:00", events: 9)
    try stage.take("pending.cancelled", ["reminder": "note", "series": true])
    try stage.run(to: "2026-03-02 09:00")
    let renamed = Fixtures.notes(reminder: "other").replacing(
      "expires: 12h", with: "expires: 12h\n    was: note")
    let (notes, other) = (stage.planner, try Fixtures.planner(catalog: renamed))
    try stage.plan(with: other)
    try stage.run(to: "2026-03-03 09:00")
    let (former, _) = try #require(try former("amina", in: stage))
    func stopped(_ time: String) throws -> [Symbol]? {
      let change = try utc("2026-03-02 09:00")
      let facts = former.facts(at: try utc(time), by: { $0 < change ? notes : other })
      return facts?.facts.stops.map(\.reminder)
    }
    #expect(try stopped("2026-03-02 08:00") == [Symbol("note")])
    #expect(try stopped("2026-03-03 08:00") == [Symbol("other")])
    #expect(try stage.stored()?.recipient.facts.stops.map(\.reminder) == [Symbol("other")])
  }

  @Test func `H30: a base lists the earlier events in their order`() throws {
    var base = FactBase()
    base.link(to: [7, 3], without: [])
    let bytes = base.encoded
    let decoded = try bytes.withUnsafeBytes { try FactBase(decoding: $0) }
    #expect(decoded.earlierEvents == [3, 7])
  }

  @Test func `H30: an event that no catalog can read is counted and not guessed`() throws {
    let visits = try Fixtures.planner(catalog: Fixtures.shortVisits(expires: "1h"))
    let notes = try Fixtures.planner(catalog: Fixtures.notes())
    let time = try utc("2026-03-01 09:00")
    func event(_ order: Int64, _ type: String, _ data: String) -> StoredEvent {
      StoredEvent(
        order: order, received: time, source: "test", identifier: "\(order)", type: type,
        time: time, isTimeGiven: true, data: Array(data.utf8))
    }
    let events = [
      event(1, "visit", #"{"visit":"a"}"#), event(2, "recipient.updated", #"{"locale":"de"}"#),
    ]
    var base = FactBase()
    base.fold(events, of: "amina") { _ in notes }
    #expect(base.unreadableCount == 1)
    #expect(base.facts.profile(.locale) == "de")
    var complete = FactBase()
    complete.fold(events, of: "amina") { _ in visits }
    #expect(complete.unreadableCount == 0)
    #expect(complete.facts.item(Symbol("visit"), "a") != nil)
    var later = FactBase()
    later.fold(events, of: "amina", by: { _ in visits }, isOfItsTime: { _ in false })
    #expect(later.unreadableCount == 1, "a report depends on the catalog, a profile does not")
    #expect(later.facts == complete.facts)
    let decoded = try complete.encoded.withUnsafeBytes { try FactBase(decoding: $0) }
    #expect(decoded == complete)
  }
}
