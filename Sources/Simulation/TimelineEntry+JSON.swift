import CivilTime
package import JSON
import Reminders

extension TimelineEntry {
  /// Appends the entry as one line of NDJSON (rule L1).
  ///
  /// - Parameter isExplained: whether what every gate said is added.
  package func write(to writer: inout JSONWriter, isExplained: Bool) {
    writer.beginObject()
    writer.member("at", at.description)
    writer.member("recipient", recipient)
    writer.member("reminder", caption.reminder)
    writer.member("category", caption.category)
    writer.member("channel", channel.name)
    writer.member("outcome", outcome.name)
    writer.member("planned", planned.description)
    writer.key(constant: "reasons")
    writer.beginArray()
    for reason in trace.reasons { writer.value(reason) }
    writer.endArray()
    if trace.runLength > 1 { writer.member("missed", trace.runLength) }
    writer.member("title", caption.title)
    writer.member("body", caption.body(on: channel, hints))
    if isSilent { writer.member("silent", true) }
    if outcome == .delivered { hints.write(for: channel, isSilent: isSilent, to: &writer) }
    if !caption.members.isEmpty { writeDigest(to: &writer) }
    if isExplained { writeTrace(to: &writer) }
    writer.endObject()
    writer.endLine()
  }

  /// The reminders that a digest is made of (rule V6).
  private func writeDigest(to writer: inout JSONWriter) {
    writer.key(constant: "digest")
    writer.beginArray()
    for reminder in caption.members { writer.value(reminder) }
    writer.endArray()
  }

  private func writeTrace(to writer: inout JSONWriter) {
    writer.key(constant: "trace")
    writer.beginObject()
    for gate in Gate.allCases {
      guard let word = trace.word(for: gate) else { continue }
      writer.key(gate.reason)
      writer.value(word)
    }
    writer.endObject()
  }
}
