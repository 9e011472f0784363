import CivilTime
import JSON
import Reminders
import Testing

/// Rule P1: the recipient's hints for the display of notifications.
@Suite struct HintTests {
  @Test(
    arguments: [
      ([:], Channel.push, false, ""),
      (["sound": false], .push, false, #""hints":{"sound":"none"}"#),
      (["tone": "custom"], .inapp, false, #""hints":{"sound":"custom"}"#),
      (["tone": "custom"], .push, true, #""hints":{"sound":"none"}"#),
      (["tone": "custom", "sound": false], .push, false, #""hints":{"sound":"none"}"#),
      (
        ["vibration": false, "badge": false], .push, false,
        #""hints":{"vibration":false,"badge":false}"#
      ),
      (["preview": "unlocked"], .push, false, #""hints":{"preview":"unlocked"}"#),
      (["preview": "never"], .push, false, #""hints":{"preview":"never"}"#),
      (["preview": "never"], .inapp, false, ""),
      (["badge": false], .email, false, ""), (["badge": false], .sms, false, ""),
    ] as [(JSONValue, Channel, Bool, String)])
  func `only hints that differ from the defaults are written`(
    hints: JSONValue, channel: Channel, isSilent: Bool, text: String
  ) throws {
    var writer = JSONWriter()
    writer.beginObject()
    try Self.hints(hints).write(for: channel, isSilent: isSilent, to: &writer)
    writer.endObject()
    #expect(String(decoding: writer.bytes, as: UTF8.self) == "{\(text)}")
  }

  @Test func `a push without preview has no body`() throws {
    let message = Message(reminder: "lab", category: "LAB", title: "Lab Result", body: "Glucose")
    let never = try Self.hints(["preview": "never"])
    #expect(message.body(on: .push, never) == "")
    #expect(message.body(on: .inapp, never) == "Glucose")
    #expect(message.body(on: .email, never) == "Glucose")
    #expect(try message.body(on: .push, Self.hints(["preview": "unlocked"])) == "Glucose")
  }

  private static func hints(_ preferences: JSONValue) throws -> Hints {
    var player = Player(planner: try Fixtures.planner(), now: try utc("2026-03-02 12:00"))
    try player.take("recipient.updated", ["name": "Amina"])
    if preferences.objectValue?.isEmpty == false {
      try player.take("preferences.updated", ["hints": preferences])
    }
    return PlanningContext(facts: player.recipient.facts, planner: player.planner).settings.hints
  }
}
