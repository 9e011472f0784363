import CivilTime
package import JSON
package import Reminders

/// The JSON content of a dispatch: a delivery or an analytics event.
package protocol Document: Sendable {
  /// Identifies the content, and is the same at every attempt.
  var identifier: String { get }

  /// Identifies this document alone, and is the same at every attempt. A notification on two
  /// channels is two deliveries with one `identifier`.
  var fullIdentifier: String { get }

  /// Appends the document as a JSON object.
  func write(to writer: inout JSONWriter)
}

extension Document {
  package var fullIdentifier: String { identifier }

  /// Appends the document as a line of JSON.
  package func writeLine(to writer: inout JSONWriter) {
    write(to: &writer)
    writer.endLine()
  }
}

extension Delivery: Document {}

extension Delivery {
  /// The identifier with the channel, such as "2k7m4xq1-1-push".
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
    if !shownMessage.members.isEmpty { writeDigest(to: &writer) }
    if !shownMessage.details.isEmpty {
      writer.key(constant: "details")
      writer.raw(Array(shownMessage.details.utf8))
    }
    if let trace = shownMessage.trace {
      writer.member("traceparent", trace.parent)
      if let state = trace.state { writer.member("tracestate", state) }
    }
    writer.member("planned", planned.description)
    writer.member("at", at.description)
    writer.endObject()
  }

  /// Appends the names of the reminders in a digest.
  private func writeDigest(to writer: inout JSONWriter) {
    writer.key(constant: "digest")
    writer.beginArray()
    for reminder in shownMessage.members { writer.value(reminder) }
    writer.endArray()
  }
}
