import CivilTime
import JSON
import Reminders

extension Attempt {
  /// - Parameter zone: in which the time is written as well; none if nil.
  func write(in zone: Zone? = nil, to writer: inout JSONWriter) {
    writer.beginObject()
    writer.member("channel", channel.name)
    writer.member("sink", sink)
    writer.member("at", at.description)
    if let zone { writer.member("local", zone.local(at: at).description) }
    writer.member("verdict", verdict.name)
    if let status { writer.member("status", status) }
    if !excerpt.isEmpty { writer.member("excerpt", excerpt) }
    if let duration { writer.member("milliseconds", duration.milliseconds) }
    if !reason.isEmpty { writer.member("reason", reason) }
    writer.endObject()
  }
}
