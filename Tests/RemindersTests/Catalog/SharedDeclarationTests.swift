import CivilTime
import JSON
import Reminders
import Testing

/// Equal declarations of several catalogs are shared; different ones are reported with both
/// locations.
@Suite struct SharedDeclarationTests {
  private static let shipped = ["imanpath", "urbannest", "rooms", "wellness", "trials"]

  private static func planner(_ names: [String]) throws -> Planner {
    let sources = try names.map {
      CatalogSource(file: "\($0).yaml", text: try Fixtures.shipped($0))
    }
    let zones = try Fixtures.zones.get()
    return Planner(
      catalog: try Catalog(reading: sources), zones: zones,
      defaultZone: try zones.zone(named: "Europe/Berlin"))
  }

  // MARK: - The shipped catalogs

  @Test func `all shipped catalogs load together`() throws {
    let catalog = try Self.planner(Self.shipped).catalog
    #expect(catalog.catalogNames == Self.shipped)
    let identifiers = catalog.reminders.map(\.identifier)
    #expect(Set(identifiers).count == identifiers.count)
    for form in PreferencesForm.Name.allCases {
      #expect(throws: Never.self) { try PreferencesForm(form, catalog: catalog) }
    }
  }

  /// Reports every event of a catalog and switches on its reminders. The plan and the deliveries
  /// are the same if the other shipped catalogs are loaded too.
  @Test(arguments: shipped)
  func `a catalog plans the same alone and beside the other catalogs`(name: String) throws {
    let singlePlanner = try Self.planner([name])
    var alone = try Self.busyPlayer(singlePlanner, events: singlePlanner.catalog)
    var together = try Self.busyPlayer(
      try Self.planner(Self.shipped), events: singlePlanner.catalog)
    let reminders = Set(singlePlanner.catalog.reminders.map(\.identifier))
    #expect(Self.pending(alone, reminders) == Self.pending(together, reminders))
    let end = alone.now + .days(10)
    alone.advance(to: end)
    together.advance(to: end)
    #expect(alone.entries == together.entries.filter { reminders.contains($0.reminder) })
    #expect(alone.entries.isEmpty == reminders.isEmpty)
    #expect(Self.pending(alone, reminders) == Self.pending(together, reminders))
  }

  /// Returns the pending occurrences of the given reminders.
  private static func pending(_ player: Player, _ reminders: Set<String>) -> [Pending] {
    let symbols = Set(reminders.map { Symbol($0) })
    return player.recipient.pending(now: player.now, planner: player.planner)
      .filter { symbols.contains($0.reminder) }
  }

  private static func busyPlayer(_ planner: Planner, events: Catalog) throws -> Player {
    var player = Player(planner: planner, now: try utc("2026-03-02 09:00"))
    try player.take("recipient.updated", ["timezone": "America/New_York"])
    for definition in events.settings.definitions
    where definition.path.hasPrefix("reminders.") && definition.path.hasSuffix(".enabled") {
      let group = String(definition.path.split(separator: ".")[1])
      try player.take(
        "preferences.updated", ["reminders": .object([group: ["enabled": true]])])
    }
    for schema in events.events where !schema.isCopy {
      guard let data = data(for: schema, now: player.now) else { continue }
      try player.take(schema.type, data)
    }
    return player
  }

  /// Sample data of an event; nil for built-in events that are neither happenings nor reports.
  private static func data(for schema: EventSchema, now: Instant) -> JSONValue? {
    switch schema.shape {
    case .happening, .report: break
    default: return nil
    }
    var data = JSONObject()
    for field in schema.fields {
      data[field.name] =
        switch field.kind {
        // Each type has a separate entity, so that no event cancels another's occurrences.
        case .identifier: .string(schema.type)
        case .instant: .string((now + .days(6)).description)
        case .date: "2026-12-24"
        case .text, .preview, .recipient: "a text"
        case .flag: true
        case .person: ["id": "p1", "username": "pete"]
        case .place: ["id": "room-1", "name": "Italy Trip"]
        case .list: [["type": "PHOTO"]]
        case .plan: ["times": ["08:00"]]
        case .number: 3
        case .rememberedNumber: 7
        }
    }
    return .object(data)
  }

  // MARK: - Equal and different declarations

  private static func read(_ one: String, _ other: String) throws -> Catalog {
    try Catalog(reading: [
      CatalogSource(file: "one.yaml", text: one), CatalogSource(file: "other.yaml", text: other),
    ])
  }

  private static func text(
    _ name: String, events: String = "{said: {thing: identifier, words: text?}}",
    category: String = "{title: Notes, channels: {push: true, email: fallback}}",
    group: String = "{enabled: true, time: \"12:00\", kind: {choice: [a, b]}}"
  ) -> String {
    """
    catalog: \(name)
    events: \(events)
    categories:
      NOTE: \(category)
    groups:
      notes: \(group)
    reminders:
      \(name)-note:
        category: NOTE
        group: notes
        every: {day: {at: $time}}
        expires: 12h
        messages: [{title: Note, body: A note.}]
    """
  }

  @Test func `one switch applies to the shared declarations of two catalogs`() throws {
    let zones = try Fixtures.zones.get()
    let planner = Planner(
      catalog: try Self.read(Self.text("one"), Self.text("other")), zones: zones,
      defaultZone: try zones.zone(named: "UTC"))
    #expect(planner.catalog.categories.map(\.name) == ["NOTE"])
    var player = Player(planner: planner, now: try utc("2026-03-02 09:00"))
    try player.take("preferences.updated", ["reminders": ["notes": ["time": "11:00"]]])
    player.advance(to: try utc("2026-03-02 20:00"))
    #expect(player.entries.map(\.reminder) == ["one-note", "other-note"])
    #expect(
      try player.entries.map(\.planned) == [utc("2026-03-02 11:00"), utc("2026-03-02 11:00")])
    try player.take("preferences.updated", ["categories": ["NOTE": ["push": false]]])
    #expect(player.nextDue == nil)
  }

  @Test(arguments: [
    (
      text("other", category: "{title: News, channels: {push: false, sms: true}}"),
      """
      other.yaml:4:9: the category "NOTE" is declared differently at one.yaml:4:9: \
      its title is "Notes" there and "News" here; its push is true there and false here; \
      it has email only there; it has sms only here; make both equal, or rename one
      """
    ),
    (
      text("other", group: "{enabled: true, time: \"13:00\", kind: {choice: [a, c]}, more: 3}"),
      """
      other.yaml:6:10: the group "notes" is declared differently at one.yaml:6:10: \
      its time is "12:00" there and "13:00" here; its kind is "a", one of a, b there and "a", \
      one of a, c here; it has more only here; make both equal, or rename one
      """
    ),
    (
      text("other", events: "{said: {thing: identifier, words: text}}"),
      """
      other.yaml:2:10: the event "said" is declared differently at one.yaml:2:10: \
      its words is text? there and text here; make both equal, or rename one
      """
    ),
  ])
  func `different declarations are reported with both locations`(
    other: String, diagnostics: String
  ) {
    let error = #expect(throws: CatalogErrors.self) { try Self.read(Self.text("one"), other) }
    #expect(error?.description == diagnostics)
  }
}
