import CivilTime
import JSON
import Reminders

extension Firing {
  /// Writes what will come of an occurrence; nothing for what is only held, or is said by a digest.
  func write(in situation: Situation, to writer: inout JSONWriter) {
    guard case .settled(let outcome) = result, outcome != .bundled,
      let caption = situation.caption(of: self)
    else { return }
    writer.beginObject()
    writer.member("at", at.description)
    writer.member("local", situation.zone.local(at: at).description)
    writer.member("reminder", caption.reminder)
    writer.member("category", caption.category)
    writer.member("channels", .array(channels.channels.map { .string($0.name) }))
    writer.member("outcome", outcome.name)
    writer.member("planned", planned.description)
    writer.member("reasons", .array(trace.reasons.map { .string($0) }))
    if trace.runLength > 1 { writer.member("missed", trace.runLength) }
    writer.member("title", caption.title)
    writer.member("body", caption.body)
    if isSilent { writer.member("silent", true) }
    writer.endObject()
  }
}
