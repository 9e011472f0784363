import JSON
import Reminders

extension Component {
  static var inboxPageSchema: Schema {
    .object(
      .init("data", .list(.reference(.inboxItem))),
      .init(
        "meta",
        .object(
          .init("totalCount", .count), .init("page", .count), .init("limit", .count),
          .init("totalPages", .count), .init("hasNextPage", .boolean),
          .init("hasPrevPage", .boolean))))
  }

  /// What an app requests to be said may carry an actor and a deep link of any form.
  static var inboxItemSchema: Schema {
    var schema = Schema.object(
      .init("id", .text), .init("type", .text.described("The category")),
      .init("displayText", .text), .init("isRead", .boolean), .init("createdAt", .instant),
      .init("actor", Schema([:]).described("Who did it: id, username, firstName, avatarUrl")),
      .init("deepLink", Schema([:]).described("What a tap opens: type, roomId, actorId")),
      .optional("roomName", .text), .optional("isFollowingBack", .boolean),
      .init("thumbnails", .list(.object(.init("url", .text), .init("type", .text)), atMost: 5)),
      .init("batchCount", .count))
    schema.json["additionalProperties"] = nil
    return schema
  }

  // MARK: - What is scheduled, and what was said

  static var scheduledPageSchema: Schema {
    var entry = pendingSchema
    entry.json["properties"] = entry.json["properties"].map { properties in
      var members: JSONObject = ["id": .object(Schema.text.json)]
      for member in properties.objectValue ?? [:] { members[member.key] = member.value }
      let series = Schema.boolean.described("Of what is cancelled: whether it is the whole series")
      members["series"] = .object(series.json)
      return .object(members)
    }
    return .object(
      .init("recipient", .recipient), .init("zone", .text), .init("now", .instant),
      .init("scheduled", .list(entry)), .init("next", next), .init("allCaughtUp", .boolean),
      .optional("message", .text))
  }

  static var changesSchema: Schema {
    .object(.init("changes", .list(change)), .init("warnings", .list(.text)))
  }

  static var snoozedSchema: Schema {
    .object(
      .init("until", .instant), .init("changes", .list(change)), .init("warnings", .list(.text)))
  }

  static var projectedSchema: Schema {
    .object(
      .init("id", .text), .init("at", .instant), .init("local", .localTime),
      .init("reminder", .text), .init("category", .text), .init("title", .text),
      .init("body", .text), .init("silent", .boolean))
  }

  static var toldPageSchema: Schema {
    .object(
      .init("recipient", .recipient), .init("zone", .text), .init("now", .instant),
      .init("notifications", .list(pastSchema)), .init("next", next),
      .init("allCaughtUp", .boolean), .optional("message", .text))
  }

  private static let next = Schema.text.orNull.described("after= of the page behind this one")

  /// What has become of a notification: delivered is what a sink took, or what is in the inbox.
  static var toldState: Schema { .word(NotificationState.allCases.map(\.rawValue)) }

  private static var toldDelivery: Schema {
    .object(
      .init("channel", .word(Channel.allCases.map(\.name))), .init("outcome", toldState),
      .init("planned", .instant), .init("at", .instant), .init("local", .localTime),
      .init("reasons", reasons),
      .optional("obstacle", Schema.text.described("What the sink said that did not take it")))
  }

  private static var pastSchema: Schema {
    .object(
      .init("id", .text), .init("reminder", .text), .init("category", .text),
      .init("channels", channels), .init("title", .text), .init("body", .text),
      .init("at", .instant), .init("local", .localTime), .init("planned", .instant),
      .init("outcome", toldState), .init("reasons", reasons),
      .init("deliveries", .list(toldDelivery).described("What has become of it on each channel")),
      .init("silent", .boolean), .init("dismissed", .boolean),
      .init("read", Schema.boolean.orNull.described("Null for what is not in the inbox")),
      .optional("details", .object), .optional("digest", .list(.text)))
  }
}

extension Component {
  static var eventAnswerSchema: Schema {
    .object(
      .init("id", .text.described("The event's own id")),
      .init("status", .word(["accepted", "duplicate"])))
  }

  static var eventsAnswerSchema: Schema {
    .object(
      .init("items", .list(itemSchema)), .init("accepted", .count), .init("duplicate", .count),
      .init("refused", .count))
  }

  private static var itemSchema: Schema {
    .object(
      .init("index", .count), .optional("id", .text),
      .init("status", .word(["accepted", "duplicate", "refused"])),
      .optional("problem", .reference(.problem)))
  }
}

extension Component {
  /// What sinks are handed, and streams send.
  static var deliverySchema: Schema {
    .object(
      .init("id", .text.described("The notification's; the same on all its channels")),
      .init("recipient", .recipient), .init("reminder", .text), .init("category", .text),
      .init("channel", .word(Channel.allCases.map(\.name))), .init("title", .text),
      .init("body", .text), .optional("silent", .boolean),
      .optional("hints", hints.described("What differs from what is usual")),
      .optional("digest", .list(.text).described("The reminders that it is made of")),
      .optional("details", .object),
      .optional("traceparent", .text.described("That of the event that it comes from")),
      .optional("tracestate", .text), .init("planned", .instant),
      .init("at", .instant.described("When it was decided")))
  }

  private static let hints = Schema.object(
    .optional("sound", .word(["none", "custom"])), .optional("vibration", .boolean),
    .optional("badge", .boolean), .optional("preview", .word(["unlocked", "never"])))
}
