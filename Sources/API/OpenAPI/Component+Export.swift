import JSON

extension Component {
  static var exportSchema: Schema {
    let device = Schema.object(
      .init("deviceId", .text), .init("platform", .text), .init("token", Schema.text.orNull),
      .init("since", .instant))
    let mark = Schema.object(
      .init("type", .text), .init("first", .instant), .init("last", .instant),
      .optional("highest", Schema(type: "integer")),
      .optional("numbers", .list(Schema(type: "integer"))))
    return .object(
      .init("recipient", .recipient), .init("exported", .instant),
      .init("created", Schema.instant.orNull), .init("profile", .object),
      .init("devices", .list(device)), .init("permissions", .object),
      .init("preferences", .reference(.preferences)), .init("remembered", .list(mark)),
      .init("pending", .list(.reference(.pending))), .init("analytics", .list(.object)),
      .init("events", .list(keptEvent)),
      .init("notifications", .list(keptNotification)))
  }

  private static var keptEvent: Schema {
    .object(
      .init("id", .text), .init("source", .text), .init("type", .text), .init("time", .instant),
      .init("received", .instant), .init("data", Schema.object.orNull))
  }

  private static var keptNotification: Schema {
    .object(
      .init("id", .text), .init("reminder", .text), .init("category", .text),
      .init("title", .text), .init("body", .text), .optional("details", .object),
      .optional("members", .list(.text)), .init("planned", .instant), .init("at", .instant),
      .init("expires", .instant), .init("channels", channels), .init("silent", .boolean),
      .init("outcome", .text), .init("gates", .object),
      .optional("missed", missed), .init("retries", .list(.object)),
      .init("attempts", .list(attempt)))
  }
}
