import JSON
import Reminders

extension Component {
  static var analyticsPageSchema: Schema {
    let event = Schema.object(
      .init("id", .text), .init("recipient", .recipient), .init("time", .instant),
      .init("name", .text.example("dnd_enabled")), .init("parameters", .object))
    return .object(.init("events", .list(event)), .init("next", Schema.text.orNull))
  }

  static var usageSchema: Schema {
    let counts = ["planned", "delivered", "bundled", "held"].map { Schema.Property($0, .count) }
    let answers = ["opened", "dismissed", "switchedOff"].map { Schema.Property($0, .count) }
    let drops = Schema.object(Gate.allCases.map { .optional($0.reason, .count) })
    let row = Schema.object(
      [.init("category", .text), .init("channel", .text), .init("hour", .integer(0...23))]
        + counts + [.init("dropped", drops.described("By the gate that dropped it"))] + answers)
    return .object(
      .init("from", .date), .init("to", .date), .init("usage", .list(row)),
      .init("presets", Schema.object.described("How often each was applied")))
  }
}
