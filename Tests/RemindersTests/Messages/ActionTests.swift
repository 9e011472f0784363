import CivilTime
import JSON
import Testing

@testable import Reminders

/// The actions of notifications.
@Suite struct ActionTests {
  private static let catalog = """
    catalog: care
    events:
      dose.due: {dose: identifier, name: text, at: instant}
      dose.taken: {dose: identifier, name: text?, note: text?, from: recipient}
      dose.undone: {dose: identifier, from: recipient}
    categories:
      DOSE:
        title: Doses
        channels: {push: true}
        actions:
          later: {snooze: 30m}
          stop: {title: {en: Stop, de: Aus}, set: {reminders.doses.enabled: false}}
    groups:
      doses: {enabled: true}
    reminders:
      dose:
        category: DOSE
        group: doses
        on: {event: dose.due, delay: 1s}
        expires: 2h
        actions:
          taken: {title: {en: Taken, de: Genommen}, event: dose.taken, undo: dose.undone}
        messages: [{title: "{{name}}", body: Take it.}]
      check:
        category: DOSE
        group: doses
        every: {day: {at: "12:00"}}
        expires: 2h
        messages: [{title: Check, body: All taken?}]
    """

  /// Returns the notifications of two hours, after one dose was due.
  ///
  /// - Parameter request: whether a notification is requested too.
  private static func entries(_ locale: String?, request: Bool = false) throws -> [Player.Entry] {
    let start = try #require(Instant("2026-03-02T11:00:00Z"))
    var player = Player(planner: try Fixtures.planner(catalog: catalog), now: start)
    if let locale { try player.take("recipient.updated", ["locale": .string(locale)]) }
    try player.take(
      "dose.due", ["dose": "d1", "name": "Iron", "at": "2026-03-02T11:00:00Z"])
    if request {
      try player.take(
        "notification.requested",
        ["category": "DOSE", "title": "A", "body": "B", "deepLink": ["page": "x"]])
    }
    player.advance(to: start + .hours(2))
    return player.entries
  }

  @Test(arguments: [
    (nil, #"{"actions":[{"id":"taken","title":"Taken"}]}"#),
    ("de-AT", #"{"actions":[{"id":"taken","title":"Genommen"}]}"#),
    ("fr", #"{"actions":[{"id":"taken","title":"Taken"}]}"#),
  ])
  func `G13: a reminder's own actions are in its details`(
    locale: String?, details: String
  ) throws {
    #expect(try Self.entries(locale).first { $0.reminder == "dose" }?.details == details)
  }

  @Test(arguments: [
    (
      nil,
      #"{"actions":[{"id":"later","title":"Remind me later"},{"id":"stop","title":"Stop"}]}"#
    ),
    (
      "de", #"{"actions":[{"id":"later","title":"Später erinnern"},{"id":"stop","title":"Aus"}]}"#
    ),
  ])
  func `G13: other notifications have the actions of their category`(
    locale: String?, details: String
  ) throws {
    #expect(try Self.entries(locale).first { $0.reminder == "check" }?.details == details)
  }

  @Test func `G13: a requested notification has the actions of its category`() throws {
    let requested = try Self.entries(nil, request: true).first {
      $0.reminder == "notification.requested"
    }
    #expect(
      requested?.details
        == #"{"actions":[{"id":"later","title":"Remind me later"},{"id":"stop","title":"Stop"}],"#
        + #""deepLink":{"page":"x"}}"#)
  }

  @Test func `G13: an action copies the fields that both events have from the triggering event`()
    throws
  {
    let reminder = try Fixtures.read(Self.catalog).reminder(Symbol("dose"))
    #expect(
      reminder?.actions.map(\.effect) == [
        .event(
          ActionEvent(type: "dose.taken", fields: ["dose", "name"]),
          undo: ActionEvent(type: "dose.undone", fields: ["dose"]))
      ])
  }

  @Test func `G13: links are added to the actions of a message`() {
    let message = Message(
      reminder: "r", category: "C", title: "t", body: "b",
      details: #"{"actions":[{"id":"a","title":"A"},{"id":"b","title":"B"}],"x":1}"#)
    let linked = message.linked { $0 == "b" ? nil : "https://x.org/\($0)" }
    #expect(
      linked.actions == [
        OfferedAction(name: "a", title: "A", url: "https://x.org/a"),
        OfferedAction(name: "b", title: "B"),
      ])
    #expect(linked.details.contains(#""answerUrl":"https://x.org/","x":1"#))
    #expect(message.linked { _ in nil } === message)
    let plain = Message(reminder: "r", category: "C", title: "t", body: "b")
    #expect(plain.linked { _ in "https://x.org" } === plain)
  }
}
