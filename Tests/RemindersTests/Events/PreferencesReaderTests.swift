import CivilTime
import JSON
import Reminders
import Testing

/// Rules P1 and P7: the contents of a preferences document.
@Suite struct PreferencesReaderTests {
  @Test func `P1: a write may set any or all preferences`() throws {
    let settings = try Self.settings(
      """
      {"master":false,"channels":{"push":false,"email":true},"categories":{"LESSON":{"push":false}},
       "reminders":{"checkin":{"enabled":false,"time":"06:05"},"summary":{"days":["wed","mon"]}},
       "quietHours":{"enabled":true,"start":"23:00","end":"05:30","days":["sat","sun"],
       "allowCritical":false},"bundling":{"threshold":0}}
      """)
    #expect(!settings.isOn(.master))
    #expect(!settings.isOn(.push))
    #expect(settings.isOn(.email))
    #expect(settings.isOn(.sms))
    #expect(settings[.bundlingThreshold] == 0)
    #expect(
      settings.quietHours
        == QuietHours(
          isEnabled: true, start: try #require(LocalTime("23:00")),
          end: try #require(LocalTime("05:30")), days: 0b110_0000, allowsCritical: false))
    let schema = try Fixtures.planner().catalog.settings
    func setting(_ path: String) throws -> Int { try #require(schema.index(of: path)) }
    #expect(try settings.time(setting("reminders.checkin.time")).description == "06:05")
    #expect(try !settings.isOn(setting("reminders.checkin.enabled")))
    #expect(try settings[setting("reminders.summary.days")] == 0b000_0101)
    #expect(try !settings.isOn(setting("categories.LESSON.push")))
    #expect(try settings.isOn(setting("categories.CHECKIN.push")))
  }

  @Test(arguments: [
    ("{}", "data changes nothing; give at least one preference"),
    (#"{"channels":{}}"#, "data changes nothing; give at least one preference"),
    (#"{"master":1}"#, "data.master must be true or false; it is an integer"),
    (#"{"master":null}"#, "data.master must be true or false; it is null"),
    (#"{"maste":true}"#, "data.maste is not a preference; did you mean \"master\"?"),
    (#"{"channels":true}"#, "data.channels must be an object; it is a boolean"),
    (
      #"{"channels":{"pusch":true}}"#,
      "data.channels.pusch is not a preference; did you mean \"channels.push\"?"
    ),
    (
      #"{"categories":{"LESON":{"push":true}}}"#,
      "data.categories.LESON is not a preference; did you mean \"categories.LESSON\"?"
    ),
    (
      #"{"quietHours":{"start":"24:00"}}"#,
      "data.quietHours.start must be a time of day from \"00:00\" to \"23:59\"; it is \"24:00\""
    ),
    (
      #"{"quietHours":{"start":2200}}"#,
      "data.quietHours.start must be a time of day such as \"21:00\"; it is an integer"
    ),
    (
      #"{"quietHours":{"days":["sat","Sunday"]}}"#,
      "data.quietHours.days must contain only mon, tue, wed, thu, fri, sat and sun"
    ),
    (
      #"{"quietHours":{"days":"sat"}}"#,
      "data.quietHours.days must be a list of days such as [\"mon\", \"sat\"]; it is a string"
    ),
    (
      #"{"quietHours":{"enabled":false,"days":[]}}"#,
      "data.quietHours.days must name at least one day; to have no quiet hours, "
        + "set quietHours.enabled to false"
    ),
    (
      #"{"bundling":{"threshold":-1}}"#, "data.bundling.threshold must be from 0 to 1000; it is -1"
    ),
    (
      #"{"bundling":{"threshold":1.5}}"#,
      "data.bundling.threshold must be a whole number; it is a number"
    ),
    (
      #"{"quietHours":{"start":"21:00","end":"21:00","enabled":false}}"#,
      "data.quietHours is refused: Start and end time cannot be the same"
    ),
    (
      #"{"master":false,"quietHours":{"end":"9:00"}}"#,
      "data.quietHours.end must be a time of day from \"00:00\" to \"23:59\"; it is \"9:00\""
    ),
  ])
  func `P1: a refusal names the fault`(document: String, text: String) {
    let refusal = #expect(throws: Refusal.self) { try Self.settings(document) }
    #expect(refusal?.description == text)
  }

  /// A path must be written as nested objects. With dots, a document could set one setting twice.
  @Test(arguments: [
    #"{"quietHours.enabled":true}"#,
    #"{"quietHours.start":"22:00","quietHours":{"start":"23:00","end":"22:00"}}"#,
    #"{"reminders":{"checkin.time":"22:00"}}"#,
  ])
  func `P1: a path with dots is not a preference`(document: String) {
    let refusal = #expect(throws: Refusal.self) { try Self.settings(document) }
    #expect(refusal?.reason.hasPrefix("is not a preference") == true)
  }

  private static func settings(_ document: String) throws -> Settings {
    var player = Player(planner: try Fixtures.planner(), now: try utc("2026-03-02 12:00"))
    try player.take("preferences.updated", try JSONParser.parse(document))
    return Settings(
      schema: player.planner.catalog.settings, registers: player.recipient.facts.settings)
  }
}
