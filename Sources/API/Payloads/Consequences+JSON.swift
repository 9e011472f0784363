import CivilTime
import JSON
import Reminders

extension Consequences {
  /// Writes the members `changes` and `warnings` (rule P5).
  func writeMembers(to writer: inout JSONWriter) {
    writer.key(constant: "changes")
    writer.beginArray()
    for change in changes { write(change, to: &writer) }
    writer.endArray()
    writer.member("warnings", .array(warnings.map { .string($0) }))
  }

  private func write(_ change: Change, to writer: inout JSONWriter) {
    writer.beginObject()
    writer.member("change", change.kind.rawValue)
    writer.member("reminder", change.caption.reminder)
    writer.member("title", change.caption.title)
    writer.member("channels", .array(change.channels.channels.map { .string($0.name) }))
    writer.member("before", change.before.map { .string($0.description) } ?? .null)
    writer.member("beforeLocal", change.before.map(local) ?? .null)
    writer.member("after", change.after.map { .string($0.description) } ?? .null)
    writer.member("afterLocal", change.after.map(local) ?? .null)
    writer.member("reasons", .array(change.reasons.map { .string($0) }))
    writer.endObject()
  }

  private func local(_ instant: Instant) -> JSONValue {
    .string(zone.local(at: instant).description)
  }
}
