import JSON

extension Component {
  static var analyticsPageSchema: Schema {
    let event = Schema.object(
      .init("id", .text), .init("recipient", .recipient), .init("time", .instant),
      .init("name", .text.example("dnd_enabled")), .init("parameters", .object))
    return .object(.init("events", .list(event)), .init("next", Schema.text.orNull))
  }
}
