import JSON

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
