import CivilTime
import JSON
import Reminders

extension Recipient {
  /// Writes the members that say what is known of a recipient now. What else their facts hold
  /// follows from their events.
  func writeExport(at now: Instant, planner: Planner, to writer: inout JSONWriter) {
    let context = PlanningContext(facts: facts, planner: planner)
    writer.member("recipient", name)
    writer.member("exported", now.description)
    writer.member("created", facts.created.map { .string($0.time.description) } ?? .null)
    writer.key(constant: "profile")
    writer.beginObject()
    for register in facts.profile {
      writer.key(register.field.name)
      writer.value(register.value.map { .string($0) } ?? .null)
    }
    writer.endObject()
    writer.key(constant: "devices")
    writer.beginArray()
    for device in facts.devices { device.write(to: &writer) }
    writer.endArray()
    writer.key(constant: "permissions")
    writer.beginObject()
    for channel in Channel.allCases {
      writer.key(channel.name)
      writer.value(facts.permission(of: channel).name)
    }
    writer.endObject()
    let document = PreferencesDocument(context).whole(at: now)
    writer.member("preferences", .object(document))
    writeMarks(of: planner.catalog, to: &writer)
  }

  /// What is remembered of the events of each type.
  private func writeMarks(of catalog: Catalog, to writer: inout JSONWriter) {
    writer.key(constant: "remembered")
    writer.beginArray()
    for schema in catalog.events {
      guard let mark = facts.mark(Symbol(schema.type)) else { continue }
      writer.beginObject()
      writer.member("type", schema.type)
      writer.member("first", mark.first.time.description)
      writer.member("last", mark.last.time.description)
      if let peak = mark.peak { writer.member("highest", peak.number) }
      if !mark.reports.isEmpty {
        writer.member("numbers", .array(mark.reports.map { .integer($0.number) }))
      }
      writer.endObject()
    }
    writer.endArray()
  }
}

extension Device {
  fileprivate func write(to writer: inout JSONWriter) {
    writer.beginObject()
    writer.member("deviceId", identifier)
    writer.member("platform", platform)
    writer.member("token", token.map { .string($0) } ?? .null)
    writer.member("since", stamp.time.description)
    writer.endObject()
  }
}
