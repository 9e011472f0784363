import CivilTime
import Engine
import JSON
import Reminders

extension Told {
  func write(to writer: inout JSONWriter) {
    writer.beginObject()
    writer.member("recipient", recipient)
    writer.member("zone", zone.name)
    writer.member("now", now.description)
    writer.key(constant: "notifications")
    writer.beginArray()
    for entry in entries { entry.write(in: zone, to: &writer) }
    writer.endArray()
    writer.member("next", next.map { .string("\($0)") } ?? .null)
    CaughtUp(isSo: isCaughtUp).write(to: &writer)
    writer.endObject()
  }
}

extension Told.Entry {
  fileprivate func write(in zone: Zone, to writer: inout JSONWriter) {
    writer.beginObject()
    writer.member("id", identifier)
    writer.member("reminder", caption.reminder)
    writer.member("category", caption.category)
    writer.member("channels", .array(channels.channels.map { .string($0.name) }))
    writer.member("title", caption.title)
    writer.member("body", caption.body)
    writer.member("at", at.description)
    writer.member("local", zone.local(at: at).description)
    writer.member("planned", planned.description)
    writer.member("outcome", state.rawValue)
    writer.member("reasons", .array(reasons.map { .string($0) }))
    writer.key(constant: "deliveries")
    writer.beginArray()
    for delivery in deliveries { delivery.write(in: zone, to: &writer) }
    writer.endArray()
    writer.member("silent", isSilent)
    writer.member("dismissed", isDismissed)
    writer.member("read", isRead.map { .bool($0) } ?? .null)
    let details = caption.detailsObject
    if !details.isEmpty { writer.member("details", .object(details)) }
    if !caption.members.isEmpty {
      writer.member("digest", .array(caption.members.map { .string($0) }))
    }
    writer.endObject()
  }
}

extension ToldDelivery {
  fileprivate func write(in zone: Zone, to writer: inout JSONWriter) {
    writer.beginObject()
    writer.member("channel", channel.name)
    writer.member("outcome", state.rawValue)
    writer.member("planned", planned.description)
    writer.member("at", at.description)
    writer.member("local", zone.local(at: at).description)
    writer.member("reasons", .array(reasons.map { .string($0) }))
    if let obstacle { writer.member("obstacle", obstacle) }
    writer.endObject()
  }
}
