import JSON
import Reminders
import TestSupport
import Testing

/// A write through any form sets the members that it contains, and changes no others. Every form
/// shows the new values (rules P1, P2).
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

  /// Expects that a written document has set its members and changed no others.
  ///
  /// - Parameters:
  ///   - before: the form's document before the write.
  ///   - ownBefore: the service's own document before the write.
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
    // A member sets at most two settings, except the types of e-mail, which may set three more.
    let settings = try user.document(.own).differences(to: ownBefore)
      .subtracting(Self.computed)
    let extraSettings = written.keys.contains("delivery.email.types") ? 3 : 0
    #expect(
      settings.count <= written.count * 2 + extraSettings, "seed \(seed): \(form) \(document)")
  }

  /// The paths of members that are computed from settings.
  private static let computed: Set = ["preset", "quietHours.active"]

  /// Expects that all forms have the same values for the settings that they share.
  private static func expectAgreement(_ user: FormUser, _ seed: UInt64) throws {
    let own = try user.document(.own)
    let urbannest = try user.document(.urbannest)
    let wellness = try user.document(.wellness)
    for (path, urbannestPath, wellnessPath) in shared {
      let value = own.value(at: path)
      #expect(value != nil, "\(path)")
      if let urbannestPath {
        #expect(urbannest.value(at: urbannestPath) == value, "seed \(seed): \(urbannestPath)")
      }
      if let wellnessPath {
        #expect(wellness.value(at: wellnessPath) == value, "seed \(seed): \(wellnessPath)")
      }
    }
  }

  /// The paths of settings in the service's own document, in urbannest's and in wellness's; nil if
  /// a form lacks the setting.
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
