import CivilTime
import Engine
import JSON
import Reminders

extension Agenda {
  /// Writes a page of what is pending.
  ///
  /// - Parameter next: the cursor of the following page, if there is one.
  func write(page: ArraySlice<Entry>, next: PageCursor?, to writer: inout JSONWriter) {
    writer.beginObject()
    writer.member("recipient", recipient)
    writer.member("zone", zone.name)
    writer.member("zoneIsDefault", isDefaultZone)
    writer.member("now", now.description)
    writer.key(constant: "pending")
    writer.beginArray()
    for entry in page { entry.write(in: zone, to: &writer) }
    writer.endArray()
    writer.member("next", next.map { .string($0.text) } ?? .null)
    writer.endObject()
  }
}

extension Agenda.Entry {
  func write(in zone: Zone, isIdentified: Bool = false, to writer: inout JSONWriter) {
    writer.beginObject()
    if isIdentified { writer.member("id", identifier) }
    writer.member("reminder", reminder)
    writer.member("category", category)
    writer.member("channels", .array(channels.map { .string($0.name) }))
    writer.member("title", title)
    writer.member("body", body)
    writer.member("planned", planned.description)
    writer.member("plannedLocal", zone.local(at: planned).description)
    writer.member("at", at.description)
    writer.member("local", zone.local(at: at).description)
    writer.member("offset", UTCOffset(seconds: zone.offsetSeconds(at: at)).description)
    writer.member("abbreviation", zone.abbreviation(at: at))
    writer.member("outcome", outcome.name)
    writer.member("reasons", .array(reasons.map { .string($0) }))
    writer.member("for", waitsFor?.json ?? .null)
    writer.endObject()
  }
}
