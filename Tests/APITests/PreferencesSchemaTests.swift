import Engine
import JSON
import Reminders
import Testing

@testable import API

/// The schema of a settings page (rule G4).
@Suite(.timeLimit(.minutes(1))) struct PreferencesSchemaTests {
  private static let path = "/v1/recipients/r1/preferences"
  private static let catalog = """
    catalog: notes
    categories:
      NOTE: {title: Notes, description: What you wrote, channels: {push: true}}
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

  private static func schema(_ query: String, locale: String) async throws -> JSONValue {
    let service = try FakeService(Result { try Fixtures.planner(catalog: catalog) })
    let event: JSONValue = [
      "specversion": "1.0", "id": "1", "source": "app", "type": "recipient.updated",
      "subject": "r1", "time": "2026-03-02T09:00:00Z", "data": ["locale": .string(locale)],
    ]
    let known = try EventReader(planner: service.planner).event(event, now: nil)
    _ = try await service.write(Write(events: [known], version: nil))
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
    #expect(choice?["x-titles"] == ["daily": .string(daily)])
    #expect(group?["properties"]?["delay"]?["type"] == "string")
  }

  @Test func `an invalid language is refused`() async throws {
    let answer = try await Self.schema("?language=1", locale: "de")
    #expect(answer["status"] == 422 || answer["status"] == 400)
  }
}
