import CivilTime
import JSON

/// Reads the data of the built-in events that concern devices, vacations, requested and opened
/// notifications and what is pending (rule E2).
struct CommandReader {
  let catalog: Catalog
  let type: String
  let source: String
  /// When the event happened.
  let time: Instant

  func content(
    _ object: JSONObject, _ shape: EventSchema.Shape
  ) throws(Refusal) -> Event.Content {
    switch shape {
    case .deviceRegistration: return .device(try registration(object))
    case .deviceRemoval: return .device(try removal(object))
    case .permission: return .preferences([try permission(object)])
    case .vacationStart: return .preferences(try vacation(object))
    case .vacationEnd:
      _ = try data(object, [])
      return .preferences([change(.vacationMode, 0)])
    case .request: return .request(try RequestReader(catalog: catalog, time: time).content(object))
    case .requestCancellation:
      let identifier = try data(object, ["notification"]).text("notification")
      return .requestCancellation(EventIdentity(source: source, identifier: identifier))
    case .cancellation:
      let (reminder, key, isSeries) = try extent(object)
      return .cancellation(reminder: reminder, key: key, isSeries: isSeries)
    case .resumption:
      let (reminder, key, isSeries) = try extent(object)
      return .resumption(reminder: reminder, key: key, isSeries: isSeries)
    case .snooze: return try snooze(object)
    case .opening: return try opening(object)
    case .profile, .preferences, .preset, .erasure, .happening, .report: return .erasure
    }
  }

  private func data(_ object: JSONObject, _ known: [String]) throws(Refusal) -> EventData {
    try EventData(object, known: known, of: type)
  }

  // MARK: - Devices

  private func registration(_ object: JSONObject) throws(Refusal) -> DeviceChange {
    let data = try data(object, ["deviceId", "platform", "token", "subscription"])
    let platform = try data.word("platform", among: ["ios", "android", "web"])
    guard let subscription = data.value("subscription") else {
      return DeviceChange(
        identifier: try data.text("deviceId"), platform: platform,
        token: try data.text("token", limit: 4_096))
    }
    guard platform == "web", !data.has("token") else {
      throw data.refusal(
        "subscription", "is what a browser gives, in the place of a token: its platform is \"web\"")
    }
    return DeviceChange(
      identifier: try data.text("deviceId"), platform: platform,
      token: try WebPushSubscription(subscription, at: "data.subscription").text)
  }

  private func removal(_ object: JSONObject) throws(Refusal) -> DeviceChange {
    let data = try data(object, ["deviceId"])
    return DeviceChange(identifier: try data.text("deviceId"), platform: "", token: nil)
  }

  private func permission(_ object: JSONObject) throws(Refusal) -> SettingChange {
    let data = try data(object, ["channel", "status"])
    let channel = try data.word("channel", among: Channel.allCases.map(\.name))
    let status = try data.word("status", among: Permission.allCases.map(\.name))
    guard let channel = Channel(name: channel), let status = Permission(name: status) else {
      throw data.missing("status")
    }
    return SettingChange(path: Permission.path(of: channel), value: status.rawValue)
  }

  // MARK: - Vacation

  private func vacation(_ object: JSONObject) throws(Refusal) -> [SettingChange] {
    let until = try data(object, ["until"]).date("until")
    return [change(.vacationMode, 1), change(.vacationUntil, Int64(until.daysSinceEpoch))]
  }

  private func change(_ setting: BuiltInSetting, _ value: Int64) -> SettingChange {
    SettingChange(path: Symbol(setting.path), value: value)
  }

  // MARK: - Notifications

  /// What else an app knows of the notification is for those who count: it may be of a catalog that
  /// has changed since, so no name in it is looked up.
  private func opening(_ object: JSONObject) throws(Refusal) -> Event.Content {
    let data = try data(object, ["notification", "reminder", "category"])
    let notification = try data.text("notification")
    for name in ["reminder", "category"] where data.has(name) { _ = try data.text(name) }
    return .opening(notification: notification)
  }

  // MARK: - What is pending

  /// One occurrence of a reminder, the series of an occurrence's entities, or the whole series.
  private func extent(
    _ object: JSONObject
  ) throws(Refusal) -> (reminder: Symbol, key: Int64?, isSeries: Bool) {
    let data = try data(object, ["reminder", "occurrence", "series"])
    let isSeries = try data.flag("series")
    let reminder = try reminder(data)
    guard !isSeries || catalog.reminder(reminder) != nil else {
      throw data.refusal("series", "means nothing of a digest, which has no series; leave it out")
    }
    return (reminder, try occurrence(data), isSeries)
  }

  private func snooze(_ object: JSONObject) throws(Refusal) -> Event.Content {
    let data = try data(object, ["reminder", "occurrence", "delivered", "until", "for"])
    guard data.has("until") != data.has("for") else {
      throw Refusal(path: "data", "needs one of \"until\" (an instant) and \"for\" (a duration)")
    }
    let snooze =
      data.has("until")
      ? Snooze.until(try data.instant("until")) : .by(try data.span("for"))
    let end = if case .by(let span) = snooze { time + span } else { try data.instant("until") }
    guard end > time, end < time + .days(366) else {
      throw data.refusal(
        data.has("until") ? "until" : "for", "must lie ahead, and within a year")
    }
    return .snooze(
      reminder: try reminder(data), key: try occurrence(data), snooze,
      isDelivered: try data.flag("delivered"))
  }

  /// Which of several occurrences that are pending is meant.
  private func occurrence(_ data: EventData) throws(Refusal) -> Int64? {
    guard data.has("occurrence") else { return nil }
    if let key = Int64(try data.text("occurrence")) { return key }
    throw data.refusal("occurrence", "must be the number of an occurrence that is pending")
  }

  private func reminder(_ data: EventData) throws(Refusal) -> Symbol {
    let name = try data.text("reminder")
    if let reminder = catalog.reminder(Symbol(name)) { return reminder.symbol }
    if name == Digest.identifier { return Digest.symbol }
    throw data.refusal(
      "reminder",
      "\"\(name)\" is declared by nobody" + hint(name, catalog.reminders.map(\.identifier)))
  }
}
