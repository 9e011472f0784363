import Reminders
import Testing

/// Faults in a catalog's presets, locks and selections are reported with their locations.
@Suite struct PresetDiagnosticsTests {
  private static let presets = """
    presets:
      maximum: {categories: all, reminders: all}
      minimal: {categories: [NOTE.push], reminders: [notes], channels: [push]}
    reminders:
    """
  private static let text = ValidCatalog.text.replacing("reminders:", with: presets)

  @Test func `P4: presets are read`() throws {
    let catalog = try Fixtures.read(Self.text)
    #expect(catalog.presets.map(\.name) == ["maximum", "minimal"])
    let minimal = try #require(catalog.preset(named: "minimal"))
    let states = minimal.switches.map {
      "\(catalog.settings.definitions[$0.setting].path) \($0.isOn)"
    }
    #expect(
      states == [
        "master true", "channels.push true", "channels.email false", "channels.sms false",
        "channels.inapp false", "categories.NOTE.push true", "reminders.notes.enabled true",
      ])
  }

  @Test func `P4: keep excludes categories and groups from a preset`() throws {
    let text = Self.text.replacing("maximum: {", with: "maximum: {keep: [NOTE, notes], ")
    let catalog = try Fixtures.read(text)
    let maximum = try #require(catalog.preset(named: "maximum"))
    let paths = maximum.switches.map { catalog.settings.definitions[$0.setting].path }
    #expect(
      paths == ["master", "channels.push", "channels.email", "channels.sms", "channels.inapp"])
  }

  @Test(arguments: [
    (
      "minimal:", "minimum:",
      "8:12: \"minimum\" is not a preset; did you mean \"maximum\"? "
        + "(known: maximum, balanced, minimal, critical)"
    ),
    (
      "minimal:", "custom:",
      "8:11: \"custom\" is not a preset (known: maximum, balanced, minimal, critical)"
    ),
    (
      "channels: [push]", "chanels: [push]",
      "8:58: the preset \"minimal\" has no \"chanels\"; did you mean \"channels\"? "
        + "(known: channels, categories, reminders, keep)"
    ),
    (
      "[NOTE.push]", "[NOTE.sms]",
      "8:26: \"NOTE.sms\" is not among the categories that this file can switch; "
        + "did you mean \"NOTE.push\"?"
    ),
    (
      "[notes]", "[note]",
      "8:50: \"note\" is not among the reminders that this file can switch; "
        + "did you mean \"notes\"?"
    ),
    (
      "channels: [push]", "keep: [NOTE, note]",
      "8:71: \"note\" is not among the categories and reminders that this file can switch; "
        + "did you mean \"notes\"?"
    ),
    (
      "channels: [push]", "keep: notes", "8:64: \"keep\" must be a list of categories and reminders"
    ),
    (
      "categories: all", "categories: every",
      "7:25: categories must be one of all, none, defaults, or a list of those that are on"
    ),
  ])
  func `P4: a fault in a preset is reported`(right: String, wrong: String, diagnostics: String) {
    ValidCatalog.expect(
      Self.text.replacing(right, with: wrong), "test.yaml:" + diagnostics)
  }

  @Test func `P4: each of two catalogs declares a preset for its own switches`() throws {
    let catalog = try Catalog(reading: [
      try FormFixtures.shipped("urbannest.yaml"), try FormFixtures.shipped("imanpath.yaml"),
    ])
    let presetCounts = catalog.presets.map(\.switches.count)
    let count = catalog.settings.definitions.filter(\.isSwitch).count
    #expect(catalog.presets.map(\.name) == ["maximum", "balanced", "minimal", "critical"])
    #expect(presetCounts == [count, count, count, count])
  }

  @Test func `P4: catalogs with conflicting presets are rejected`() throws {
    let other = """
      catalog: other
      categories: {}
      presets:
        minimal: {channels: [email]}
      reminders: {}
      """
    let sources = [
      CatalogSource(file: "one.yaml", text: Self.text),
      CatalogSource(file: "two.yaml", text: other),
    ]
    let error = #expect(throws: CatalogErrors.self) { try Catalog(reading: sources) }
    let prefix = "two.yaml:4:12: the preset \"minimal\" turns "
    #expect(
      error?.description == """
        \(prefix)channels.push off here, and on in another catalog
        \(prefix)channels.email on here, and off in another catalog
        """)
  }

  @Test func `P3: a preset cannot switch a locked category`() throws {
    let text = Self.text.replacing("title: Notes, ", with: "title: Notes, locked: true, ")
    ValidCatalog.expect(
      text,
      "test.yaml:8:26: \"NOTE.push\" is not among the categories that this file can switch")
    ValidCatalog.expect(
      "title: Notes, ", "title: Notes, locked: always, ",
      "3:32: locked must be true or false; it is \"always\"")
  }

  @Test(arguments: [
    ("{selection: a}", "5:78: selection must be a list of words"),
    ("{selection: []}", "5:78: a selection needs 1 to 62 words, each once"),
    ("{selection: [a, a]}", "5:78: a selection needs 1 to 62 words, each once"),
    (
      "{selection: [one, two], initial: [too]}",
      "5:99: \"too\" is not a word of the selection; did you mean \"two\"?"
    ),
    ("{selection: [one], first: [one]}", "5:85: a parameter has no \"first\""),
  ])
  func `a fault in a selection is reported`(selection: String, diagnostics: String) {
    let text = ValidCatalog.text.replacing("count: 3", with: "count: \(selection)")
    let error = #expect(throws: CatalogErrors.self) { try Fixtures.read(text) }
    #expect(
      error?.description.hasPrefix("test.yaml:" + diagnostics) == true,
      "\(error?.description ?? "")")
  }
}
