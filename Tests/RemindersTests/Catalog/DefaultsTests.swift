import CivilTime
import JSON
import Reminders
import Testing

/// What a catalog says of how things are shown to whoever has not said it (rules P1, N4).
@Suite struct DefaultsTests {
  private static func text(_ defaults: String) -> String {
    SoundCatalog.text.replacing("catalog: notes", with: "catalog: notes\ndefaults: \(defaults)")
  }

  private static func settings(_ player: Player) -> Settings {
    PlanningContext(facts: player.recipient.facts, planner: player.planner).settings
  }

  @Test func n4WhatTheBadgeCountsAtFirstIsTheCatalogs() throws {
    let text = Self.text("{hints: {badgeCounts: delivered, sound: false, preview: unlocked}}")
    var player = Player(
      planner: try Fixtures.planner(catalog: text), now: try utc("2026-03-02 09:00"))
    #expect(Badge.count(Self.settings(player), unread: 1, delivered: 2) == 2)
    #expect(Self.settings(player).hints == [.noSound, .previewUnlocked])
    try player.take("preferences.updated", ["hints": ["badgeCounts": "unread", "sound": true]])
    #expect(Badge.count(Self.settings(player), unread: 1, delivered: 2) == 1)
    #expect(Self.settings(player).hints == [.previewUnlocked])
  }

  @Test func n4TheBadgeOfTrialsCountsWhatWasDelivered() throws {
    let planner = try Fixtures.planner(catalog: Fixtures.shipped("trials"))
    let player = Player(planner: planner, now: try utc("2026-03-02 09:00"))
    #expect(Badge.count(Self.settings(player), unread: 0, delivered: 3) == 3)
  }

  @Test(arguments: [
    ("{hint: {}}", "2:12: the defaults has no \"hint\"; did you mean \"hints\"? (known: hints)"),
    (
      "{hints: {badges: true}}",
      "2:20: there is no hint \"badges\"; did you mean \"badge\"? "
        + "(known: sound, tone, vibration, badge, preview, badgeCounts)"
    ),
    ("{hints: {badge: 3}}", "2:27: \"badge\" must be true or false; it is a string"),
    (
      "{hints: {badgeCounts: all}}",
      "2:33: \"badgeCounts\" must be one of unread, delivered; it is \"all\""
    ),
  ])
  func whatIsWrongIsSaidWithItsPlace(defaults: String, diagnostic: String) {
    SoundCatalog.expect(Self.text(defaults), "test.yaml:" + diagnostic)
  }

  @Test func catalogsThatAreInUseTogetherMustNotDiffer() throws {
    func read(_ other: String) throws -> Catalog {
      let rest = "\ncategories: {}\nreminders: {}\n"
      return try Catalog(reading: [
        CatalogSource(
          file: "one.yaml", text: "catalog: one\ndefaults: {hints: {badge: false}}" + rest),
        CatalogSource(file: "other.yaml", text: "catalog: other\ndefaults: \(other)" + rest),
      ])
    }
    for same in ["{hints: {badge: false}}", "{hints: {sound: false}}", "{}"] {
      #expect(throws: Never.self) { try read(same) }
    }
    let error = #expect(throws: CatalogErrors.self) { try read("{hints: {badge: true}}") }
    #expect(
      error?.description.hasPrefix(
        "other.yaml:2:27: the default of hints.badge is declared otherwise at one.yaml:2:27: "
          + "its value is false there and true here") == true, "\(String(describing: error))")
  }
}
