import CivilTime
import TestSupport
import Testing

@testable import CivilTime

/// Rule T9: a zone name that the system has moved to another package keeps its rules.
@Suite struct ZoneLinkTests {
  private let directory: TemporaryDirectory
  private let summer: Instant

  init() throws {
    directory = try TemporaryDirectory()
    summer = try #require(Instant("2026-07-15T12:00:00Z"))
    for name in ["Asia", "America"] { try directory.makeDirectory(name) }
    try directory.copyZone("Asia/Kolkata", to: "Asia/Kolkata")
    try directory.copyZone("America/New_York", to: "America/New_York")
  }

  private func database() throws -> ZoneDatabase {
    try ZoneDatabase(directory: directory.path, generation: 1)
  }

  @Test func `T9: a name without a file has the rules of its tzdata.zi link`() throws {
    let rules = """
      # version 2031a
      L America/New_York Test/East
      L Test/East Test/Far
      L Test/Nowhere Test/Lost
      """
    try directory.write(Array(rules.utf8), to: "tzdata.zi")
    let zones = try database()
    for name in ["Test/East", "Test/Far"] {
      let zone = try zones.zone(named: name)
      #expect(zone.name == name && zone.offsetSeconds(at: summer) == -14_400)
      #expect(zones.fault(of: name) == nil)
    }
    #expect(throws: UnknownZoneError.self) { try zones.zone(named: "Test/Lost") }
  }

  @Test(arguments: [("Asia/Calcutta", 19_800), ("US/Eastern", -14_400), ("EST5EDT", -14_400)])
  func `T9: built-in links apply without tzdata.zi`(name: String, offset: Int) throws {
    let zones = try database()
    #expect(try zones.zone(named: name).offsetSeconds(at: summer) == offset)
    #expect(zones.fault(of: name) == nil)
  }

  @Test func `T9: the target of a link replaces its torn file`() throws {
    let content = try TemporaryDirectory.content(ofZone: "Asia/Kolkata")
    try directory.write(Array(content.prefix(content.count / 2)), to: "Asia/Calcutta")
    #expect(try database().zone(named: "Asia/Calcutta").offsetSeconds(at: summer) == 19_800)
  }

  @Test func `T9: a link that has a file keeps the rules of the file`() throws {
    try directory.copyZone("Asia/Tokyo", to: "Asia/Calcutta")
    #expect(try database().zone(named: "Asia/Calcutta").offsetSeconds(at: summer) == 32_400)
  }

  /// Compares only the two years from July 2026, because tzdata has revised earlier years.
  @Test func `T9: built-in links agree with the system's files`() throws {
    let zones = try SystemZones.database.get()
    let files = Set(zones.names)
    var mismatches = Mismatches()
    for pair in ZoneLinks.known.split(separator: " ").map({ $0.split(separator: "=") }) {
      let (name, target) = (String(pair[0]), String(pair[1]))
      #expect(files.contains(target), "\(target)")
      let (link, targetZone) = (try zones.zone(named: name), try zones.zone(named: target))
      for month in 0..<24 {
        let instant = summer + .days(30 * month)
        mismatches.compare(
          link.offsetSeconds(at: instant), targetZone.offsetSeconds(at: instant),
          "\(name) \(instant)")
      }
    }
    #expect(mismatches.count == 0, "\(mismatches)")
  }
}
