import CivilTime
import JSON
import Reminders
import Testing

/// Rules E2 and T4: the contents of `recipient.updated`.
@Suite struct ProfileReaderTests {
  private static let knownFields = "timezone, locale, email, phone, holidays, name"

  @Test func `E2: fields are set and cleared`() throws {
    var player = try Self.player()
    try player.take("recipient.updated", ["timezone": "Asia/Tokyo", "email": "amina@example.org"])
    #expect(player.recipient.facts.zoneName == "Asia/Tokyo")
    #expect(player.recipient.facts.profile(.email) == "amina@example.org")
    try player.take("recipient.updated", ["timezone": nil])
    #expect(player.recipient.facts.zoneName == nil)
    #expect(player.recipient.facts.profile(.email) == "amina@example.org")
    #expect(player.recipient.facts.profile(.phone) == nil)
  }

  @Test(
    arguments: [
      ([:], "data is empty; give at least one of \(knownFields)"),
      (
        ["timezon": "UTC"],
        "data.timezon is not known; did you mean \"timezone\"? (known: \(knownFields))"
      ),
      (["shoes": 43], "data.shoes is not known (known: \(knownFields))"),
      (["name": 7], "data.name must be a text of 1 to 256 bytes without control characters"),
      (["name": ""], "data.name must be a text of 1 to 256 bytes without control characters"),
      (["name": "a\tb"], "data.name must be a text of 1 to 256 bytes without control characters"),
      (
        ["timezone": "Europe/Pariss"],
        "data.timezone is refused: \"Europe/Pariss\" is not a time zone of this system; "
          + "did you mean \"Europe/Paris\"?"
      ),
      (
        ["timezone": "+01:00"],
        "data.timezone is refused: \"+01:00\" is an offset, not a time zone; give a name such as "
          + "\"Europe/Berlin\", which has daylight saving time, or \"Etc/GMT-1\", "
          + "which always has this offset"
      ),
      (
        ["timezone": "JST"],
        "data.timezone is refused: \"JST\" is an abbreviation, not a time zone; give the zone of a "
          + "city, such as \"Asia/Tokyo\""
      ),
      (
        ["timezone": "Factory"],
        "data.timezone is refused: \"Factory\" is tzdata's placeholder for an unset zone, not a "
          + "time zone; give a name such as \"Europe/Berlin\""
      ),
      (
        ["timezone": "../../etc/passwd"],
        "data.timezone is refused: \"../../etc/passwd\" is not a time zone of this system"
      ),
    ] as [(JSONValue, String)])
  func `T4: a refusal names the fault and changes nothing`(data: JSONValue, text: String) throws {
    var player = try Self.player()
    let refusal = #expect(throws: Refusal.self) { try player.take("recipient.updated", data) }
    #expect(refusal?.description == text)
    #expect(player.recipient.facts == Facts())
  }

  @Test(arguments: [
    ("W. Europe Standard Time", "Europe/Berlin"), ("tokyo standard time", "Asia/Tokyo"),
    ("UTC-11", "Etc/GMT+11"),
  ])
  func `T4: a Windows name is stored as its zone`(name: String, zone: String) throws {
    var player = try Self.player()
    try player.take("recipient.updated", ["timezone": .string(name), "holidays": "AT"])
    #expect(player.recipient.facts.zoneName == zone)
    #expect(player.planner.zone(of: player.recipient.facts).name == zone)
  }

  @Test(arguments: [
    "ana@example.org", "a.b+c@x", "o'hara@x-y.org", "jürgen@müller.example", "用户@例え.example",
  ])
  func `E2: an e-mail address is accepted`(email: String) throws {
    var player = try Self.player()
    try player.take("recipient.updated", ["email": .string(email)])
    #expect(player.recipient.facts.profile(.email) == email)
  }

  @Test(arguments: [
    "not an email", "ana", "@example.org", "ana@", "ana@-x.org", "ana@x..org", "a b@example.org",
    ".ana@example.org", "ana@example.org ", "ana@exa mple.org", "\"q\"@c.de", "x@[1.2.3.4]",
    "x@1.2.3.4", "x@2001:db8::1", "a@b\u{FF0E}org",
  ])
  func `E2: an invalid e-mail address is refused`(email: String) throws {
    var player = try Self.player()
    let refusal = #expect(throws: Refusal.self) {
      try player.take("recipient.updated", ["email": .string(email)])
    }
    #expect(
      refusal?.description
        == "data.email must be an e-mail address such as \"ana@example.org\", without quotes and "
        + "with a host name after the \"@\"")
  }

  @Test(arguments: ["+4915112345678", "+32 2 123 45 67", "+1 (202) 555-0123"])
  func `E2: a telephone number with its country code is accepted`(phone: String) throws {
    var player = try Self.player()
    try player.take("recipient.updated", ["phone": .string(phone)])
    #expect(player.recipient.facts.profile(.phone) == phone)
  }

  @Test(arguments: [
    "abc", "0151 1234567", "+12345", "+0123456789", "+1234567890123456", "+49x1511234567",
  ])
  func `E2: an invalid telephone number is refused`(phone: String) throws {
    var player = try Self.player()
    let refusal = #expect(throws: Refusal.self) {
      try player.take("recipient.updated", ["phone": .string(phone)])
    }
    #expect(refusal?.path == "data.phone")
    #expect(refusal?.description.contains("such as \"+32 2 123 45 67\"") == true)
  }

  private static func player() throws -> Player {
    Player(planner: try Fixtures.planner(), now: try utc("2026-03-02 12:00"))
  }
}
