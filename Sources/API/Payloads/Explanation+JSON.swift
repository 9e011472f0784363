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
    writer.key(constant: "rounds")
    writer.beginArray()
    for round in rounds { write(round, to: &writer) }
    writer.endArray()
    writer.member("outcome", decision.outcome.name)
    writer.member("at", decision.at.description)
    writer.member("local", zone.local(at: decision.at).description)
    writer.member("reasons", .array(decision.trace.reasons.map { .string($0) }))
    writer.member("counterfactual", counterfactual.map { .string($0) } ?? .null)
    writer.endObject()
  }

  private func write(_ round: Round, to writer: inout JSONWriter) {
    writer.beginObject()
    writer.member("at", round.at.description)
    writer.member("local", zone.local(at: round.at).description)
    writer.key(constant: "gates")
    writer.beginArray()
    for step in round.steps {
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
