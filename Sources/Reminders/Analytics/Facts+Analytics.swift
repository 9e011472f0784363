package import CivilTime

extension Facts {
  /// What a change of these facts into others tells (rule M1); nothing where no switch, window of
  /// quiet hours or permission to push differs, as after an event that came too late to count.
  ///
  /// - Parameter time: when the change was made.
  package func analytics(
    after: Facts, at time: Instant, in schema: SettingsSchema
  ) -> [AnalyticsEvent] {
    guard settings != after.settings else { return [] }
    let (old, new) = (
      Settings(schema: schema, registers: settings),
      Settings(schema: schema, registers: after.settings)
    )
    var events = schema.definitions.indices.compactMap { index -> AnalyticsEvent? in
      let definition = schema.definitions[index]
      guard definition.kind == .toggle, old.isOn(index) != new.isOn(index) else { return nil }
      // Switched on, it tells more than that.
      if index == BuiltInSetting.quietEnabled.rawValue, new.isOn(index) { return nil }
      return .preferenceChanged(definition.analyticsName, isEnabled: new.isOn(index), at: time)
    }
    if new.quietHours.isEnabled, !old.quietHours.hasWindow(of: new.quietHours) {
      events.append(.dndEnabled(new.quietHours, at: time))
    }
    return events + permissions(after: after, isPushNew: old.isOn(.push) != new.isOn(.push), time)
  }

  /// An app in which push is switched on asks the system for the permission that it has not got.
  private func permissions(
    after: Facts, isPushNew: Bool, _ time: Instant
  ) -> [AnalyticsEvent] {
    var events: [AnalyticsEvent] = []
    let permission = after.permission(of: .push)
    let isPushOn = after.settings.contains {
      $0.path == Symbol(BuiltInSetting.push.path) && $0.value != 0
    }
    if isPushNew, isPushOn, permission != .granted {
      events.append(.permissionRequested(at: time))
    }
    if permission != self.permission(of: .push) {
      events.append(.permissionStatus(isGranted: permission == .granted, at: time))
    }
    return events
  }
}

extension QuietHours {
  /// Whether it is on at the same times of day.
  fileprivate func hasWindow(of other: QuietHours) -> Bool {
    isEnabled == other.isEnabled && start == other.start && end == other.end
  }
}

extension SettingsSchema.Definition {
  /// What analytics call a switch: `push_booking_updates` for a category on a channel, `push` for
  /// a channel, `in_app_sound` for a hint; of any other the parts of its path.
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

  /// "skipWeekends" as "skip_weekends", "BOOKING_UPDATES" as "booking_updates".
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
