import Foundation
import Reminders
import Testing

@testable import ChimedClient

/// Settings, their changes and their effects.
@Suite struct PreferencesTests {
  @Test func `P1: the client has every built-in setting`() {
    let toggles: [ChimedSetting<Bool>] = [
      .master, .push, .email, .sms, .inapp, .quietHoursEnabled, .quietHoursAllowCritical,
      .vacationMode, .skipWeekends, .skipHolidays, .sound, .vibration, .discreet, .badge,
      .smsCriticalOnly,
    ]
    let times: [ChimedSetting<ChimedTimeOfDay>] = [
      .quietHoursStart, .quietHoursEnd, .emailTime, .dayStart,
    ]
    let days: [ChimedSetting<[ChimedWeekday]>] = [.quietHoursDays, .weekend]
    let texts: [ChimedSetting<String?>] = [.vacationUntil, .minimumInterval]
    let choices: [ChimedSetting<String>] = [.tone, .preview, .emailFrequency, .badgeCounts]
    let numbers: [String] = [
      ChimedSetting<Int?>.capPerDay.path, ChimedSetting<Int>.bundlingThreshold.path,
      ChimedSetting<ChimedWeekday>.emailDay.path,
    ]
    let paths =
      toggles.map(\.path) + times.map(\.path) + days.map(\.path) + texts.map(\.path)
      + choices.map(\.path) + numbers
    #expect(paths.sorted() == BuiltInSetting.allCases.map(\.path).sorted())
  }

  @Test func `a version is read from strong and weak tags`() {
    #expect(["\"17\"", "W/\"17\"", "17"].map { ChimedClient.version(of: $0) } == [17, 17, 17])
    #expect(ChimedClient.version(of: "W/\"x\"") == nil)
  }

  /// A path without a leading slash would become a part of the host.
  @Test(arguments: ["@other.example/v1", ".other.example/v1", "v1/status", ""])
  func `H23: only a path is called, so that the token reaches no other host`(
    path: String
  ) async throws {
    let chimed = try ChimedClient("https://chimed.invalid", token: "t", retries: .never)
    let error = await #expect(throws: ChimedError.self) { try await chimed.request("GET", path) }
    guard case .invalid = error else {
      Issue.record("\(error as Any)")
      return
    }
  }

  @Test func `P5: changes are one document, and the later change of a setting applies`() throws {
    let start = try #require(ChimedTimeOfDay("20:30"))
    let document = ChimedSettingChange.document(of: [
      .set(.quietHoursEnabled, to: false), .set(.quietHoursStart, to: start),
      .set(.quietHoursDays, to: [.monday, .sunday]), .set(.quietHoursEnabled, to: true),
      .set(.capPerDay, to: nil), .set(ChimedSetting<Int>("reminders.drink.count"), to: 3),
    ])
    let text = #"""
      {"caps":{"perDay":null},"quietHours":{"days":["mon","sun"],"enabled":true,"start":"20:30"},\#
      "reminders":{"drink":{"count":3}}}
      """#
    let expected = try ChimedDocument.decode(ChimedValue.self, from: Data(text.utf8))
    #expect(document == expected)
    let encoder = JSONEncoder()
    encoder.outputFormatting = .sortedKeys
    #expect(String(decoding: try encoder.encode(document), as: UTF8.self) == text)
  }

  @Test func `P1: a value has the type of its setting`() throws {
    let text = """
      {"master": true, "caps": {"perDay": 3, "minInterval": null}, "dayStart": "08:00",
       "email": {"day": "mon"}, "quietHours": {"days": ["sat"]}, "hints": {"sound": "loud"}}
      """
    let preferences = ChimedPreferences(
      version: 1, document: try ChimedDocument.decode(ChimedValue.self, from: Data(text.utf8)))
    #expect(preferences.value(of: .master) == true)
    #expect(preferences.value(of: .capPerDay) == .some(.some(3)))
    #expect(preferences.value(of: .minimumInterval) == .some(.none))
    #expect(preferences.value(of: .dayStart) == ChimedTimeOfDay(hour: 8, minute: 0))
    #expect(preferences.value(of: .emailDay) == .monday)
    #expect(preferences.value(of: .quietHoursDays) == [.saturday])
    #expect(preferences.value(of: .sound) == nil)
    #expect(preferences.value(of: .push) == nil)
  }

  @Test(arguments: ["24:00", "8:00", "08:60", "+8:00", "08:00:00", ""])
  func `P7: a time of day has hours and minutes`(text: String) {
    #expect(ChimedTimeOfDay(text) == nil)
  }

  @Test func `P5: the effects of a change are decoded`() throws {
    let text = """
      {"version": 3, "dryRun": true, "warnings": ["w"], "changes": [{"change": "moved",
       "reminder": "r", "title": "T", "channels": ["push"], "before": "2026-03-02T21:00:00.000Z",
       "beforeLocal": "x", "after": null, "afterLocal": null, "reasons": ["quiet_hours"]}]}
      """
    let effects = try ChimedDocument.decode(ChimedEffects.self, from: Data(text.utf8))
    #expect(effects.version == 3 && effects.isDryRun && effects.warnings == ["w"])
    #expect(effects.changes.first?.kind == .moved)
    #expect(effects.changes.first?.before == Date(timeIntervalSince1970: 1_772_485_200))
    #expect(effects.changes.first?.after == nil)
  }
}
