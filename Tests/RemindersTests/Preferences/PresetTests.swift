import JSON
import Reminders
import Testing

/// Rule P4: presets set only switches.
@Suite struct PresetTests {
  @Test(arguments: ["maximum", "balanced", "minimal", "critical"])
  func `P4: an applied preset is current until a switch deviates`(name: String) throws {
    var user = try FormUser(FormFixtures.planner())
    try user.apply(preset: name)
    #expect(try user.document(.own)["preset"] == .string(name))
    #expect(try user.document(.wellness)["preset"] == .string(name))
    let isOn = user.context.settings.isOn(.email)
    try user.write(["channels": ["email": .bool(!isOn)]], as: .own)
    #expect(try user.document(.own)["preset"] == "custom")
    try user.write(["channels": ["email": .bool(isOn)]], as: .own)
    #expect(try user.document(.own)["preset"] == .string(name))
  }

  @Test(arguments: [
    ("maximum", ["PROMOTIONS.push", "PROMOTIONS.email", "NEWSLETTER.email", "REVIEWS.push"], []),
    ("balanced", ["REVIEWS.push"], ["PROMOTIONS.push", "PROMOTIONS.email", "NEWSLETTER.email"]),
    (
      "minimal", ["PAYMENTS.push", "PAYMENTS.sms", "INVOICES.email", "BOOKING_UPDATES.push"],
      ["REVIEWS.push", "PROMOTIONS.push", "WEEKLY_SUMMARY.email"]
    ),
    (
      "critical", ["BOOKING_CANCELLATIONS.push", "BOOKING_CANCELLATIONS.sms", "OTP.sms"],
      ["BOOKING_UPDATES.push", "PAYMENTS.push", "INVOICES.email"]
    ),
  ])
  func `P4: each preset of urbannest switches its own categories on and others off`(
    name: String, on: [String], off: [String]
  ) throws {
    var user = try FormUser(FormFixtures.planner())
    try user.apply(preset: name)
    let own = try user.document(.own)
    for path in on { #expect(own.value(at: "categories." + path) == true, "\(path)") }
    for path in off { #expect(own.value(at: "categories." + path) == false, "\(path)") }
  }

  @Test func `P4: a preset changes neither times nor zone nor addresses`() throws {
    var user = try FormUser(FormFixtures.planner())
    try user.write(
      [
        "quietHours": ["enabled": true, "start": "23:00", "end": "05:00", "days": ["fri"]],
        "reminders": ["breakfast": ["time": "09:15", "skipWeekends": true]],
        "vacation": ["mode": true, "until": "2026-03-10"], "hints": ["sound": false],
      ], as: .own)
    try user.write(
      ["delivery": ["sms": ["number": "+4930123456"]], "schedule": ["timezone": "Asia/Tokyo"]],
      as: .wellness)
    for preset in ["minimal", "maximum", "critical", "balanced"] {
      let (before, profile) = (try user.document(.own), user.player.recipient.facts.profile)
      try user.apply(preset: preset)
      let changed = try user.document(.own).differences(to: before)
      let switches = changed.filter {
        $0 == "preset" || $0 == "master" || $0.hasPrefix("channels.")
          || $0.hasPrefix("categories.") || $0.hasSuffix(".enabled") && $0.hasPrefix("reminders.")
      }
      #expect(!changed.isEmpty)
      #expect(changed == switches)
      #expect(user.player.recipient.facts.profile == profile)
    }
  }

  @Test func `P4: a switch in the same document overrides the preset`() throws {
    var user = try FormUser(FormFixtures.planner())
    try user.write(
      ["preset": "critical", "categories": ["REVIEWS": ["push": true]]], as: .own)
    let own = try user.document(.own)
    #expect(own.value(at: "categories.REVIEWS.push") == true)
    #expect(own.value(at: "categories.PAYMENTS.push") == false)
    #expect(own["preset"] == "custom")
  }

  @Test func `P4: a saved preset restores its switches`() throws {
    var user = try FormUser(FormFixtures.planner())
    let schema = user.player.planner.catalog.settings
    #expect(CustomPreset(facts: user.player.recipient.facts, schema: schema) == nil)
    try user.write(
      [
        "channels": ["sms": false], "categories": ["PAYMENTS": ["push": false]],
        "reminders": ["tips": ["enabled": false, "time": "11:00"]],
      ], as: .own)
    let saved = try user.document(.own)
    try user.take(CustomPreset.saving(user.context.settings, in: schema))
    #expect(try user.document(.own).value(at: "custom.categories.PAYMENTS.push") == false)
    #expect(try user.document(.own).value(at: "custom.reminders.tips.enabled") == false)
    try user.apply(preset: "maximum")
    try user.write(["reminders": ["tips": ["time": "12:00"]]], as: .own)
    let custom = try #require(
      CustomPreset(facts: user.player.recipient.facts, schema: schema))
    try user.take(custom.changes(in: schema))
    let changed = try user.document(.own).differences(to: saved)
    #expect(
      changed.filter { !$0.hasPrefix("custom.") } == ["reminders.tips.time"],
      "a preset restores switches, not times")
    try user.take(CustomPreset.forgetting(in: schema))
    #expect(try user.document(.own)["custom"] == nil)
  }

  @Test(
    arguments: [
      ([:], "data.preset is missing"),
      (
        ["preset": "minimum"],
        "data.preset must be one of maximum, balanced, minimal, critical, custom; "
          + "it is \"minimum\"; did you mean \"maximum\"?"
      ),
      (
        ["preset": true],
        "data.preset must be one of maximum, balanced, minimal, critical, custom; "
          + "it is a boolean"
      ),
      (
        ["preset": "minimal", "at": 1],
        "data.at is not known; preset.applied has only data.preset"
      ),
      (
        ["preset": "custom"],
        "data.preset is \"custom\", which names no switches; "
          + "report preferences.updated with the switches"
      ),
    ] as [(JSONValue, String)])
  func `P4: an unknown preset is refused`(data: JSONValue, text: String) throws {
    var user = try FormUser(FormFixtures.planner())
    let refusal = #expect(throws: Refusal.self) { try user.player.take("preset.applied", data) }
    #expect(refusal?.description == text)
  }

  @Test func `P4: a preset that no catalog declares is refused`() throws {
    var user = try FormUser(Fixtures.planner(catalog: ValidCatalog.text))
    let refusal = #expect(throws: Refusal.self) { try user.apply(preset: "minimal") }
    #expect(
      refusal?.description == "data.preset is \"minimal\", which no loaded catalog declares; "
        + "the catalogs declare no presets")
    #expect(try user.document(.own)["preset"] == "custom")
  }

  @Test(
    arguments: [
      (
        ["custom": ["reminders": ["tips": ["time": "11:00"]]]],
        "custom.reminders.tips.time is not a preference"
      ),
      (["custom": ["categories": ["OTP": ["sms": false]]]], "custom.categories.OTP.sms "),
      (
        ["custom": true],
        "custom must be an object of switches, or null to remove the saved preset; it is a boolean"
      ),
    ] as [(JSONValue, String)])
  func `P4: a saved preset contains only switches`(document: JSONValue, text: String) throws {
    var user = try FormUser(FormFixtures.planner())
    let refusal = #expect(throws: Refusal.self) { try user.write(document, as: .own) }
    #expect(refusal?.description.hasPrefix(text) == true, "\(refusal?.description ?? "")")
  }
}
