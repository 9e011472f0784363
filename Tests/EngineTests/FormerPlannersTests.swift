import CivilTime
import JSON
import Reminders
import Store
import TestSupport
import Testing

@testable import Engine

/// Rule H31: the catalogs and settings of the past are known for as long as the events.
@Suite struct FormerPlannersTests {
  private func adoptions(_ stage: Stage) throws -> [Adoption] {
    try stage.core().store.commit { try $0.adoptions() }
  }

  private func former(_ stage: Stage) throws -> FormerPlanners {
    let store = try stage.core().store
    let adoptions = try adoptions(stage)
    var texts: [String: String] = [:]
    for adoption in adoptions {
      texts[adoption.catalogs] = try store.readers.read { reader in
        try reader.adoptedText(of: adoption.catalogs)
      }
    }
    return FormerPlanners(current: stage.planner, adoptions: adoptions) { [texts] in texts[$0] }
  }

  private func planner(at time: String, in stage: Stage) throws -> Planner? {
    if case .known(let planner, _) = try former(stage).planner(at: utc(time)) { return planner }
    return nil
  }

  @Test func `H31: a start and a reload are recorded only if they decide differently`() throws {
    let notes = try Fixtures.planner(catalog: Fixtures.notes())
    let stage = try Stage(planner: notes, at: "2026-03-01 09:00")
    try stage.restart(at: utc("2026-03-02 09:00"))
    try stage.run(to: "2026-03-03 09:00")
    try stage.plan(with: Fixtures.planner(catalog: Fixtures.notes(at: "13:00")))
    try stage.run(to: "2026-03-04 09:00")
    let tokyo = try Fixtures.planner(
      catalog: Fixtures.notes(at: "13:00"), defaultZone: "Asia/Tokyo")
    try stage.restart(planner: tokyo)
    try stage.run(to: "2026-03-05 09:00")
    #expect(
      try adoptions(stage).map { $0.at.description.prefix(10) } == [
        "2026-03-01", "2026-03-03", "2026-03-04",
      ])
    #expect(try planner(at: "2026-03-01 08:59", in: stage) == nil)
    let first = try #require(try planner(at: "2026-03-02 23:00", in: stage))
    #expect(first.catalog.storedText == notes.catalog.storedText)
    #expect(first.defaultZone.name == "UTC")
    let second = try #require(try planner(at: "2026-03-03 09:00", in: stage))
    #expect(second.catalog.storedText == tokyo.catalog.storedText)
    #expect(second.defaultZone.name == "UTC")
    #expect(try planner(at: "2026-03-05 09:00", in: stage)?.defaultZone.name == "Asia/Tokyo")
  }

  @Test func `H31: the addresses that channels need and channels without sinks are recorded`()
    throws
  {
    let planner = try Fixtures.planner(catalog: Fixtures.notes())
    let other = Planner(
      catalog: planner.catalog, zones: planner.zones, defaultZone: planner.defaultZone,
      requirements: [.push: .device, .sms: .phone], unroutedChannels: ChannelSet(.email))
    let adoption = Adoption(of: other, at: try utc("2026-03-01 09:00"))
    #expect(!adoption.decides(like: Adoption(of: planner, at: adoption.at)))
    let read = try #require(adoption.planner(with: planner.catalog, like: planner))
    #expect(read.requirements == [.push: .device, .sms: .phone])
    #expect(read.unroutedChannels == ChannelSet(.email))
    #expect(Adoption(of: read, at: adoption.at) == adoption)
  }

  @Test func `H31: adoptions are removed when events of their time are`() throws {
    let stage = try Stage(
      planner: Fixtures.planner(catalog: Fixtures.notes()), at: "2026-03-01 09:00")
    var retention = Retention()
    retention.events = .days(9)
    try stage.core().maintenance.pruning.retention = retention
    try stage.run(to: "2026-03-05 09:00")
    try stage.plan(with: Fixtures.planner(catalog: Fixtures.notes(at: "13:00")))
    try stage.run(to: "2026-03-13 09:00")
    #expect(try adoptions(stage).count == 2)
    try stage.run(to: "2026-03-15 09:00")
    let last = try #require(try adoptions(stage).first)
    #expect(try adoptions(stage).count == 1)
    #expect(last.at.description.prefix(10) == "2026-03-05")
  }

  @Test func `H31: an adoption replaces those that a clock ahead of it recorded`() throws {
    let notes = try Fixtures.planner(catalog: Fixtures.notes())
    let other = try Fixtures.planner(catalog: Fixtures.notes(at: "13:00"))
    let stage = try Stage(planner: notes, at: "2026-03-01 09:00")
    func recorded(_ planner: Planner, at time: String) throws -> [Bool] {
      try stage.core().store.commit { transaction in
        try transaction.recordAdoption(of: planner, at: try utc(time))
        return try transaction.adoptions().map { $0.catalogs == notes.catalog.fingerprint }
      }
    }
    #expect(try recorded(other, at: "2027-03-01 09:00") == [true, false])
    #expect(try recorded(notes, at: "2026-03-02 09:00") == [true, true])
    #expect(try recorded(other, at: "2026-03-03 09:00") == [true, false, false])
  }

  /// The current catalog does not declare the event's type.
  @Test func `H30: a removed event is read by the catalog of its time`() throws {
    let visits = try Fixtures.planner(catalog: Fixtures.shortVisits(expires: "1h"))
    let stage = try Stage(planner: visits, at: "2026-03-01 09:00")
    var retention = Retention()
    retention.events = .days(9)
    try stage.core().maintenance.pruning.retention = retention
    try stage.take("visit", ["visit": "a"])
    try stage.run(to: "2026-03-05 09:00")
    try stage.plan(with: Fixtures.planner(catalog: Fixtures.notes()))
    try stage.run(to: "2026-03-12 09:00")
    let base = try stage.core().store.commit { transaction in
      let row = try #require(try transaction.recipient(named: "amina")).row
      return try #require(try transaction.factBases(of: [row])[row])
    }
    #expect(base.unreadableCount == 0)
    #expect(base.facts.item(Symbol("visit"), "a") != nil)
  }
}
