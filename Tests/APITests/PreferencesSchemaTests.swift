import CivilTime
import Engine
import JSON
import Reminders
import Testing

@testable import API

/// The schema of a settings page (rules G4 and P8).
@Suite(.timeLimit(.minutes(1))) struct PreferencesSchemaTests {
  private static let path = "/v1/recipients/r1/preferences"
  private static let catalog = """
    catalog: notes
    categories:
      NOTE: {title: Notes, description: What you wrote, channels: {push: true, sms: true}}
      CODE: {title: Codes, locked: true, channels: {email: true}}
    groups:
      notes: {enabled: true, often: {choice: [daily, weekly]}, delay: 2h}
    reminders: {}
    titles:
      en:
        groups: {notes: Notes, notes.often: How often, notes.often.daily: Daily}
      de:
        categories: {NOTE: [Notizen, Was du schriebst]}
        groups: {notes: Notizen, notes.often: Wie oft, notes.often.daily: Täglich}
    """

  @Test func `V18: the schema has the operator's limits, and a looser write is refused`()
    async throws
  {
    let policies = "policies: {caps: {perDay: 6, minInterval: 30m}}\n"
    let service = try LiveService(
      text: policies + Self.catalog, at: "2026-03-02T09:00:00.000Z")
    try await service.ingest("recipient.updated", ["locale": "en"], of: "r1")
    try await TestServer.serving(service) { server in
      let schema = try await server.get(Self.path + "/schema").json
      let caps = schema["properties"]?["caps"]?["properties"]
      #expect(caps?["perDay"]?["x-maximum"] == 6, "\(caps ?? .null)")
      #expect(caps?["minInterval"]?["x-minimum"] == "PT30M")
      let reply = try await server.call(
        "PATCH", Self.path, body: #"{"caps": {"perDay": 10}}"#)
      #expect(reply.status == 422, "\(reply.text)")
      #expect(reply.text.contains("must be at most 6, as the operator requires; it is 10"))
    }
  }

  @Test func `V20: the schema has the operator's caps of categories and weeks`() async throws {
    let caps = "[{perDay: 6, perWeek: 20}, {categories: [NOTE], perDay: 2, minInterval: 4h}]"
    let schema = try await Self.schema(
      "", locale: "en", catalog: "policies: {caps: \(caps)}\n" + Self.catalog)
    #expect(
      schema["properties"]?["caps"]?["x-limits"] == [
        ["perWeek": 20], ["categories": ["NOTE"], "perDay": 2, "minInterval": "PT4H"],
      ])
    let free = try await Self.schema("", locale: "en", catalog: Self.catalog)
    #expect(free["properties"]?["caps"]?["x-limits"] == nil)
  }

  @Test func `V19: the schema has the defaults, which the operator's limits bound`() async throws {
    let policies = "policies: {caps: {minInterval: 30m}, defaults: {quietHours.end: \"07:00\"}}\n"
    let schema = try await Self.schema("", locale: "en", catalog: policies + Self.catalog)
    func defaultValue(_ path: String...) -> JSONValue? {
      path.reduce(schema) { $0["properties"]?[$1] ?? .null }["default"]
    }
    #expect(defaultValue("quietHours", "start") == "21:00")
    #expect(defaultValue("quietHours", "end") == "07:00")
    #expect(defaultValue("caps", "minInterval") == "PT30M")
    #expect(defaultValue("caps", "perDay") == .null)
    #expect(defaultValue("reminders", "notes", "often") == "daily")
    #expect(defaultValue("categories", "CODE", "email") == true)
  }

  /// Returns the schema for a recipient with the given locale.
  ///
  /// - Parameter unroutedChannels: the channels that no sink carries.
  private static func schema(
    _ query: String, locale: String, unroutedChannels: ChannelSet = [],
    catalog: String = Self.catalog
  ) async throws -> JSONValue {
    let planner = try Fixtures.planner(catalog: catalog)
    let service = try FakeService(
      .success(
        Planner(
          catalog: planner.catalog, zones: planner.zones, defaultZone: planner.defaultZone,
          unroutedChannels: unroutedChannels)))
    let event: JSONValue = [
      "specversion": "1.0", "id": "1", "source": "app", "type": "recipient.updated",
      "subject": "r1", "time": "2026-03-02T09:00:00Z", "data": ["locale": .string(locale)],
    ]
    let localeUpdate = try EventReader(planner: service.planner).event(event, now: nil)
    _ = try await service.write(Write(events: [localeUpdate], version: nil))
    return try await TestServer.serving(service) { server in
      try await server.get(path + "/schema" + query).json
    }
  }

  @Test(arguments: [
    ("", "de-CH", "Notizen", "Was du schriebst", "Wie oft", "Täglich"),
    ("", "fr", "Notes", "What you wrote", "How often", "Daily"),
    ("?language=en", "de", "Notes", "What you wrote", "How often", "Daily"),
  ])
  func `G4: the schema has titles in the recipient's language`(
    query: String, locale: String, title: String, description: String, often: String, daily: String
  ) async throws {
    let schema = try await Self.schema(query, locale: locale)
    let properties = schema["properties"]
    let category = properties?["categories"]?["properties"]?["NOTE"]
    #expect(category?["title"]?.stringValue == title)
    #expect(category?["description"]?.stringValue == description)
    let group = properties?["reminders"]?["properties"]?["notes"]
    #expect(group?["title"]?.stringValue == title)
    let choice = group?["properties"]?["often"]
    #expect(choice?["title"]?.stringValue == often)
    #expect(choice?["enum"] == ["daily", "weekly"])
    #expect(choice?["x-titles"]?["daily"]?.stringValue == daily)
    #expect(group?["properties"]?["delay"]?["type"] == "string")
  }

  @Test func `P8: sections have titles, an order and the members of the document`() async throws {
    let schema = try await Self.schema("?language=ar", locale: "de")
    let sections = schema["x-sections"]?.arrayValue ?? []
    #expect(
      sections.map { $0["id"] } == [
        "general", "reminders", "categories", "quietHours", "vacation", "calendar", "caps",
        "bundling", "email", "sms", "hints",
      ])
    #expect(sections[0]["members"] == ["master", "preset", "channels", "dayStart"])
    #expect(sections[3]["title"] == "ساعات الهدوء")
    let members = schema["properties"]?.objectValue?.map(\.key) ?? []
    let membersOfSections = sections.flatMap { $0["members"]?.arrayValue ?? [] }.compactMap(
      \.stringValue)
    #expect(Set(members).subtracting(membersOfSections) == ["custom"])
    let channels = schema["properties"]?["channels"]?["properties"]?.objectValue ?? [:]
    #expect(channels.map { $0.value["x-order"] } == [0, 1, 2, 3])
  }

  @Test(arguments: ["en", "de", "ar", "fr"])
  func `P8: every setting and every choice has a title`(language: String) async throws {
    let schema = try await Self.schema("?language=\(language)", locale: "de")
    var (untitled, leaves): ([String], Int) = ([], 0)
    func visit(_ schema: JSONValue, _ path: String) {
      if path != "", schema["title"]?.stringValue?.isEmpty != false { untitled.append(path) }
      guard let properties = schema["properties"]?.objectValue else {
        leaves += 1
        let items = (schema["items"] ?? schema)["enum"]?.arrayValue ?? []
        for word in items.compactMap(\.stringValue) where schema["x-titles"]?[word] == nil {
          untitled.append("\(path).\(word)")
        }
        return
      }
      for member in properties { visit(member.value, path + "/" + member.key) }
    }
    visit(schema, "")
    #expect(untitled == [])
    #expect(leaves > 30)
  }

  @Test func `P8: every built-in setting, choice and section has a built-in text`() throws {
    let catalog = "catalog: empty\ncategories: {}\nreminders: {}\n"
    let definitions = try Fixtures.planner(catalog: catalog).catalog.settings.definitions
    #expect(definitions.count > 25)
    for definition in definitions {
      let words =
        definition.kind == .days ? Weekday.allCases.map(\.name) : definition.kind.words
      let section = definition.path.split(separator: ".").first.map(String.init) ?? ""
      for key in [definition.path, section] + words.map({ "choice.\($0)" }) {
        #expect(SettingsWords.table[key] != nil, "\(key)")
      }
    }
  }

  @Test func `P8: a setting that cannot be written states the reason`() async throws {
    let schema = try await Self.schema("?language=de", locale: "de")
    let properties = schema["properties"]
    let code = properties?["categories"]?["properties"]?["CODE"]?["properties"]?["email"]
    #expect(code?["readOnly"] == true && code?["const"] == true)
    #expect(code?["x-locked"] == "Immer an")
    let note = properties?["categories"]?["properties"]?["NOTE"]?["properties"]?["push"]
    #expect(note?["readOnly"] == nil && note?["x-locked"] == nil && note?["title"] == "Push")
    #expect(properties?["quietHours"]?["properties"]?["active"]?["readOnly"] == true)
    #expect(properties?["master"]?["x-kind"] == "toggle")
    #expect(properties?["quietHours"]?["properties"]?["days"]?["x-kind"] == "days")
  }

  @Test func `P10: the schema has the settings of single entities`() async throws {
    let reminders = """
      events: {trial: {trial: identifier, ends: instant}}
      reminders:
        ends:
          category: NOTE
          group: notes
          before: {event: trial, at: ends, days: 1, time: $time}
          expires: 12h
          messages: [{title: Ends, body: Soon}]
      """
    let schema = try await Self.schema(
      "?language=de", locale: "de", unroutedChannels: ChannelSet(.sms),
      catalog: Self.catalog.replacing("reminders: {}", with: reminders)
        .replacing("delay: 2h}", with: "delay: 2h, time: \"09:00\"}"))
    let group = schema["properties"]?["reminders"]?["properties"]?["notes"]?["properties"]
    let items = group?["items"]
    #expect(items?["x-kind"] == "entities")
    #expect(items?["title"] == "Einzeln")
    let one = items?["additionalProperties"]?["anyOf"]?.arrayValue?.first?["properties"]
    let members = try #require(one?.objectValue)
    #expect(members.map(\.key) == ["enabled", "time", "channels"])
    #expect(members.map { $0.value["title"] } == ["Notizen", "Uhrzeit", "Kanäle"])
    #expect(members.map { $0.value["x-kind"] } == ["toggle", "time", "selection"])
    #expect(members.map { $0.value["x-order"] } == [0, 1, 2])
    #expect(members["channels"]?["x-titles"] == ["push": "Push", "sms": "SMS"])
    #expect(
      members["channels"]?["x-unavailable-choices"] == ["sms": "Bietet dieser Dienst nicht an"])
    let channels = one?["channels"]?["anyOf"]?.arrayValue?.first
    #expect(channels?["items"]?["enum"] == ["push", "sms"])
  }

  @Test func `P8: a channel that no sink carries is marked`() async throws {
    let schema = try await Self.schema(
      "?language=en", locale: "de", unroutedChannels: ChannelSet(.sms))
    let properties = schema["properties"]
    let channels = properties?["channels"]?["properties"]
    #expect(channels?["sms"]?["x-unavailable"] == "Not offered by this service")
    #expect(channels?["push"]?["x-unavailable"] == nil)
    let note = properties?["categories"]?["properties"]?["NOTE"]?["properties"]
    #expect(note?["sms"]?["x-unavailable"] == "Not offered by this service")
    #expect(note?["push"]?["x-unavailable"] == nil)
  }

  @Test func `P8: every built-in text is in every language`() {
    #expect(SettingsWords.table.values.allSatisfy { $0.count == SettingsWords.languages.count })
    #expect(SettingsWords.table.values.joined().allSatisfy { !$0.isEmpty })
  }

  @Test func `an invalid language is refused`() async throws {
    let answer = try await Self.schema("?language=1", locale: "de")
    #expect(answer["status"] == 422 || answer["status"] == 400)
  }
}
