import CivilTime
import Engine
import JSON

extension ServiceStatus {
  func write(to writer: inout JSONWriter) {
    writer.beginObject()
    writer.member("now", now.description)
    writer.member("started", started.description)
    writer.member("recipients", recipients)
    writer.member("pending", pending)
    writer.member("due", due)
    writer.member("deadLetters", deadLetters)
    writer.key(constant: "next")
    if let next { next.write(to: &writer) } else { writer.null() }
    writer.key(constant: "lanes")
    writer.beginArray()
    for lane in lanes { lane.write(to: &writer) }
    writer.endArray()
    writer.member("catalogs", .array(catalogs.map { .string($0) }))
    writer.member("zoneDatabase", zoneDatabase)
    writer.member("defaultZone", defaultZone)
    writer.member("storageFailure", storageFailure.map { .string($0) } ?? .null)
    writer.endObject()
  }
}

extension ServiceStatus.Next {
  fileprivate func write(to writer: inout JSONWriter) {
    writer.beginObject()
    writer.member("reminder", reminder)
    writer.member("recipients", recipients)
    writer.member("at", at.description)
    writer.endObject()
  }
}

extension ServiceStatus.Lane {
  fileprivate func write(to writer: inout JSONWriter) {
    writer.beginObject()
    writer.member("sink", sink)
    writer.member("waiting", waiting)
    writer.member("retrying", retrying)
    writer.member("failure", failure.map { .string($0) } ?? .null)
    writer.endObject()
  }
}
