import JSON

extension Component {
  static var statusSchema: Schema {
    .object(
      .init("now", .instant), .init("started", .instant), .init("recipients", .count),
      .init("pending", .count), .init("due", .count),
      .init("deadLetters", .count), .init("next", next.orNull),
      .init("lanes", .list(lane)),
      .init("catalogs", .list(.text)), .init("zoneDatabase", .text), .init("defaultZone", .text),
      .init("storageFailure", Schema.text.orNull))
  }

  private static var next: Schema {
    .object(.init("reminder", .text), .init("recipients", .count), .init("at", .instant))
  }

  private static var lane: Schema {
    .object(
      .init("sink", .text), .init("waiting", .count), .init("retrying", .count),
      .init("failure", Schema.text.orNull))
  }

  static var tokenSchema: Schema {
    .object(
      .init("id", .text), .init("name", .text), .init("scope", .text.example("recipient:u1")),
      .init("status", .word(["valid", "expired", "revoked"])), .init("created", .instant),
      .init("expires", Schema.instant.orNull), .init("revoked", Schema.instant.orNull),
      .optional("token", .text.described("The secret; only in the answer to its maker")))
  }
}
