import TestSupport
import Testing

@testable import CivilTime

/// Rule T9: a zone that the system has lost keeps its last known rules.
@Suite struct LastKnownZoneTests {
  private let directory: TemporaryDirectory
  private let summer: Instant

  init() throws {
    directory = try TemporaryDirectory()
    summer = try #require(Instant("2026-07-15T12:00:00Z"))
    try directory.makeDirectory("Test")
    try directory.copyZone("Europe/Paris", to: "Test/City")
    try directory.copyZone("Asia/Tokyo", to: "Test/Other")
  }

  private func database(after archive: ZoneArchive = ZoneArchive()) throws -> ZoneDatabase {
    try ZoneDatabase(directory: directory.path, generation: 1, lastKnown: archive)
  }

  private var tornFile: [UInt8] {
    get throws {
      let content = try TemporaryDirectory.content(ofZone: "Europe/Paris")
      return Array(content.prefix(content.count - 5))
    }
  }

  @Test func `T9: a lost zone keeps its last known rules and has a fault`() throws {
    let first = try database()
    #expect(first.faults.isEmpty)
    try directory.removeZone("Test/City")
    let second = try database(after: first.archive)
    #expect(try second.zone(named: "Test/City").offsetSeconds(at: summer) == 7_200)
    #expect(second.changes(since: first).isEmpty)
    let fault = try #require(second.faults.first)
    #expect(fault == second.fault(of: "Test/City") && second.faults.count == 1)
    #expect(
      fault.description == "the time zone database has no zone \"Test/City\", and its last known "
        + "rules apply; install the package tzdata-legacy, or report another zone")
    let third = try database(after: second.archive)
    #expect(try third.zone(named: "Test/City").offsetSeconds(at: summer) == 7_200)
    try directory.copyZone("America/New_York", to: "Test/City")
    let fourth = try database(after: third.archive)
    #expect(try fourth.zone(named: "Test/City").offsetSeconds(at: summer) == -14_400)
    #expect(fourth.faults.isEmpty && fourth.changes(since: third) == ["Test/City"])
  }

  @Test func `T9: a zone with a torn file keeps its last known rules`() throws {
    let first = try database()
    try directory.write(tornFile, to: "Test/City")
    let second = try database(after: first.archive)
    #expect(try second.zone(named: "Test/City").offsetSeconds(at: summer) == 7_200)
    #expect(second.changes(since: first).isEmpty)
    #expect(
      second.faults.map(\.description) == [
        "the file \(directory.path)/Test/City of the time zone database is damaged, and its last "
          + "known rules apply; reinstall the package tzdata"
      ])
  }

  @Test func `T9: a damaged zone without last known rules is rejected`() throws {
    try directory.write(tornFile, to: "Test/City")
    let zones = try database()
    let error = #expect(throws: UnknownZoneError.self) { try zones.zone(named: "Test/City") }
    #expect(error?.damagedFile == directory.path + "/Test/City")
    #expect(zones.faults.map(\.hasLastKnownRules) == [false])
    #expect(
      zones.fault(of: "Test/Gone")?.description
        == "the time zone database has no zone \"Test/Gone\", and the default zone applies; "
        + "install the package tzdata-legacy, or report another zone")
  }

  @Test(arguments: ["Europe/Paris", "UTC", "America/Sao_Paulo", "Asia/Kolkata"])
  func `T9: a file that is torn at any byte is recognized as damaged`(name: String) throws {
    let content = try TemporaryDirectory.content(ofZone: name)
    #expect(ZoneFile.isWhole(content))
    for count in 0..<content.count {
      let torn = Array(content.prefix(count))
      #expect(!ZoneFile.isWhole(torn), "\(count) bytes")
      // After a crash, a file can have its full length but zeros instead of its contents.
      let padded = torn + [UInt8](repeating: 0, count: content.count - count)
      #expect(!ZoneFile.isWhole(padded), "\(count) bytes and zeros")
    }
  }

  @Test func `T9: every zone file of the system is undamaged`() throws {
    let zones = try SystemZones.database.get()
    #expect(zones.faults.isEmpty)
    for name in zones.names { #expect(zones.fault(of: name) == nil, "\(name)") }
  }

  @Test func `T9: an archive is read as it was written`() throws {
    let archive = try database().archive
    #expect(ZoneArchive(bytes: archive.bytes) == archive)
    #expect(ZoneArchive(bytes: []) == ZoneArchive())
    let bytes = archive.bytes
    for count in 1..<bytes.count {
      let torn = ZoneArchive(bytes: Array(bytes.prefix(count)))
      #expect(torn != archive, "\(count) bytes")
    }
  }
}
