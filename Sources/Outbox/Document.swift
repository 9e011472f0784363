package import JSON
package import Reminders

/// What a sink is handed as JSON: a delivery, or an analytics event.
package protocol Document: Sendable {
  /// The same at every attempt.
  var identifier: String { get }

  /// Appends it as an object.
  func write(to writer: inout JSONWriter)
}

extension Document {
  /// Appends it as a line of JSON.
  package func writeLine(to writer: inout JSONWriter) {
    write(to: &writer)
    writer.endLine()
  }
}

extension Delivery: Document {}
