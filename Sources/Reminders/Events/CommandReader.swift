import CivilTime
import JSON

/// Reads the data of the built-in events about devices, vacations, requested, opened and received
/// notifications, and pending occurrences (rule E2).
struct CommandReader {
  let planner: Planner
  /// The type of the event.
  let type: String
  /// The source of the event, with the prefix of its caller if there is one.
  let source: String
  /// The time of the event.
  let time: Instant

  func content(
    _ object: JSONObject, _ shape: EventSchema.Shape
  ) throws(Refusal) -> Event.Content {
    switch shape {
    case .deviceRegistration: return .device(try registration(object))
    case .deviceRemoval: return .device(try removal(object))
    case .sighting: return try sighting(object)
    case .permission: return .preferences([try permission(object)])
    case .calendarLink: return .preferences([try calendarLink(object)])
    case .vacationStart: return .preferences(try vacation(object))
    case .vacationEnd: return .preferences(try vacationEnd(object))
    case .request: return .request(try RequestReader(planner: planner, time: time).content(object))
    case .requestCancellation:
      let identifier = try data(object, ["notification"]).text("notification")
      return .requestCancellation(EventIdentity(source: source, identifier: identifier))
    case .cancellation:
      let (reminder, key, isSeries) = try target(object)
      return .cancellation(reminder: reminder, key: key, isSeries: isSeries)
    case .resumption:
      let (reminder, key, isSeries) = try target(object)
      return .resumption(reminder: reminder, key: key, isSeries: isSeries)
    case .snooze: return try snooze(object)
    case .opening: return try opening(object)
    case .receipt: return .deliveryReport(try receipt(object))
    case .deliveryReport: return .deliveryReport(try deliveryReport(object))
    case .profile, .preferences, .preset, .erasure, .happening, .report, .relationAddition,
      .relationRemoval:
      throw Refusal(path: "type", "\"\(type)\" is not a command")
    }
  }

  private func data(_ object: JSONObject, _ fields: [String]) throws(Refusal) -> EventData {
    try EventData(object, known: fields, of: type)
  }

  // MARK: - Devices

  /// Reads `device.seen`. Push counts as reaching the recipient if any of the devices was seen, so
  /// the device is not remembered.
  private func sighting(_ object: JSONObject) throws(Refusal) -> Event.Content {
    let data = try data(object, ["device"])
    if data.has("device") { _ = try data.text("device") }
    return .happening(number: nil)
  }

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
        "subscription", "comes from a browser and replaces \"token\"; set \"platform\" to \"web\"")
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

  /// Reads `calendar.changed`. Without a link, the recipient's calendar has none.
  private func calendarLink(_ object: JSONObject) throws(Refusal) -> SettingChange {
    let data = try data(object, ["link"])
    guard let value = data.value("link") else { return SettingChange(calendarLink: nil) }
    guard let number = value.integerValue, CalendarLink.numbers.contains(number) else {
      throw data.refusal(
        "link", "must be a whole number from 1 to \(CalendarLink.numbers.upperBound)")
    }
    return SettingChange(calendarLink: number)
  }

  // MARK: - Vacation

  /// Reads `vacation.started`. Without `from`, the vacation begins at once.
  private func vacation(_ object: JSONObject) throws(Refusal) -> [SettingChange] {
    let data = try data(object, ["from", "until"])
    let until = try data.date("until")
    guard data.has("from") else {
      return [change(.vacationMode, 1), change(.vacationUntil, Int64(until.daysSinceEpoch))]
    }
    let from = try data.date("from")
    guard from <= until else {
      throw data.refusal("until", "is \(until), before the first day \(from); swap the dates")
    }
    return [SettingChange(vacationFrom: from, until: until)]
  }

  /// Reads `vacation.ended`: with `from` the cancellation of an announced vacation, otherwise the
  /// end of the current one.
  private func vacationEnd(_ object: JSONObject) throws(Refusal) -> [SettingChange] {
    let data = try data(object, ["from"])
    guard data.has("from") else {
      return [change(.vacationMode, 0), SettingChange(path: SettingChange.vacationEnd, value: 1)]
    }
    return [SettingChange(vacationFrom: try data.date("from"), until: nil)]
  }

  private func change(_ setting: BuiltInSetting, _ value: Int64) -> SettingChange {
    SettingChange(path: Symbol(setting.path), value: value)
  }

  // MARK: - Notifications

  /// Reads `notification.opened`. The names of reminder, category and action are only for
  /// analytics. They are not looked up, because the catalog may have changed since the notification
  /// was sent.
  private func opening(_ object: JSONObject) throws(Refusal) -> Event.Content {
    let data = try data(object, ["notification", "reminder", "category", "action"])
    let notification = try data.text("notification")
    for name in ["reminder", "category"] where data.has(name) { _ = try data.text(name) }
    let action = try data.has("action") ? data.text("action") : nil
    return .opening(notification: notification, action: action)
  }

  /// Reads `notification.received`, which a device reports; the channel is push by default.
  private func receipt(_ object: JSONObject) throws(Refusal) -> DeliveryReport {
    let data = try data(object, ["notification", "channel"])
    return DeliveryReport(
      notification: try data.text("notification"),
      channel: try data.has("channel") ? reportedChannel(data) : .push, state: .received)
  }

  private func deliveryReport(_ object: JSONObject) throws(Refusal) -> DeliveryReport {
    let data = try data(object, ["notification", "channel", "state", "reason", "sent"])
    let state = try data.word("state", among: DeliveryReport.State.allCases.map(\.rawValue))
    guard let state = DeliveryReport.State(rawValue: state) else { throw data.missing("state") }
    return DeliveryReport(
      notification: try data.text("notification"), channel: try reportedChannel(data),
      state: state, reason: try data.has("reason") ? data.prose("reason", limit: 500) : "",
      sent: try data.has("sent") ? data.instant("sent") : nil)
  }

  private func reportedChannel(_ data: EventData) throws(Refusal) -> Channel {
    let channel = try data.word("channel", among: DeliveryReport.channels)
    guard let channel = Channel(name: channel) else { throw data.missing("channel") }
    return channel
  }

  // MARK: - Pending occurrences

  /// Reads the target of a command: an occurrence of a reminder, or the reminder's series. If the
  /// command names an occurrence and the series, the target is the part of the series that belongs
  /// to the entities of the occurrence.
  private func target(
    _ object: JSONObject
  ) throws(Refusal) -> (reminder: Symbol, key: Int64?, isSeries: Bool) {
    let data = try data(object, ["reminder", "occurrence", "series"])
    let isSeries = try data.flag("series")
    let reminder = try reminder(data)
    guard !isSeries || planner.catalog.reminder(reminder) != nil else {
      throw data.refusal("series", "cannot be used for a digest, which has no series; omit it")
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
        data.has("until") ? "until" : "for", "must end in the future and within a year")
    }
    return .snooze(
      reminder: try reminder(data), key: try occurrence(data), snooze,
      isDelivered: try data.flag("delivered"))
  }

  /// Reads the key of the occurrence; returns nil if none is given.
  private func occurrence(_ data: EventData) throws(Refusal) -> Int64? {
    guard data.has("occurrence") else { return nil }
    if let key = Int64(try data.text("occurrence")) { return key }
    throw data.refusal("occurrence", "must be the number of an occurrence")
  }

  private func reminder(_ data: EventData) throws(Refusal) -> Symbol {
    let name = try data.text("reminder")
    if let reminder = planner.catalog.reminder(Symbol(name)) { return reminder.symbol }
    if name == Digest.identifier { return Digest.symbol }
    throw data.refusal(
      "reminder",
      "\"\(name)\" is not declared" + hint(name, planner.catalog.reminders.map(\.identifier)))
  }
}
