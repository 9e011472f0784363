import CivilTime
import JSON

/// Reads the data of `notification.requested` (rule E9).
struct RequestReader {
  let planner: Planner
  /// The time of the event, which is the default of the planned instant.
  let time: Instant

  private static let members = [
    "category", "title", "body", "at", "channels", "deepLink", "actor", "interactive", "expires",
  ]
  /// The default span from the planned instant to the expiry.
  private static let defaultLifetime = TimeSpan.days(1)

  func content(_ object: JSONObject) throws(Refusal) -> RequestedNotification.Content {
    let data = try EventData(object, known: Self.members, of: "notification.requested")
    let category = try category(data)
    return RequestedNotification.Content(
      category: Symbol(category.name), planned: data.has("at") ? try data.instant("at") : time,
      expires: data.has("expires") ? try data.span("expires") : Self.defaultLifetime,
      channels: try channels(data, of: category), isInteractive: try data.flag("interactive"),
      title: try data.prose("title", limit: 1_024), body: try data.prose("body", limit: 4_096),
      details: try details(data))
  }

  private func category(_ data: EventData) throws(Refusal) -> Category {
    let name = try data.text("category")
    let categories = planner.catalog.categories
    if let category = categories.first(where: { $0.name == name }) { return category }
    throw data.refusal(
      "category",
      "\"\(name)\" is declared by no catalog" + hint(name, categories.map(\.name)))
  }

  private func channels(_ data: EventData, of category: Category) throws(Refusal) -> ChannelSet {
    guard let value = data.value("channels") else { return [] }
    guard case .array(let names) = value, !names.isEmpty else {
      throw data.refusal("channels", "must be a list such as [\"push\", \"email\"]")
    }
    var channels: ChannelSet = []
    for name in names {
      guard let channel = name.stringValue.flatMap({ Channel(name: $0) }) else {
        throw data.refusal("channels", "may contain only push, email, sms and inapp")
      }
      guard category.channels.contains(where: { $0.channel == channel }) else {
        let known = category.channels.map(\.channel.name).joined(separator: ", ")
        throw data.refusal(
          "channels",
          "contains \(channel.name), which \(category.name) does not have; it has \(known)")
      }
      channels.insert(ChannelSet(channel))
    }
    return channels
  }

  /// Returns the members that only the app's client uses, as canonical JSON; empty if there are
  /// none.
  private func details(_ data: EventData) throws(Refusal) -> String {
    var details = JSONObject()
    for name in ["deepLink", "actor"] {
      if let value = data.value(name) { details[name] = value }
    }
    guard !details.isEmpty else { return "" }
    let text = String(decoding: JSONWriter.canonical(.object(details)), as: UTF8.self)
    guard text.utf8.count <= 4_096 else {
      throw Refusal(
        path: "data", "has more than 4096 bytes in deepLink and actor; shorten them")
    }
    return text
  }
}
