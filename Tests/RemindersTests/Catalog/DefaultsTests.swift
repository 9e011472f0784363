import CivilTime
import JSON
import Reminders
import Testing

/// A catalog's defaults for the display of notifications, which the recipient's settings override
/// (rules P1, N4).
@Suite struct DefaultsTests {
  /// Returns a catalog with defaults.
  private static func text(_ defaults: String) -> String {
    ValidCatalog.text.replacing("catalog: notes", with: "catalog: notes\ndefaults: \(defaults)")
  }

  private static func settings(_ player: Player) -> Settings {
    PlanningContext(facts: player.recipient.facts, planner: player.planner).settings
  }

  @Test func `N4: the catalog sets what the badge counts by default`() throws {
    let text = Self.text("{hints: {badgeCounts: delivered, sound: false, preview: unlocked}}")
    var player = Player(
      planner: try Fixtures.planner(catalog: text), now: try utc("2026-03-02 09:00"))
    #expect(Badge.count(Self.settings(player), unread: 1, delivered: 2) == 2)
    #expect(Self.settings(player).hints == [.noSound, .previewUnlocked])
    try player.take("preferences.updated", ["hints": ["badgeCounts": "unread", "sound": true]])
    #expect(Badge.count(Self.settings(player), unread: 1, delivered: 2) == 1)
    #expect(Self.settings(player).hints == [.previewUnlocked])
  }

  @Test func `N4: the badge of the trials catalog counts delivered notifications`() throws {
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
  func `an invalid default is reported with its location`(defaults: String, diagnostic: String) {
    ValidCatalog.expect(Self.text(defaults), "test.yaml:" + diagnostic)
  }

  /// Returns a planner with the catalogs "one" and "other", which have these defaults.
  private static func plannerOfTwo(_ one: String, _ other: String) throws -> Planner {
    func source(_ name: String, _ defaults: String) -> CatalogSource {
      CatalogSource(
        file: "\(name).yaml",
        text: """
          catalog: \(name)
          defaults: \(defaults)
          categories: {\(name.uppercased()): {title: Notes, channels: {push: true, inapp: true}}}
          groups: {\(name): {enabled: true}}
          reminders:
            \(name):
              {category: \(name.uppercased()), group: \(name), every: {day: {at: "12:00"}},
              expires: 1h, messages: [{title: Note, body: "-"}]}
          """)
    }
    let zones = try Fixtures.zones.get()
    return Planner(
      catalog: try Catalog(reading: [source("one", one), source("other", other)]), zones: zones,
      defaultZone: try zones.zone(named: "UTC"))
  }

  private static func message(_ name: String) -> Message {
    Message(reminder: name, category: name.uppercased(), title: "Note", body: "-")
  }

  @Test func `N4: the badge counts each notification as its catalog declares`() throws {
    var player = Player(
      planner: try Self.plannerOfTwo("{hints: {badgeCounts: delivered}}", "{}"),
      now: try utc("2026-03-02 09:00"))
    /// Returns whether the badge counts an unread notification, and whether it counts a recent one.
    func counts(_ name: String) -> [Bool] {
      let context = PlanningContext(facts: player.recipient.facts, planner: player.planner)
      return [(true, false), (false, true)].map {
        context.isOnBadge(Self.message(name), isUnread: $0.0, isRecent: $0.1)
      }
    }
    func hasMixedBadge() -> Bool {
      PlanningContext(facts: player.recipient.facts, planner: player.planner).hasMixedBadge
    }
    #expect(hasMixedBadge())
    #expect(counts("one") == [false, true])
    #expect(counts("other") == [true, false])
    try player.take("preferences.updated", ["hints": ["badgeCounts": "unread"]])
    #expect(!hasMixedBadge())
    #expect(counts("one") == [true, false])
    #expect(counts("other") == [true, false])
  }

  @Test func `N4: a catalog's hints apply only to its own notifications`() throws {
    var player = Player(
      planner: try Self.plannerOfTwo("{hints: {sound: false}}", "{hints: {preview: never}}"),
      now: try utc("2026-03-02 09:00"))
    func hints(threshold: Int64) throws -> [String: Hints] {
      try player.take("preferences.updated", ["bundling": ["threshold": .integer(threshold)]])
      let firings = player.recipient.simulatedFirings(
        from: player.now, through: player.now + .hours(8), planner: player.planner)
      let context = PlanningContext(facts: player.recipient.facts, planner: player.planner)
      return Dictionary(
        firings.filter { $0.channels.contains(ChannelSet(.push)) }.compactMap { firing in
          context.message(of: firing).map { ($0.reminder, firing.hints) }
        }, uniquingKeysWith: { $1 })
    }
    #expect(try hints(threshold: 0) == ["one": [.noSound], "other": [.previewNever]])
    try player.take(
      "preferences.updated", ["quietHours": ["enabled": true, "start": "11:00", "end": "12:30"]])
    #expect(try hints(threshold: 2)["digest"] == [.previewNever])
    try player.take("preferences.updated", ["hints": ["sound": false]])
    #expect(try hints(threshold: 2)["digest"] == [.noSound, .previewNever])
  }

  @Test func `N4: a default that all catalogs declare is the preferences' default`() throws {
    let planner = try Self.plannerOfTwo("{hints: {badge: false}}", "{hints: {badge: false}}")
    let player = Player(planner: planner, now: try utc("2026-03-02 09:00"))
    #expect(!Self.settings(player).isOn(.badge))
    let playerOfDifferingCatalogs = Player(
      planner: try Self.plannerOfTwo("{hints: {badge: false}}", "{}"),
      now: try utc("2026-03-02 09:00"))
    #expect(Self.settings(playerOfDifferingCatalogs).isOn(.badge))
  }
}
