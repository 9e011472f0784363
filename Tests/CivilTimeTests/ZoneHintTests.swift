import Testing

@testable import CivilTime

/// Rule T4: the refusal of what is no zone names one.
@Suite struct ZoneHintTests {
  private func refusal(of name: String) throws -> String? {
    let zones = try SystemZones.database.get()
    return #expect(throws: UnknownZone.self) { try zones.zone(named: name) }?.description
  }

  @Test(arguments: [
    ("W. Europe Standard Time", "Europe/Berlin"), ("india standard time", "Asia/Kolkata"),
    ("Pacific Standard Time (Mexico)", "America/Tijuana"),
    ("US Mountain Standard Time", "America/Phoenix"), ("Tokyo Standard Time", "Asia/Tokyo"),
  ])
  func `T4: a name of Windows is answered with the zone`(name: String, zone: String) throws {
    #expect(
      try refusal(of: name) == "\"\(name)\" is a name of Windows for a time zone; "
        + "give \"\(zone)\", or another city of that zone")
  }

  @Test func `T4: every name of Windows stands for a zone`() throws {
    let zones = try SystemZones.database.get()
    #expect(WindowsZones.zones.count > 120)
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
  func `T4: an abbreviation is answered with cities that use it`(
    name: String, cities: String
  ) throws {
    #expect(
      try refusal(of: name) == "\"\(name)\" is an abbreviation and no time zone; "
        + "give the zone of a city, such as \(cities)")
  }

  @Test func `T4: the placeholder of tzdata is refused`() throws {
    #expect(
      try refusal(of: "Factory") == "\"Factory\" is tzdata's placeholder for a missing choice and "
        + "no time zone; give a name such as \"Europe/Berlin\"")
  }

  @Test(arguments: ["CET", "EST", "MST", "HST", "EET", "WET", "MET", "EST5EDT", "GMT", "UTC"])
  func `T4: an abbreviation that is a zone's name is accepted`(name: String) throws {
    #expect(try SystemZones.zone(name).name == name)
  }
}
