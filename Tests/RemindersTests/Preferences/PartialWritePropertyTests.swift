import JSON
import Reminders
import TestSupport
import Testing

/// A write through any form changes only the members that it contains, and sets their values. Its
/// effect shows in every form (rules P1, P2).
@Suite struct PartialWritePropertyTests {
  @Test(arguments: Seeds.all)
  func `P2: a write sets its members and keeps all other members`(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    let planner = try FormFixtures.planner()
    for _ in 0..<15 {
      var user = try RandomPreferences.person(planner, &random)
      for _ in 0..<12 {
        let form = PreferencesForm.Name.allCases.randomElement(using: &random) ?? .own
        let document = try RandomPreferences.document(user, form, &random)
        let before = try user.document(form)
        let ownBefore = try user.document(.own)
        try user.write(document, as: form)
        try Self.expect(user, form, document, before: before, ownBefore: ownBefore, seed)
        try Self.expectAgreement(user, seed)
      }
    }
  }

  private static func expect(
    _ user: FormUser, _ form: PreferencesForm.Name, _ document: JSONValue, before: JSONObject,
    ownBefore: JSONObject, _ seed: UInt64
  ) throws {
    let written = document.objectValue?.leaves ?? [:]
    let after = try user.document(form)
    let changed = after.differences(to: before).subtracting(Self.computed)
    #expect(
      changed.isSubset(of: written.keys),
      "seed \(seed): \(form) \(document) changed \(changed)")
    for (path, value) in written {
      #expect(after.value(at: path) == value, "seed \(seed): \(form) \(path)")
    }
    // A member sets one or two settings: a write changes no more than its members do.
    let settings = try user.document(.own).differences(to: ownBefore)
      .subtracting(Self.computed)
    let types = written.keys.contains("delivery.email.types") ? 3 : 0
    #expect(settings.count <= written.count * 2 + types, "seed \(seed): \(form) \(document)")
  }

  private static let computed: Set = ["preset", "quietHours.active"]

  private static func expectAgreement(_ user: FormUser, _ seed: UInt64) throws {
    let own = try user.document(.own)
    let urbannest = try user.document(.urbannest)
    let wellness = try user.document(.wellness)
    for (path, member, other) in shared {
      let value = own.value(at: path)
      #expect(value != nil, "\(path)")
      if let member { #expect(urbannest.value(at: member) == value, "seed \(seed): \(member)") }
      if let other { #expect(wellness.value(at: other) == value, "seed \(seed): \(other)") }
    }
  }

  /// A setting, and its member in the other two forms.
  private static let shared: [(String, String?, String?)] = [
    ("master", nil, "masterToggle"), ("preset", nil, "preset"),
    ("channels.push", "push.enabled", "delivery.push.enabled"),
    ("channels.email", "email.enabled", "delivery.email.enabled"),
    ("channels.sms", "sms.enabled", "delivery.sms.enabled"),
    ("quietHours.enabled", "dnd.enabled", "schedule.quietHours.enabled"),
    ("quietHours.start", "dnd.startTime", "schedule.quietHours.start"),
    ("quietHours.end", "dnd.endTime", "schedule.quietHours.end"),
    ("hints.sound", "inApp.sound", nil),
    ("hints.vibration", "inApp.vibration", "delivery.push.vibration"),
    ("hints.badge", "inApp.badgeCount", "delivery.push.badges"),
    ("categories.PROMOTIONS.email", "email.promotions", nil),
    (
      "reminders.medication.times", nil, "categories.dailyReminders.medication.times"
    ),
    ("vacation.until", nil, "schedule.vacation.until"),
  ]
}
