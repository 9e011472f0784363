import CivilTime
import Engine
import JSON
import Reminders

extension AnalyticsPage {
  func write(to writer: inout JSONWriter) {
    writer.beginObject()
    writer.key(constant: "events")
    writer.beginArray()
    for record in records { record.write(to: &writer) }
    writer.endArray()
    let last = hasMore ? records.last : nil
    writer.member("next", last.map { .string("\($0.number)") } ?? .null)
    writer.endObject()
  }
}

extension AnalyticsRecord {
  func write(to writer: inout JSONWriter) {
    writer.beginObject()
    writer.member("id", "\(number)")
    writer.member("recipient", recipient)
    writer.member("time", event.time.description)
    writer.member("name", event.name)
    writer.key(constant: "parameters")
    writer.raw(event.parameters)
    writer.endObject()
  }
}

extension UsageTable {
  /// Writes the members `usage` and `presets`. There is a row only where something was counted, so
  /// there are at most 24 for each channel of each category.
  func writeMembers(to writer: inout JSONWriter) {
    writer.key(constant: "usage")
    writer.beginArray()
    for row in rows { row.write(to: &writer) }
    writer.endArray()
    writer.key(constant: "presets")
    writer.beginObject()
    for (name, count) in presets.sorted(by: { $0.key < $1.key }) {
      writer.key(name)
      writer.value(count)
    }
    writer.endObject()
  }
}

extension UsageTable.Row {
  fileprivate func write(to writer: inout JSONWriter) {
    writer.beginObject()
    writer.member("category", category)
    writer.member("channel", channel.name)
    writer.member("hour", hour)
    writer.member("planned", counts[.planned] ?? 0)
    writer.member("sent", counts[.sent] ?? 0)
    writer.member("delivered", counts[.delivered] ?? 0)
    writer.member("failed", counts[.failed] ?? 0)
    writer.member("bundled", counts[.bundled] ?? 0)
    writer.member("held", counts[.held] ?? 0)
    writer.key(constant: "dropped")
    writer.beginObject()
    for gate in Gate.allCases {
      guard let count = drops[gate] else { continue }
      writer.key(gate.reason)
      writer.value(count)
    }
    writer.endObject()
    writer.member("opened", counts[.opened] ?? 0)
    writer.member("dismissed", counts[.dismissed] ?? 0)
    writer.member("switchedOff", counts[.switchedOff] ?? 0)
    writer.endObject()
  }
}
