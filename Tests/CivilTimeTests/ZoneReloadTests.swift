import CivilTime
import TestSupport
import Testing

/// A running program follows changed files by reading a new snapshot.
@Suite struct ZoneReloadTests {
  let directory: TemporaryDirectory
  let summer: Instant

  init() throws {
    directory = try TemporaryDirectory()
    summer = try #require(Instant("2026-07-15T12:00:00Z"))
    try directory.makeDirectory("Test")
    try directory.copyZone("Europe/Paris", to: "Test/City")
    try directory.copyZone("Asia/Tokyo", to: "Test/Other")
  }

  private func snapshot(_ generation: Int) throws -> ZoneDatabase {
    try ZoneDatabase(directory: directory.path, generation: generation)
  }

  @Test func `a new snapshot has the changed rules`() throws {
    let old = try snapshot(1)
    let oldZone = try old.zone(named: "Test/City")
    try directory.copyZone("America/New_York", to: "Test/City")
    let new = try snapshot(2)
    let newZone = try new.zone(named: "Test/City")
    #expect(oldZone.offsetSeconds(at: summer) == 7_200)
    #expect(newZone.offsetSeconds(at: summer) == -14_400)
    #expect(try old.zone(named: "Test/City").offsetSeconds(at: summer) == 7_200)
    #expect(oldZone != newZone)
    #expect(old.generation == 1 && new.generation == 2)
  }

  @Test func `a snapshot keeps its rules, also for zones that it has not yet used`() throws {
    let old = try snapshot(1)
    try directory.copyZone("America/New_York", to: "Test/City")
    #expect(try old.zone(named: "Test/City").offsetSeconds(at: summer) == 7_200)
  }

  @Test func `a new name is in the next snapshot only`() throws {
    let old = try snapshot(1)
    try directory.copyZone("Europe/Rome", to: "Test/New")
    #expect(throws: UnknownZoneError.self) { try old.zone(named: "Test/New") }
    #expect(try snapshot(2).names == ["Test/City", "Test/New", "Test/Other"])
  }

  @Test func `unchanged zones stay equal`() throws {
    let old = try snapshot(1)
    try directory.copyZone("America/New_York", to: "Test/City")
    let new = try snapshot(2)
    #expect(try old.zone(named: "Test/Other") == new.zone(named: "Test/Other"))
    try directory.copyZone("Europe/Paris", to: "Test/City")
    #expect(try old.zone(named: "Test/City") == snapshot(3).zone(named: "Test/City"))
  }

  /// Two databases may have the same names with different rules, and equal generations.
  @Test func `databases of different directories keep their own rules`() throws {
    let other = try TemporaryDirectory()
    try other.makeDirectory("Test")
    try other.copyZone("Asia/Kolkata", to: "Test/City")
    let one = try snapshot(1).zone(named: "Test/City")
    let two = try ZoneDatabase(directory: other.path, generation: 1).zone(named: "Test/City")
    #expect(one.offsetSeconds(at: summer) == 7_200)
    #expect(two.offsetSeconds(at: summer) == 19_800)
  }

  @Test func `two names with the same rules are two zones`() throws {
    try directory.copyZone("Europe/Paris", to: "Test/Other")
    let database = try snapshot(1)
    #expect(try database.zone(named: "Test/Other") != database.zone(named: "Test/City"))
  }
}
