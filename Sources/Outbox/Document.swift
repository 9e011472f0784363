import CivilTime
package import JSON
package import Reminders

/// What a sink is handed as JSON: a delivery, or an analytics event.
package protocol Document: Sendable {
  /// The same at every attempt.
  var identifier: String { get }

  /// The same at every attempt, and of nothing else: on two channels a notification is two
  /// deliveries with one `identifier`.
  var fullIdentifier: String { get }

  /// Appends it as an object.
  func write(to writer: inout JSONWriter)
}

extension Document {
  package var fullIdentifier: String { identifier }

  /// Appends it as a line of JSON.
  package func writeLine(to writer: inout JSONWriter) {
    write(to: &writer)
    writer.endLine()
  }
}

extension Delivery: Document {}

extension Delivery {
  /// "2k7m4xq1-1-push".
  package var fullIdentifier: String { "\(identifier)-\(channel.name)" }

  /// Appends the delivery as an object.
  package func write(to writer: inout JSONWriter) {
    writer.beginObject()
    writer.member("id", identifier)
    writer.member("recipient", recipient)
    writer.member("reminder", reminder)
    writer.member("category", category)
    writer.member("channel", channel.name)
    writer.member("title", title)
    writer.member("body", body)
    if isSilent { writer.member("silent", true) }
    hints.write(for: channel, isSilent: isSilent, to: &writer)
    if !message.members.isEmpty { writeDigest(to: &writer) }
    if !message.details.isEmpty {
      writer.key(constant: "details")
      writer.raw(Array(message.details.utf8))
    }
    if let trace = message.trace {
      writer.member("traceparent", trace.parent)
      if let state = trace.state { writer.member("tracestate", state) }
    }
    writer.member("planned", planned.description)
    writer.member("at", at.description)
    writer.endObject()
  }

  /// The reminders that a digest is made of.
  private func writeDigest(to writer: inout JSONWriter) {
    writer.key(constant: "digest")
    writer.beginArray()
    for reminder in message.members { writer.value(reminder) }
    writer.endArray()
  }
}
