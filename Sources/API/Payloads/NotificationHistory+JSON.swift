import CivilTime
import Engine
import JSON
import Reminders

extension NotificationHistory {
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

extension NotificationHistory.Entry {
  fileprivate func write(in zone: Zone, to writer: inout JSONWriter) {
    writer.beginObject()
    writer.member("id", identifier)
    writer.member("reminder", caption.reminder)
    writer.member("category", caption.category)
    writer.member("channels", .array(channels.channels.map { .string($0.name) }))
    writer.member("title", caption.title)
    writer.member("body", Texts.shown(caption.body))
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
    if !details.isEmpty, !Texts.areHidden { writer.member("details", .object(details)) }
    if !caption.members.isEmpty {
      writer.member("digest", .array(Texts.shown(caption.members).map { .string($0) }))
    }
    writer.endObject()
  }
}

extension DeliveryHistory {
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

extension PastEvent {
  func write(to writer: inout JSONWriter) {
    writer.beginObject()
    writer.member("id", identifier)
    writer.member("source", source)
    writer.member("type", type)
    writer.member("time", time.description)
    writer.member("received", received.description)
    writer.key(constant: "data")
    if data.isEmpty || Texts.areHidden { writer.null() } else { writer.raw(data) }
    writer.endObject()
  }
}

extension KeptNotification {
  func write(to writer: inout JSONWriter) {
    writer.beginObject()
    writer.member("id", identifier)
    writer.member("reminder", caption.reminder)
    writer.member("category", caption.category)
    writer.member("title", caption.title)
    writer.member("body", caption.body)
    if !caption.details.isEmpty {
      writer.key(constant: "details")
      writer.raw(Array(caption.details.utf8))
    }
    if !caption.members.isEmpty {
      writer.member("members", .array(caption.members.map { .string($0) }))
    }
    writer.member("planned", planned.description)
    writer.member("at", at.description)
    writer.member("expires", expiry.description)
    writer.member("channels", .array(channels.channels.map { .string($0.name) }))
    writer.member("silent", isSilent)
    writer.member("outcome", outcome.name)
    writer.key(constant: "gates")
    writer.beginObject()
    for gate in Gate.allCases {
      guard let word = trace.word(for: gate) else { continue }
      writer.key(gate.reason)
      writer.value(word)
    }
    writer.endObject()
    if trace.runLength > 1 { writer.member("missed", trace.runLength) }
    writer.key(constant: "retries")
    writer.beginArray()
    for retry in retries { retry.write(to: &writer) }
    writer.endArray()
    writer.key(constant: "attempts")
    writer.beginArray()
    for attempt in attempts { attempt.write(to: &writer) }
    writer.endArray()
    writer.endObject()
  }
}

extension KeptNotification.Retry {
  fileprivate func write(to writer: inout JSONWriter) {
    writer.beginObject()
    writer.member("sink", sink)
    writer.member("channel", channel.name)
    writer.member("attempts", attempts)
    writer.member("due", due.map { .string($0.description) } ?? .null)
    writer.member("reason", reason)
    writer.endObject()
  }
}
