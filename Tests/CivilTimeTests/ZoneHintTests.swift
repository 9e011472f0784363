import Testing

@testable import CivilTime

/// Rule T4: the refusal of an unknown zone suggests a zone.
@Suite struct ZoneHintTests {
  private func refusal(of name: String) throws -> String? {
    let zones = try SystemZones.database.get()
    return #expect(throws: UnknownZoneError.self) { try zones.zone(named: name) }?.description
  }

  @Test(arguments: [
    ("W. Europe Standard Time", "Europe/Berlin"), ("india standard time", "Asia/Kolkata"),
    ("Pacific Standard Time (Mexico)", "America/Tijuana"),
    ("US Mountain Standard Time", "America/Phoenix"), ("Tokyo Standard Time", "Asia/Tokyo"),
  ])
  func `T4: the refusal of a Windows name suggests its zone`(name: String, zone: String) throws {
    #expect(
      try refusal(of: name) == "\"\(name)\" is a Windows name of a time zone; "
        + "give \"\(zone)\", or another city of that zone")
  }

  @Test(arguments: [
    ("W. Europe Standard Time", "Europe/Berlin"), ("eastern standard time", "America/New_York"),
    ("Central Asia Standard Time", "Asia/Bishkek"), ("UTC-11", "Etc/GMT+11"),
    ("UTC+13", "Etc/GMT-13"),
  ])
  func `T4: a Windows name means a zone of the tz database`(name: String, zone: String) throws {
    let zones = try SystemZones.database.get()
    #expect(zones.zone(ofWindowsName: name)?.name == zone)
  }

  @Test(arguments: ["Factory", "CEST", "UTC-5", "Europe/Berlin", "W. Europe", ""])
  func `T4: other names are not Windows names`(name: String) throws {
    #expect(try SystemZones.database.get().zone(ofWindowsName: name) == nil)
  }

  @Test func `T4: every Windows name has a zone`() throws {
    let zones = try SystemZones.database.get()
    #expect(WindowsZones.zones.count > 130)
    #expect(WindowsZones.zones.subtracting(zones.names) == [])
  }

  @Test(arguments: [
    ("CEST", #""Europe/Berlin", "Europe/Paris" or "Europe/Madrid""#),
    ("PST", #""America/Los_Angeles", "Asia/Manila" or "America/Vancouver""#),
    ("IST", #""Asia/Kolkata", "Europe/Dublin" or "Asia/Jerusalem""#),
    ("pdt", #""America/Los_Angeles", "America/Vancouver" or "America/Tijuana""#),
    ("CST", #""Asia/Shanghai", "America/Chicago" or "America/Havana""#),
    ("JST", #""Asia/Tokyo""#), ("BST", #""Europe/London""#), ("AEDT", #""Australia/Sydney""#),
  ])
  func `T4: the refusal of an abbreviation suggests cities`(name: String, cities: String) throws {
    #expect(
      try refusal(of: name) == "\"\(name)\" is an abbreviation, not a time zone; "
        + "give the zone of a city, such as \(cities)")
  }

  @Test func `T4: the placeholder of tzdata is rejected`() throws {
    #expect(
      try refusal(of: "Factory") == "\"Factory\" is tzdata's placeholder for an unset zone, not "
        + "a time zone; give a name such as \"Europe/Berlin\"")
  }

  @Test(arguments: ["CET", "EST", "MST", "HST", "EET", "WET", "MET", "EST5EDT", "GMT", "UTC"])
  func `T4: an abbreviation that is the name of a zone is accepted`(name: String) throws {
    #expect(try SystemZones.zone(name).name == name)
  }
}
