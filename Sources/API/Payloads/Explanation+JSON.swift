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
    writer.member("warning", warning.map { .string($0) } ?? .null)
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
      writer.member("kind", step.fact.kind)
      writer.member("parameters", .object(step.fact.parameters(in: zone)))
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

extension PastExplanation {
  /// Writes what it was, what every gate said, what came of it, and how far its deliveries are
  /// (rule V8).
  func write(_ deliveries: [DeliveryState], digest: String?, to writer: inout JSONWriter) {
    writer.beginObject()
    writer.member("notification", notification.identifier)
    writer.member("reminder", notification.caption.reminder)
    writer.member("category", notification.caption.category)
    writer.member("title", notification.caption.title)
    writer.member("body", Texts.shown(notification.caption.body))
    if notification.isSilent { writer.member("silent", true) }
    let channels = notification.channels.channels
    writer.member("channels", .array(channels.map { .string($0.name) }))
    writer.member("zone", zone.name)
    writer.member("planned", notification.planned.description)
    writer.member("plannedLocal", zone.local(at: notification.planned).description)
    // Without rounds what every gate said is known all the same, but not what it looked at.
    if let rounds { rounds.write(in: zone, to: &writer) }
    writeVerdicts(to: &writer)
    writer.member("outcome", notification.state(deliveries).rawValue)
    writer.member("at", notification.at.description)
    writer.member("local", zone.local(at: notification.at).description)
    writer.member("reasons", .array(notification.trace.reasons.map { .string($0) }))
    let runLength = notification.trace.runLength
    if runLength > 1 { writer.member("missed", runLength) }
    if !laterReasons.isEmpty {
      writer.member("reasonsBeforeRetry", .array(laterReasons.map { .string($0) }))
    }
    writer.member("counterfactual", counterfactual.map { .string($0) } ?? .null)
    let members = notification.caption.members
    if !members.isEmpty {
      writer.member("members", .array(Texts.shown(members).map { .string($0) }))
    }
    if let digest { writer.member("digest", digest) }
    writer.key(constant: "deliveries")
    writer.beginArray()
    for delivery in deliveries { delivery.write(in: zone, to: &writer) }
    writer.endArray()
    writer.endObject()
  }

  private func writeVerdicts(to writer: inout JSONWriter) {
    writer.key(constant: "verdicts")
    writer.beginArray()
    for gate in Gate.allCases {
      guard let word = notification.trace.word(for: gate) else { continue }
      writer.beginObject()
      writer.member("gate", gate.reason)
      writer.member("verdict", word)
      writer.endObject()
    }
    writer.endArray()
  }
}

extension DeliveryState {
  fileprivate func write(in zone: Zone, to writer: inout JSONWriter) {
    writer.beginObject()
    writer.member("sink", sink)
    writer.member("channel", channel.name)
    switch progress {
    case .waiting: writer.member("state", "waiting")
    case .handedOver: writer.member("state", "handed_over")
    case .retrying(let attempts, let due, let reason):
      writer.member("state", "retrying")
      writer.member("failedAttempts", attempts)
      writer.member("next", due.description)
      writer.member("nextLocal", zone.local(at: due).description)
      writer.member("reason", reason)
    case .dead(let attempts, let reason):
      writer.member("state", "dead_letter")
      writer.member("failedAttempts", attempts)
      writer.member("reason", reason)
    case .failed(let reason):
      writer.member("state", "failed")
      writer.member("reason", reason)
    case .dropped(let reason):
      writer.member("state", "dropped")
      writer.member("reason", reason)
    }
    if !attempts.isEmpty {
      writer.key(constant: "attempts")
      writer.beginArray()
      for attempt in attempts { attempt.write(in: zone, to: &writer) }
      writer.endArray()
    }
    writer.endObject()
  }
}
