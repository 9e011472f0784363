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
