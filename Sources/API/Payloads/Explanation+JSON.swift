import CivilTime
import JSON
import Reminders

extension Explanation {
  /// Writes every gate with what it looked at and what it said, then what it came to (rule V8).
  func write(to writer: inout JSONWriter) {
    writer.beginObject()
    writer.member("reminder", reminder)
    writer.member("category", category)
    writer.member("channels", .array(channels.map { .string($0.name) }))
    writer.member("zone", zone.name)
    writer.member("planned", planned.description)
    writer.member("plannedLocal", zone.local(at: planned).description)
    writer.member("timing", timing.map { .string($0) } ?? .null)
    rounds.write(in: zone, to: &writer)
    writer.member("outcome", decision.outcome.name)
    writer.member("at", decision.at.description)
    writer.member("local", zone.local(at: decision.at).description)
    writer.member("reasons", .array(decision.trace.reasons.map { .string($0) }))
    writer.member("for", waitsFor?.json ?? .null)
    writer.member("counterfactual", counterfactual.map { .string($0) } ?? .null)
    writer.endObject()
  }
}

extension [Explanation.Round] {
  /// Writes the member "rounds".
  func write(in zone: Zone, to writer: inout JSONWriter) {
    writer.key(constant: "rounds")
    writer.beginArray()
    for round in self { round.write(in: zone, to: &writer) }
    writer.endArray()
  }
}

extension Explanation.Round {
  fileprivate func write(in zone: Zone, to writer: inout JSONWriter) {
    writer.beginObject()
    writer.member("at", at.description)
    writer.member("local", zone.local(at: at).description)
    writer.key(constant: "gates")
    writer.beginArray()
    for step in steps {
      writer.beginObject()
      writer.member("gate", step.gate.reason)
      writer.member("verdict", step.finding.word)
      writer.member("input", step.input)
      if case .holds(let until) = step.finding {
        writer.member("until", until.description)
        writer.member("untilLocal", zone.local(at: until).description)
      }
      writer.endObject()
    }
    writer.endArray()
    writer.endObject()
  }
}

extension SlotKeeping {
  /// For whom a slot is kept (rule V5).
  var json: JSONValue { ["reminder": .string(reminder), "at": .string(at.description)] }
}
