import CivilTime
import TestSupport
import Testing

@Suite struct ZoneDatabaseTests {
  @Test func `the names are the system's zones, sorted`() throws {
    let database = try SystemZones.database.get()
    #expect(database.directory == ZoneDatabase.systemDirectory)
    let names = Set(database.names)
    #expect(database.names == names.sorted())
    for name in ["UTC", "Europe/Paris", "America/Argentina/Ushuaia", "Etc/GMT+12"] {
      #expect(names.contains(name))
    }
    #expect(names.isDisjoint(with: ["posixrules", "localtime", "leapseconds", "tzdata.zi"]))
    #expect(!database.names.contains { $0.hasPrefix("posix/") || $0.hasPrefix("right/") })
    for name in database.names {
      #expect(try database.zone(named: name).name == name)
    }
  }

  @Test func `the version is read from tzdata.zi, else it is unknown`() throws {
    let version = try SystemZones.database.get().version
    #expect(version == "unknown" || version.prefix(4).allSatisfy(\.isNumber), "\(version)")
    let directory = try TemporaryDirectory()
    try directory.copyZone("Europe/Paris", to: "Paris")
    #expect(try ZoneDatabase(directory: directory.path, generation: 1).version == "unknown")
    try directory.write(Array("# version 2031z\nR x".utf8), to: "tzdata.zi")
    #expect(try ZoneDatabase(directory: directory.path, generation: 1).version == "2031z")
    try directory.write(Array("R A 1916 o - Jun 14 23s 1 S\n".utf8), to: "tzdata.zi")
    #expect(try ZoneDatabase(directory: directory.path, generation: 1).version == "unknown")
  }

  @Test(arguments: [
    (
      "Europe/Pariss",
      #""Europe/Pariss" is not a time zone of this system; "#
        + #"did you mean "Europe/Paris"?"#
    ),
    ("paris", #""paris" is not a time zone of this system; did you mean "Europe/Paris"?"#),
    ("xyzzy-plugh", #""xyzzy-plugh" is not a time zone of this system"#),
    ("", #""" is not a time zone of this system"#),
    ("a\nb\u{7}", #""a\nb\u{07}" is not a time zone of this system"#),
  ])
  func `an unknown zone is rejected, with the nearest name`(name: String, message: String) throws {
    let database = try SystemZones.database.get()
    let error = #expect(throws: UnknownZoneError.self) { try database.zone(named: name) }
    #expect(error?.description == message)
  }

  @Test(arguments: [
    ("europe/paris", "Europe/Paris"), ("EUROPE/PARIS", "Europe/Paris"),
    ("new york", "America/New_York"), ("America/New-York", "America/New_York"),
    ("Berln", "Europe/Berlin"), ("Los Angeles", "America/Los_Angeles"), ("utc", "UTC"),
    ("america/buenos_aires", "America/Buenos_Aires"), ("Kolkatta", "Asia/Kolkata"),
    ("Europe/Kiiv", "Europe/Kiev"),
  ])
  func `the intended zone is suggested first`(name: String, intended: String) throws {
    let nearest = try SystemZones.database.get().nearestNames(to: name)
    #expect(nearest.first == intended)
    #expect(nearest.count <= 3)
  }

  /// The offset in the name of an Etc zone has the opposite sign.
  @Test(
    arguments: [
      ("GMT+2", "Etc/GMT-2"), ("UTC+2", "Etc/GMT-2"), ("utc + 02", "Etc/GMT-2"),
      ("+02:00", "Etc/GMT-2"), ("+0200", "Etc/GMT-2"), ("Z+1", "Etc/GMT-1"),
      ("GMT-8", "Etc/GMT+8"), ("GMT\u{2212}8", "Etc/GMT+8"), ("UTC+14:00", "Etc/GMT-14"),
      ("-12", "Etc/GMT+12"), ("+00:00", "UTC"), ("UTC+05:30", nil), ("+530", nil), ("-13", nil),
      ("Etc/UTC+99", nil),
    ] as [(String, String?)])
  func `T4: the refusal of an offset suggests its zone`(offset: String, name: String?) throws {
    let database = try SystemZones.database.get()
    let error = #expect(throws: UnknownZoneError.self) { try database.zone(named: offset) }
    let city = #"give a name such as "Europe/Berlin", which has daylight saving time"#
    let fixedZone = name.map { #", or "\#($0)", which always has this offset"# } ?? ""
    #expect(
      error?.description == "\"\(offset)\" is an offset, not a time zone; " + city + fixedZone)
    if let name { #expect(try database.zone(named: name).name == name) }
  }

  @Test(arguments: ["GMT2", "+", "GMT+", "GMT+1:2", "+2:", "+:30", "+1234:5", "EST+5", "+٣", "U+1"])
  func `a malformed offset is rejected as an unknown name`(offset: String) throws {
    let database = try SystemZones.database.get()
    let error = #expect(throws: UnknownZoneError.self) { try database.zone(named: offset) }
    #expect(error?.description.contains("is not a time zone") == true)
  }

  @Test func `a refusal lists up to three names and shortens a long name`() {
    let two = UnknownZoneError(name: "A", nearest: ["B", "C"])
    #expect(two.description.hasSuffix(#"; did you mean "B" or "C"?"#))
    let three = UnknownZoneError(name: "A", nearest: ["B", "C", "D"])
    #expect(three.description.hasSuffix(#"; did you mean "B", "C" or "D"?"#))
    let long = UnknownZoneError(name: String(repeating: "x", count: 10_000), nearest: [])
    #expect(long.description.utf8.count < 200)
    let marks = UnknownZoneError(
      name: "a" + String(repeating: "\u{301}", count: 10_000), nearest: [])
    #expect(marks.description.utf8.count < 400)
  }

  /// Names with a special meaning for cctz or the file system.
  @Test(arguments: [
    "file:Europe/Paris", "/usr/share/zoneinfo/Europe/Paris", "../zoneinfo/Europe/Paris",
    "Europe/../Europe/Paris", "./Europe/Paris", "Europe//Paris", "Europe/Paris\0", "libc:UTC",
    "libc:localtime", "localtime", "Fixed/UTC+01:00:00", "posix/Europe/Paris",
    "right/Europe/Paris", "1!Europe/Paris", ":Europe/Paris", "Europe", "posixrules", "tzdata.zi",
    "UTC0", "EST5EDT4", "+01:00", "Factory", "posix/Factory",
  ])
  func `only listed names are zones`(name: String) throws {
    let database = try SystemZones.database.get()
    #expect(throws: UnknownZoneError.self) { try database.zone(named: name) }
  }

  @Test func `a directory without zones is rejected`() throws {
    let directory = try TemporaryDirectory()
    try directory.write(Array("TZi".utf8), to: "Short")
    try directory.write(Array("no zone".utf8), to: "Text")
    #expect(throws: ZoneDatabaseError.empty(directory: directory.path)) {
      try ZoneDatabase(directory: directory.path, generation: 1)
    }
    let missing = directory.path + "/missing"
    let error = #expect(throws: ZoneDatabaseError.self) {
      try ZoneDatabase(directory: missing, generation: 1)
    }
    let message = error?.description ?? ""
    #expect(message.contains(missing) && message.contains("No such file or directory"))
  }

  @Test func `a damaged zone is rejected, other zones are not`() throws {
    let directory = try TemporaryDirectory()
    let content = try TemporaryDirectory.content(ofZone: "Europe/Paris")
    try directory.write(Array(content.prefix(content.count / 2)), to: "Half")
    try directory.write(Array("TZif".utf8), to: "Magic")
    try directory.write(content, to: "Whole")
    let database = try ZoneDatabase(directory: directory.path, generation: 1)
    for name in ["Half", "Magic"] {
      let error = #expect(throws: UnknownZoneError.self) { try database.zone(named: name) }
      #expect(error?.damagedFile == directory.path + "/" + name)
      #expect(error?.description.contains("is damaged") == true)
    }
    #expect(try database.zone(named: "Whole").name == "Whole")
  }

  /// A slim file has no future changes; zic writes slim files by default. Debian's files contain
  /// future changes.
  @Test func `a slim zone file is rejected`() throws {
    let directory = try TemporaryDirectory()
    try directory.write(Self.file(footer: "CET-1"), to: "Fixed")
    let fixed = try ZoneDatabase(directory: directory.path, generation: 1)
    #expect(try fixed.zone(named: "Fixed").offsetSeconds(at: Instant(milliseconds: 0)) == 3_600)
    try directory.write(Self.file(footer: "CET-1CEST,M3.5.0,M10.5.0/3"), to: "Slim")
    let error = #expect(throws: ZoneDatabaseError.slim(directory: directory.path, zone: "Slim")) {
      try ZoneDatabase(directory: directory.path, generation: 1)
    }
    #expect(error?.description.contains("zic -b fat") == true)
  }

  /// Returns a TZif file of version 2 without changes of clocks and with the given footer.
  private static func file(footer: String) -> [UInt8] {
    let magic = Array("TZif2".utf8) + [UInt8](repeating: 0, count: 15)
    let counts: [UInt8] = [0, 0, 0, 0, 1, 4].flatMap { [0, 0, 0, $0] }
    let type: [UInt8] = [0, 0, 14, 16, 0, 0]
    let block = magic + counts + type + Array("CET\0".utf8)
    return block + block + Array("\n\(footer)\n".utf8)
  }

  @Test func `a loop of symbolic links is not followed forever`() throws {
    let directory = try TemporaryDirectory()
    try directory.makeDirectory("Here")
    try directory.copyZone("Europe/Paris", to: "Here/Paris")
    try directory.link("Here/Again", to: "..")
    try directory.link("Nowhere", to: "missing")
    try directory.link("Linked", to: "Here/Paris")
    let names = try ZoneDatabase(directory: directory.path, generation: 1).names
    #expect(names.contains("Here/Paris") && names.contains("Linked"))
    #expect(names.count < 20)
  }

  @Test func `threads may read zones concurrently`() async throws {
    let database = try ZoneDatabase(generation: 3)
    let instant = try #require(Instant("2026-07-15T12:00:00Z"))
    let results = await withTaskGroup(of: [Zone].self) { group in
      for _ in 0..<8 {
        group.addTask { database.names.compactMap { try? database.zone(named: $0) } }
      }
      return await group.reduce(into: [[Zone]]()) { $0.append($1) }
    }
    for zones in results {
      #expect(zones == results[0])
      #expect(zones.map { $0.local(at: instant) } == results[0].map { $0.local(at: instant) })
    }
    #expect(results[0].count == database.names.count)
  }
}
