import API
import JSON
import Reminders

/// An explanation as text: every gate with its input and verdict.
struct ExplainReport {
  let text: String

  init(_ document: JSONValue) throws(CommandError) {
    let answer = Answer<ExplanationsPayload>(document)
    _ = try answer.recipient
    var texts: [String] = []
    for explanation in try answer.explanations { texts.append(try Self.text(explanation)) }
    text = texts.joined(separator: "\n") + PastOptions.text(try answer.unknown)
  }

  private static func text(_ explanation: ExplanationNode) throws(CommandError) -> String {
    switch explanation {
    case .pending(let node): try text(Answer(node))
    case .past(let node): try text(Answer(node))
    }
  }

  /// Describes a pending or hypothetical notification.
  private static func text(_ pending: Answer<ExplanationPayload>) throws(CommandError) -> String {
    let zone = try pending.zone
    var text = head(try pending.reminder, try pending.category, try pending.channels)
    text += "planned for \(try pending.plannedLocal) \(zone)\n"
    if let timing = try pending.timing { text += timing.printable + "\n" }
    if let settings = try pending.settings { text += settings.printable + "\n" }
    text += entities(try pending.entities, ended: try pending.endedEntities)
    if let warning = try pending.warning { text += "but \(warning.printable)\n" }
    text += try rounds(pending.rounds)
    let outcome = try pending.outcome
    text += "so it is \(outcome)"
    if outcome != "dropped" { text += " at \(try pending.local) \(zone)" }
    return text + "\n" + counterfactual(try pending.counterfactual)
      + (try discreet(pending.discreet ?? []))
  }

  private static func text(_ past: Answer<PastExplanationPayload>) throws(CommandError) -> String {
    let zone = try past.zone
    var text = head(try past.reminder, try past.category, try past.channels)
    text += "\"\(try past.title)\"".printable + "\n"
    text += "planned for \(try past.plannedLocal) \(zone)\n"
    text += entities(try past.entities, ended: try past.endedEntities)
    if let inputs = try past.rounds {
      text += try rounds(inputs)
    } else {
      text += "the gates' inputs are no longer known for certain; their verdicts were:\n"
      text += try verdicts(past.verdicts)
    }
    text += "so it was \(try outcome(past)) at \(try past.local) \(zone)"
    if let digest = try past.digest { text += ", in the digest \(digest)" }
    text += "\n"
    if let reasons = try past.reasonsBeforeRetry {
      text += "Before a retry it was stopped by \(reasons.joined(separator: ", ")).\n"
    }
    if let members = try past.members {
      text += "It consists of \(members.joined(separator: ", ")).".printable + "\n"
    }
    return text + counterfactual(try past.counterfactual)
      + (try discreet(past.discreet ?? [])) + (try deliveries(past.deliveries))
  }

  private static func head(_ reminder: String, _ category: String, _ channels: [String]) -> String {
    "\(reminder) (\(category)) by \(channels.joined(separator: ", "))".printable + "\n"
  }

  /// Describes the entities that share the date, and those whose series was cancelled. A past date
  /// may have only cancelled ones now.
  private static func entities(_ entities: [String]?, ended: [String]?) -> String {
    let parts = [
      entities.map { "about \($0.joined(separator: ", "))" },
      ended.map { "cancelled: \($0.joined(separator: ", "))" },
    ].compactMap(\.self)
    return parts.isEmpty ? "" : parts.joined(separator: "; ").printable + "\n"
  }

  private static func outcome(_ past: Answer<PastExplanationPayload>) throws(CommandError) -> String
  {
    switch try past.outcome {
    case .sending: "dispatched"
    case .failed: "dispatched, but no sink delivered it,"
    case .bounced: "dispatched, but the address bounced,"
    case let other: other.rawValue
    }
  }

  private static func counterfactual(_ text: String?) -> String {
    text.map { "It \($0).".printable + "\n" } ?? ""
  }

  private static func discreet(
    _ uses: [Answer<DiscreetUsePayload>]
  ) throws(CommandError) -> String {
    var text = ""
    for use in uses {
      let line = "On \(try use.channel) it shows \"\(try use.text)\", because "
      text += (line + (try use.because)).printable + ".\n"
    }
    return text
  }

  private static func rounds(_ rounds: [Answer<RoundPayload>]) throws(CommandError) -> String {
    var text = ""
    for round in rounds { text += "at \(try round.local):\n" + (try gates(round.gates)) }
    return text
  }

  private static func gates(_ gates: [Answer<StepPayload>]) throws(CommandError) -> String {
    var table = Table()
    for gate in gates {
      let until = try gate.untilLocal.map { " until \($0)" } ?? ""
      table.add(["  " + (try gate.gate), try gate.verdict + until, try gate.input])
    }
    return table.text
  }

  private static func verdicts(_ verdicts: [Answer<VerdictPayload>]) throws(CommandError) -> String
  {
    var table = Table()
    for verdict in verdicts { table.add(["  " + (try verdict.gate), try verdict.verdict]) }
    return table.text
  }

  private static func deliveries(
    _ deliveries: [Answer<DeliveryStatePayload>]
  ) throws(CommandError) -> String {
    var table = Table()
    for delivery in deliveries {
      let state = try delivery.state.replacing("_", with: " ")
      let next = try delivery.nextLocal.map { " at \($0)" } ?? ""
      table.add([
        "\(try delivery.channel) by \(try delivery.sink)", state + next,
        try delivery.failedAttempts.map { "\($0) failed" } ?? "", try delivery.reason ?? "",
      ])
      for attempt in try delivery.attempts ?? [] { table.add(try cells(attempt)) }
    }
    return table.text
  }

  /// Returns the cells of a row such as "  21:00:05 by webhook   retry   503 in 20 ms   busy".
  private static func cells(_ attempt: Answer<LocalAttemptPayload>) throws(CommandError) -> [String]
  {
    let answer = attempt.answer
    let duration = try answer.milliseconds.map { "in \($0) ms" }
    let response = [try answer.status, duration].compactMap(\.self)
    let remarks = [try answer.reason, try answer.excerpt.map { "\"\($0)\"" }].compactMap(\.self)
    return [
      "  \(try attempt.local) by \(try attempt.target.sink)", try answer.verdict,
      response.joined(separator: " "), remarks.joined(separator: " "),
    ]
  }
}
