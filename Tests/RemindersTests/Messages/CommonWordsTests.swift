import CivilTime
import JSON
import Reminders
import Testing

/// A text without fields of the event is one message that all recipients share. A text with such
/// fields is a separate message for each recipient.
@Suite struct CommonWordsTests {
  private static let catalog = Fixtures.catalog(
    events: "{errand.set: {errand: identifier, place: text}}",
    reminders: [
      "named":
        "on: {event: errand.set, delay: 1h}, messages: [{title: Errand, body: \"At {{place}}\"}]",
      "plain": "on: {event: errand.set, delay: 1h}, messages: [{title: Errand, body: It waits}]",
    ])

  /// Returns the pending messages of a recipient for whom an errand is set, by reminder.
  private static func messages(
    to name: String, at place: String, _ planner: Planner
  ) throws -> [String: Message] {
    let now = try utc("2026-03-02 08:00")
    let event = try EventReader(planner: planner).event(
      [
        "specversion": "1.0", "id": "e", "source": "test", "type": "errand.set",
        "subject": .string(name), "time": .string(now.description),
        "data": ["errand": "1", "place": .string(place)],
      ], now: now)
    var recipient = Recipient(name: name, now: now)
    recipient.apply(event, order: 1, now: now, planner: planner)
    let context = PlanningContext(facts: recipient.facts, planner: planner)
    let messages = recipient.pending(now: now, planner: planner).compactMap {
      context.message(of: $0)
    }
    return Dictionary(uniqueKeysWithValues: messages.map { ($0.reminder, $0) })
  }

  @Test func `a text without fields of the event is one shared message`() throws {
    let planner = try Fixtures.planner(catalog: Self.catalog)
    let first = try Self.messages(to: "amina", at: "Mitte", planner)
    let second = try Self.messages(to: "bela", at: "Wedding", planner)
    let plain = try #require(first["plain"])
    #expect(plain === second["plain"])
    #expect(plain.isCommon)
    #expect(plain.body == "It waits")
    let named = try #require(first["named"])
    #expect(!named.isCommon)
    #expect(named.body == "At Mitte")
    #expect(second["named"]?.body == "At Wedding")
  }
}
