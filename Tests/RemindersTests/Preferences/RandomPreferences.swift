import CivilTime
import JSON
import Reminders
import TestSupport

/// Random writes of preferences in any form.
enum RandomPreferences {
  /// Returns a recipient after some random writes.
  static func person(_ planner: Planner, _ random: inout SplitMix64) throws -> FormUser {
    var user = try FormUser(planner)
    for _ in 0..<Int.random(in: 0..<4, using: &random) {
      try user.write(document(user, .own, &random), as: .own)
    }
    if Bool.random(using: &random) {
      let schema = planner.catalog.settings
      try user.take(CustomPreset.saving(user.context.settings, in: schema))
    }
    try user.write(document(user, .own, &random), as: .own)
    return user
  }

  /// Returns a document with random members of a form. The document may repeat current values, but
  /// contains no computed members and no quiet hours without a length.
  static func document(
    _ user: FormUser, _ form: PreferencesForm.Name, _ random: inout SplitMix64
  ) throws -> JSONValue {
    let current = try user.document(form)
    var document = JSONObject()
    let paths = current.leaves.keys.sorted().filter { !isOmitted($0) }
    for path in paths where Int.random(in: 0..<12, using: &random) == 0 {
      guard let value = value(like: current.value(at: path) ?? .null, path, &random) else {
        continue
      }
      document.set(value, at: path)
    }
    if form == .own, Int.random(in: 0..<4, using: &random) == 0 {
      let month = Int.random(in: 4...9, using: &random)
      document.set("2027-01-03", at: "vacation.announced.2026-0\(month)-01")
    }
    if document.isEmpty { document.set(current.value(at: paths[0]) ?? .null, at: paths[0]) }
    return .object(document)
  }

  /// Returns whether random documents omit a member, because it is computed, saved in a preset, or
  /// locked.
  private static func isOmitted(_ path: String) -> Bool {
    path == "preset" || path == "quietHours.active" || path.hasPrefix("custom.")
      || path == "categories.OTP.sms"
  }

  /// Returns a random value of the same kind as `value`; nil if the kind has none. A start is
  /// before noon and an end after noon, so that they are never equal.
  private static func value(
    like value: JSONValue, _ path: String, _ random: inout SplitMix64
  ) -> JSONValue? {
    let name = path.split(separator: ".").last ?? ""
    // Some frequencies are numbers, with their own limits.
    if name == "frequency", value.stringValue == nil { return nil }
    if let words = choices[String(name)] { return words.randomElement(using: &random) }
    if let days = path.contains("ays") || name == "weekend" ? value.arrayValue : nil {
      // Quiet hours without days are refused (rule P7).
      return .array(someDays(days, atLeast: path == "quietHours.days" ? 1 : 0, &random))
    }
    switch value {
    case .bool: return .bool(Bool.random(using: &random))
    case .string(let text) where LocalTime(text) != nil:
      let hours = name.hasPrefix("end") ? 12..<24 : 0..<12
      let hour = Int.random(in: hours, using: &random)
      return (LocalTime(hour: hour, minute: 30)?.description).map { .string($0) }
    case .integer: return .integer(Int64.random(in: 1...9, using: &random))
    default: return nil
    }
  }

  /// Returns random days, or the old ones if there are fewer than `countMin`.
  private static func someDays(
    _ oldDays: [JSONValue], atLeast countMin: Int, _ random: inout SplitMix64
  ) -> [JSONValue] {
    let days = Weekday.allCases.filter { _ in Bool.random(using: &random) }
    return days.count < countMin ? oldDays : days.map { .string($0.name) }
  }

  /// The possible values of members whose kind cannot be inferred from the current value, by name.
  private static let choices: [String: [JSONValue]] = [
    "until": [nil, "2026-03-10"], "perDay": [nil, 3], "minInterval": [nil, "PT15M"],
    "tone": ["default", "custom"], "preview": ["always", "unlocked", "never"],
    "persistence": ["once", "repeat", "snooze"], "priority": ["all", "urgent", "none"],
    "times": [[], ["06:00", "21:15"]], "advance": [[1], [48, 24, 1]],
    "categories": [[], ["movement", "sleep"]],
    "types": [[], ["SUMMARY"], ["APPOINTMENTS", "LAB"]],
    "windows": [[], [["days": ["sat"], "start": "13:00", "end": "24:00"]]],
    "day": ["mon", "sat"], "number": [nil, "+4915112345678"],
    "timezone": ["Asia/Tokyo", "America/Santiago"], "frequency": ["daily", "weekly"],
  ]
}
