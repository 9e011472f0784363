import CivilTime
import JSON
import TestSupport
import Testing
import Yams

@testable import Reminders

/// Rule V19: the operator's defaults of preferences.
@Suite struct PolicyDefaultTests {
  private static let presets =
    "presets: {minimal: {reminders: none}, balanced: {channels: [push, inapp, email]}}"

  /// Returns a catalog with a daily reminder at 22:00, and the given defaults.
  private static func text(
    _ defaults: String, caps: String = "{}", name: String = "notes"
  ) -> String {
    """
    catalog: \(name)
    categories:
      NOTE: {title: Notes, channels: {push: true, email: false}}
      CODE: {title: Codes, locked: true, channels: {sms: true}}
    groups:
      notes: {enabled: true, time: "22:00"}
    \(presets)
    policies: {caps: \(caps), defaults: {\(defaults)}}
    reminders:
      note:
        category: NOTE
        group: notes
        every: {day: {at: $time}}
        expires: 12h
        messages: [{title: Note, body: A note.}]
    """
  }

  private static let quiet = "quietHours.enabled: true, quietHours.end: \"07:00\""

  @Test func `V19: a default applies until the person sets another value`() throws {
    try Diary.expect(
      """
      2026-03-02 12:00  event recipient.updated {"timezone": "UTC"}
      2026-03-03 07:00  > note of 2026-03-02 22:00 (quiet_hours)
      2026-03-03 12:00  event preferences.updated {"quietHours": {"enabled": false}}
      2026-03-03 22:00  > note
      2026-03-04 12:00  event preferences.updated {"quietHours": {"enabled": true}}
      2026-03-05 07:00  > note of 2026-03-04 22:00 (quiet_hours)
      2026-03-05 12:00  end
      """, catalog: Self.text(Self.quiet))
  }

  @Test func `V19: every part of the preferences can have a default`() throws {
    let catalog = try Fixtures.read(
      Self.text(
        "channels.email: false, categories.NOTE.email: true, reminders.notes.time: \"09:30\", "
          + "dayStart: \"06:00\", calendar.weekend: [fri, sat], caps.perDay: 5, "
          + "caps.minInterval: 10m, bundling.threshold: 2, email.frequency: daily, "
          + "sms.criticalOnly: true"))
    let values = Dictionary(
      uniqueKeysWithValues: catalog.settings.definitions.map {
        ($0.path, $0.kind.value(of: $0.initial))
      })
    #expect(values["channels.email"] == false && values["categories.NOTE.email"] == true)
    #expect(values["reminders.notes.time"] == "09:30" && values["dayStart"] == "06:00")
    #expect(values["calendar.weekend"] == ["fri", "sat"] && values["caps.perDay"] == 5)
    #expect(values["caps.minInterval"] == "PT10M" && values["bundling.threshold"] == 2)
    #expect(values["email.frequency"] == "daily" && values["sms.criticalOnly"] == true)
    #expect(values["channels.push"] == true && values["reminders.notes.enabled"] == true)
  }

  @Test func `V19: a default is no limit, and a reset restores it`() throws {
    let planner = try Fixtures.planner(catalog: Self.text("caps.perDay: 5"))
    var player = Player(planner: planner, now: try utc("2026-03-02 12:00"))
    func cap() -> Int? {
      PlanningContext(facts: player.recipient.facts, planner: planner).settings.capPerDay
    }
    #expect(cap() == 5)
    try player.take("preferences.updated", ["caps": ["perDay": 9]])
    #expect(cap() == 9)
    try player.take("preferences.updated", ["caps": ["perDay": .null]])
    #expect(cap() == nil)
    let context = PlanningContext(facts: player.recipient.facts, planner: planner)
    let reset = PreferencesExport(context).resetChanges
    #expect(reset == [SettingChange(path: Symbol("caps.perDay"), value: 5)])
  }

  private static let night = "quietHours.start: \"22:00\", quietHours.end: \"07:00\""

  @Test func `V19: a default makes no window with a time that the person has set`() throws {
    var player = Player(
      planner: try Fixtures.planner(catalog: Self.text("caps.perDay: 5")),
      now: try utc("2026-03-02 12:00"))
    try player.take("preferences.updated", ["quietHours": ["enabled": true, "end": "22:00"]])
    let planner = try Fixtures.planner(catalog: Self.text(Self.night))
    let quiet = PlanningContext(facts: player.recipient.facts, planner: planner).settings.quietHours
    #expect(quiet.isEnabled)
    #expect("\(quiet.start) \(quiet.end)" == "21:00 22:00")
  }

  @Test func `V19: a write of one time of quiet hours keeps the other that was shown`() throws {
    let planner = try Fixtures.planner(catalog: Self.text(Self.night))
    var player = Player(planner: planner, now: try utc("2026-03-02 12:00"))
    func context() -> PlanningContext {
      PlanningContext(facts: player.recipient.facts, planner: planner)
    }
    let form = try PreferencesForm(.own, catalog: planner.catalog)
    let write = try form.write(["quietHours": ["end": "06:00"]], to: context())
    #expect(
      write.settings == [
        SettingChange(path: Symbol("quietHours.end"), value: 360),
        SettingChange(path: Symbol("quietHours.start"), value: 1_320),
      ])
    // A start that the person has set needs no repetition.
    try player.take("preferences.updated", ["quietHours": ["start": "23:00"]])
    let next = try form.write(["quietHours": ["end": "06:00"]], to: context())
    #expect(next.settings == [SettingChange(path: Symbol("quietHours.end"), value: 360)])
  }

  @Test func `V19: presets that turn switches to their defaults follow the operator's`() throws {
    let catalog = try Fixtures.read(Self.text("categories.NOTE.email: true"))
    let balanced = try #require(catalog.preset(named: "balanced"))
    let email = try #require(catalog.settings.index(of: "categories.NOTE.email"))
    let push = try #require(catalog.settings.index(of: "categories.NOTE.push"))
    let states = Dictionary(
      uniqueKeysWithValues: balanced.switches.map { ($0.setting, $0.isOn) })
    #expect(states[email] == true && states[push] == true)
    // The preset names the channels that are on, so a default does not change them.
    let other = try Fixtures.read(Self.text("channels.email: false, channels.sms: true"))
    let channels = try #require(other.preset(named: "balanced")).switches.filter(\.isOn)
      .map { other.settings.definitions[$0.setting].path }
    #expect(channels.contains("channels.email") && !channels.contains("channels.sms"))
  }

  private static func source(_ name: String, _ defaults: String) -> CatalogSource {
    CatalogSource(
      file: "\(name).yaml",
      text: "catalog: \(name)\ncategories: {}\nreminders: {}\n"
        + "policies: {defaults: {\(defaults)}}")
  }

  @Test func `V19: the configuration's default replaces those of catalogs`() throws {
    let policies = PolicySource(file: "chimed.yaml", storedText: "{defaults: {caps.perDay: 4}}")
    let sources = [Self.source("one", "caps.perDay: 5"), Self.source("two", "caps.perDay: 5")]
    let catalog = try Catalog(reading: sources, policies: policies)
    #expect(catalog.settings.initialValues[BuiltInSetting.capPerDay.rawValue] == 4)
    let others = [Self.source("one", "caps.perDay: 5"), Self.source("two", "caps.perDay: 6")]
    let errors = #expect(throws: CatalogErrors.self) { try Catalog(reading: others) }
    #expect(
      errors?.description
        == "two.yaml:4:36: one.yaml has another default of \"caps.perDay\"; remove one of them")
  }

  /// The operator of the configuration cannot change a catalog that the package ships.
  @Test(arguments: [
    ("{caps: {perDay: 4}, defaults: {caps.perDay: 4}}", "caps.perDay: 6", 4),
    ("{caps: {perDay: 4}, defaults: {caps.perDay: 3}}", "caps.perDay: 6", 3),
    ("{caps: {perDay: 4}}", "caps.perDay: 6", 4),
    ("{caps: {perDay: 4}}", "caps.perDay: 3", 3),
    ("{defaults: {caps.perDay: 8}}", "caps.perDay: 6", 8),
  ])
  func `V19: a catalog's default does not contradict the configuration`(
    policies: String, defaults: String, cap: Int64
  ) throws {
    let catalog = try Catalog(
      reading: [Self.source("wellness", defaults)],
      policies: PolicySource(file: "chimed.yaml", storedText: policies))
    #expect(catalog.settings.initialValues[BuiltInSetting.capPerDay.rawValue] == cap)
  }

  @Test(arguments: ["null", "~"])
  func `V19: null in the configuration removes a catalog's default`(null: String) throws {
    let text = "policies: {defaults: {caps.perDay: \(null)}}"
    let node = try #require(try Yams.compose(yaml: text)?.mapping?["policies"])
    let catalog = try Catalog(
      reading: [Self.source("wellness", "caps.perDay: 6")],
      policies: PolicySource(file: "chimed.yaml", text: text, policies: node))
    let cap = BuiltInSetting.capPerDay.rawValue
    #expect(catalog.settings.initialValues[cap] == SettingKind.unset)
    let restored = try #require(Catalog(storedText: catalog.storedText))
    #expect(restored.settings.initialValues[cap] == SettingKind.unset)
    #expect(restored.fingerprint == catalog.fingerprint)
  }

  @Test func `V19: a default of the configuration settles different ones of catalogs`() throws {
    let sources = [Self.source("one", "caps.perDay: 6"), Self.source("two", "caps.perDay: 8")]
    let policies = PolicySource(file: "chimed.yaml", storedText: "{defaults: {caps.perDay: 4}}")
    let catalog = try Catalog(reading: sources, policies: policies)
    #expect(catalog.settings.initialValues[BuiltInSetting.capPerDay.rawValue] == 4)
  }

  @Test func `V19: a stricter limit of another catalog is the default`() throws {
    let limits = CatalogSource(
      file: "limits.yaml",
      text: "catalog: limits\ncategories: {}\nreminders: {}\n"
        + "policies: {caps: {minInterval: 30m}}")
    let catalog = try Catalog(reading: [Self.source("one", "caps.minInterval: 10m"), limits])
    let interval = catalog.settings.initialValues[BuiltInSetting.minimumInterval.rawValue]
    #expect(interval == TimeSpan.minutes(30).milliseconds)
    let policies = PolicySource(
      file: "chimed.yaml", storedText: "{defaults: {caps.minInterval: 10m}}")
    let errors = #expect(throws: CatalogErrors.self) {
      try Catalog(reading: [limits], policies: policies)
    }
    #expect(
      errors?.description == "chimed.yaml:1:41: \"caps.minInterval\" must be at least 30m, as the "
        + "operator requires; it is 10m")
  }

  @Test(arguments: [
    (
      "quietHours.starts: \"21:00\"", "8:42",
      "\"quietHours.starts\" is not a preference; did you mean \"quietHours.start\"?"
    ),
    (
      "caps.perDay: many", "8:55",
      "\"caps.perDay\" must be a whole number, or null for none; "
        + "it is a string"
    ),
    (
      "caps.perDay: 7", "8:55",
      "\"caps.perDay\" must be at most 6, as the operator requires; it is 7"
    ),
    (
      "vacation.mode: true", "8:42",
      "the operator gives \"vacation.mode\" no default (possible: channels, categories, reminders, "
        + "quietHours, dayStart, calendar, caps, bundling, email, sms)"
    ),
    (
      "categories.CODE.sms: false", "8:42",
      "\"categories.CODE.sms\" belongs to a locked category, which is always on; remove it"
    ),
    (
      "quietHours.start: \"09:00\", quietHours.end: \"09:00\"", "8:85",
      "Start and end time cannot be the same"
    ),
    ("quietHours.days: []", "8:59", "quiet hours need at least one day"),
  ])
  func `V19: a faulty default is reported with its place`(
    defaults: String, place: String, message: String
  ) {
    ValidCatalog.expect(
      Self.text(defaults, caps: "{perDay: 6}"), "test.yaml:\(place): \(message)")
  }
}
