import JSON
import Reminders
import TestSupport
import Testing

/// Rule P4: export, import and reset.
@Suite struct PreferencesExportTests {
  @Test(arguments: Seeds.all)
  func `P4: an import restores an export from any state`(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    let planner = try FormFixtures.planner()
    for _ in 0..<20 {
      let person = try RandomPreferences.person(planner, &random)
      let export = PreferencesExport(person.context).document
      var other = try RandomPreferences.person(planner, &random)
      try other.take(CustomPreset.forgetting(in: planner.catalog.settings))
      try other.take(PreferencesExport(other.context).changes(importing: export))
      #expect(try other.document(.own) == person.document(.own), "seed \(seed)")
      #expect(
        try PreferencesExport(other.context).changes(importing: export).isEmpty, "seed \(seed)")
    }
  }

  @Test func `P4: an export contains no address and no computed member`() throws {
    var user = try FormUser(FormFixtures.planner())
    try user.write(["delivery": ["sms": ["number": "+4930112112"]]], as: .wellness)
    let export = PreferencesExport(user.context).document
    #expect(export["version"] == 1)
    #expect(!JSONValue.object(export).description.contains("112"))
    #expect(export.value(at: "preferences.quietHours.active") == nil)
    #expect(export.value(at: "preferences.preset") == nil)
  }

  @Test func `P4: an import resets omitted settings to their defaults`() throws {
    var user = try FormUser(FormFixtures.planner())
    let newDocument = try user.document(.own)
    try user.write(["channels": ["sms": false], "caps": ["perDay": 3]], as: .own)
    let document: JSONObject = ["version": 1, "preferences": ["channels": ["push": false]]]
    try user.take(PreferencesExport(user.context).changes(importing: document))
    #expect(try user.document(.own).differences(to: newDocument) == ["preset", "channels.push"])
  }

  @Test(arguments: Seeds.all)
  func `P4: a reset restores the defaults`(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    let planner = try FormFixtures.planner()
    let newDocument = try FormUser(planner).document(.own)
    for _ in 0..<20 {
      var person = try RandomPreferences.person(planner, &random)
      let custom = try person.document(.own)["custom"]
      try person.take(PreferencesExport(person.context).resetChanges)
      var document = try person.document(.own)
      #expect(document["custom"] == custom, "seed \(seed)")
      document["custom"] = nil
      #expect(document == newDocument, "seed \(seed)")
      #expect(PreferencesExport(person.context).resetChanges.isEmpty, "seed \(seed)")
    }
  }

  @Test(
    arguments: [
      ([:], "version must be 1, the version of the export format"),
      (
        ["version": 2, "preferences": [:]], "version must be 1, the version of the export format"
      ),
      (["version": 1], "preferences must be an object with the exported settings"),
      (
        ["version": 1, "preferences": ["quietHours": ["days": []]]],
        "preferences.quietHours.days must name at least one day"
      ),
      (
        ["version": 1, "preference": [:]],
        "preference is not known; did you mean \"preferences\"?"
      ),
      (
        ["version": 1, "preferences": ["channels": ["fax": true]]],
        "preferences.channels.fax is not a preference"
      ),
      (
        ["version": 1, "preferences": ["quietHours": ["start": "08:00"]]],
        "preferences.quietHours is refused: Start and end time cannot be the same"
      ),
    ] as [(JSONObject, String)])
  func `P4: an invalid export is refused`(document: JSONObject, text: String) throws {
    let user = try FormUser(FormFixtures.planner())
    let refusal = #expect(throws: Refusal.self) {
      try PreferencesExport(user.context).changes(importing: document)
    }
    #expect(refusal?.description.hasPrefix(text) == true, "\(refusal?.description ?? "")")
  }
}
