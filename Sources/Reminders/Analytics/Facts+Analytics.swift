package import CivilTime
import JSON

extension Facts {
  /// Returns the analytics events for a change from these facts to others (rule M1). There are none
  /// if all switches, the quiet hours and the permission for push are equal, for example because an
  /// event was too late to take effect.
  ///
  /// - Parameter time: when the change was made.
  package func analytics(
    after newFacts: Facts, at time: Instant, in schema: SettingsSchema
  ) -> [AnalyticsEvent] {
    guard settings != newFacts.settings else { return [] }
    let (old, new) = (
      Settings(schema: schema, registers: settings),
      Settings(schema: schema, registers: newFacts.settings)
    )
    var events = schema.definitions.indices.compactMap { index -> AnalyticsEvent? in
      let definition = schema.definitions[index]
      guard definition.kind == .toggle, old.isOn(index) != new.isOn(index) else { return nil }
      // `dndEnabled` below reports that quiet hours were switched on, with their times.
      if index == BuiltInSetting.quietEnabled.rawValue, new.isOn(index) { return nil }
      return .preferenceChanged(definition.analyticsName, isEnabled: new.isOn(index), at: time)
    }
    if new.quietHours.isEnabled, !old.quietHours.hasSameTimes(as: new.quietHours) {
      events.append(.dndEnabled(new.quietHours, at: time))
    }
    let isPushChanged = old.isOn(.push) != new.isOn(.push)
    return events + permissions(after: newFacts, isPushChanged: isPushChanged, time)
  }

  /// Returns the analytics events about the permission for push. When push is switched on without a
  /// granted permission, the app requests it from the device's system.
  private func permissions(
    after newFacts: Facts, isPushChanged: Bool, _ time: Instant
  ) -> [AnalyticsEvent] {
    var events: [AnalyticsEvent] = []
    let permission = newFacts.permission(of: .push)
    let isPushOn = newFacts.settings.contains {
      $0.path == Symbol(BuiltInSetting.push.path) && $0.value != 0
    }
    if isPushChanged, isPushOn, permission != .granted {
      events.append(.permissionRequested(at: time))
    }
    if permission != self.permission(of: .push) {
      events.append(.permissionStatus(isGranted: permission == .granted, at: time))
    }
    return events
  }
}

extension QuietHours {
  /// Returns whether both quiet hours are on, or both off, and have the same times of day.
  fileprivate func hasSameTimes(as other: QuietHours) -> Bool {
    isEnabled == other.isEnabled && start == other.start && end == other.end
  }
}

extension SettingsSchema.Definition {
  /// The name of a switch in analytics: `push_booking_updates` for a category on a channel, `push`
  /// for a channel, `in_app_sound` for a hint. Other names consist of the parts of the path.
  var analyticsName: String {
    let parts = path.split(separator: ".").map { Self.snakeCase($0) }
    switch parts.first {
    case "categories" where parts.count == 3: return "\(parts[2])_\(parts[1])"
    case "channels" where parts.count == 2: return parts[1]
    case "hints": return (["in_app"] + parts.dropFirst()).joined(separator: "_")
    case "reminders" where parts.last == "enabled":
      return parts.dropLast().joined(separator: "_")
    case _ where path == BuiltInSetting.quietEnabled.path: return "dnd"
    default: return parts.joined(separator: "_")
    }
  }

  /// Converts "skipWeekends" to "skip_weekends" and "BOOKING_UPDATES" to "booking_updates".
  private static func snakeCase(_ text: Substring) -> String {
    var words = ""
    var wasLower = false
    for character in text {
      if character.isUppercase, wasLower { words += "_" }
      words += character == "-" ? "_" : character.lowercased()
      wasLower = character.isLowercase
    }
    return words
  }
}

/// A change of a recipient's preferences or permissions, with UrbanNest's names and fields (rule
/// M1), or a `NotificationOutcome` (rule M6).
package struct AnalyticsEvent: Hashable, Sendable {
  package let time: Instant
  /// The name of the event in analytics, such as `dnd_enabled`.
  package let name: String
  /// A canonical JSON object.
  package let parameters: [UInt8]

  package init(time: Instant, name: String, parameters: [UInt8]) {
    self.time = time
    self.name = name
    self.parameters = parameters
  }

  private init(_ name: String, _ parameters: JSONObject, at time: Instant) {
    self.init(
      time: time, name: name, parameters: JSONWriter.canonical(.object(parameters)))
  }

  static func preferenceChanged(
    _ category: String, isEnabled: Bool, at time: Instant
  ) -> AnalyticsEvent {
    AnalyticsEvent(
      "notification_preference_changed",
      ["category": .string(category), "enabled": .bool(isEnabled)], at: time)
  }

  static func dndEnabled(_ hours: QuietHours, at time: Instant) -> AnalyticsEvent {
    AnalyticsEvent(
      "dnd_enabled",
      [
        "start_time": .string(hours.start.description), "end_time": .string(hours.end.description),
      ], at: time)
  }

  static func permissionRequested(at time: Instant) -> AnalyticsEvent {
    AnalyticsEvent(
      "push_permission_requested", ["source": "notification_settings"], at: time)
  }

  static func permissionStatus(isGranted: Bool, at time: Instant) -> AnalyticsEvent {
    AnalyticsEvent("push_permission_status", ["granted": .bool(isGranted)], at: time)
  }
}

/// A stored analytics event with its number, which is its position in the order of writing.
package struct AnalyticsRecord: Sendable {
  package var number: Int64
  /// The id of the recipient.
  package var recipient: String
  package var event: AnalyticsEvent

  package init(number: Int64, recipient: String, event: AnalyticsEvent) {
    self.number = number
    self.recipient = recipient
    self.event = event
  }
}
