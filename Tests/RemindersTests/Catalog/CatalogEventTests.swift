import Testing

@testable import Reminders

/// The values that a catalog looks up for an event agree with the declaration of its type.
@Suite struct CatalogEventTests {
  private static let catalog = Fixtures.catalog(
    events: """
      {level: {n: {number: [1, 9], keep: each}}, step: {n: {number: [1, 9], keep: highest}},
        visit: {id: identifier, carer: recipient}, note: {text: text}}
      """,
    reminders: ["note": "on: {event: note, delay: 1s}"])

  @Test func `facts remember the numbers that a type declares`() throws {
    let catalog = try Fixtures.read(Self.catalog)
    #expect(catalog.memory(of: Symbol("level")) == .each)
    #expect(catalog.memory(of: Symbol("step")) == .highest)
    for schema in catalog.events {
      #expect(catalog.memory(of: Symbol(schema.type)) == schema.memory, "\(schema.type)")
    }
  }

  @Test func `G5: an event is a withdrawal if its type is one`() throws {
    let catalog = try Fixtures.read(Self.catalog + "\n" + Self.carerReminder)
    #expect(!catalog.events.filter(\.needsRecipient).isEmpty)
    for schema in catalog.events {
      let event = Event(
        identifier: "1", source: "app", type: schema.type, recipient: "amina",
        time: try utc("2026-03-02 08:00"), isTimeGiven: true, content: .happening(number: nil))
      #expect(catalog.needsRecipient(event) == schema.needsRecipient, "\(schema.type)")
    }
  }

  private static let carerReminder = """
      carer-note: {on: {event: visit, delay: 1s}, to: carer, category: NOTE, group: notes,
        expires: 1h, messages: [{title: Visit, body: A visit.}]}
    """
}
