import Reminders
import Testing

/// Faults in the declaration of inbox items.
@Suite struct InboxDiagnosticsTests {
  /// Expects that a catalog with this event and a reminder for it is refused with a diagnostic.
  private static func expect(
    event: String = "{actor: person, room: place, things: {list: {PHOTO: [a photo, photos]}}}",
    on: String = "{event: added, delay: 0s}", extraKeys: String = "", _ diagnostic: String,
    sourceLocation: SourceLocation = #_sourceLocation
  ) {
    let text = Fixtures.catalog(
      events: "{added: \(event)}", reminders: ["note": "on: \(on)\(extraKeys)"])
    let error = #expect(throws: CatalogErrors.self, sourceLocation: sourceLocation) {
      try Fixtures.read(text)
    }
    let description = error?.description ?? ""
    #expect(description.contains(diagnostic), sourceLocation: sourceLocation)
  }

  @Test func `an invalid batch is reported`() {
    Self.expect(
      on: "{event: added, delay: 0s, batch: {by: [actr], window: 5m}}",
      "\"actr\" is not a field of added to batch by; did you mean \"actor\"? "
        + "(known: actor, room)")
    Self.expect(
      on: "{event: added, delay: 0s, batch: {by: [actor], window: 2d}}",
      "\"window\" must be from 1s to 1d")
    Self.expect(
      event: "{actor: person}", on: "{event: added, delay: 0s, batch: {by: [actor], window: 5m}}",
      "\"batch\" needs a list to count, which added does not carry")
  }

  @Test func `an invalid list is reported`() {
    Self.expect(
      event: "{things: {list: {PHOTO: [a photo]}}}",
      "\"PHOTO\" needs a singular and a plural, such as [a photo, photos]")
    Self.expect(event: "{things: {list: {}}}", "a list needs 1 to 16 kinds of elements")
  }

  @Test func `invalid values of "opens" and "replacedBy" are reported`() {
    Self.expect(extraKeys: ", opens: rooms", "\"rooms\" cannot be opened; did you mean \"room\"?")
    Self.expect(
      event: "{actor: person}", extraKeys: ", opens: room",
      "to open a room, added needs a field of the kind place")
    Self.expect(
      extraKeys: ", replacedBy: added", "\"replacedBy\" needs an identifier in added and added")
  }

  @Test func `a key that needs an event trigger is rejected with another trigger`() {
    let text = Fixtures.catalog(
      reminders: ["note": "every: {day: {at: \"12:00\"}}, opens: none"])
    let error = #expect(throws: CatalogErrors.self) { try Fixtures.read(text) }
    #expect(error?.description.contains("\"opens\" needs \"on\"") == true)
  }
}
