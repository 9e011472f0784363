import CivilTime
import JSON
import Reminders

extension PastEvent {
  func write(to writer: inout JSONWriter) {
    writer.beginObject()
    writer.member("id", identifier)
    writer.member("source", source)
    writer.member("type", type)
    writer.member("time", time.description)
    writer.member("received", received.description)
    writer.key(constant: "data")
    if data.isEmpty { writer.null() } else { writer.raw(data) }
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
