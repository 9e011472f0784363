package import CivilTime
package import JSON
package import Reminders

/// Explanations of pending or possible occurrences, or of past notifications. The two kinds have
/// different members.
package struct Explanations {
  let recipient: String
  /// The explanations of pending or possible occurrences.
  var explanations: [Explanation] = []
  /// The explanations of past notifications.
  var past: [ExplainedNotification] = []
  /// The parts of the past that are not known; nil for the present.
  var unknownParts: [String]?
}

package struct ExplanationsPayload: Payload {
  package typealias Value = Explanations
  package static let shape = PayloadShape(Self(), as: .explanations)

  package let recipient = Member("recipient", .recipient) { $0.recipient }
  package let explanations = Member("explanations", anyExplanation) { $0 }
  package let unknown = Member(
    "unknown", optional: .list(.text),
    "The parts of the past that are not known; absent without asOf"
  ) { $0.unknownParts }

  private static let anyExplanation = ValueKind<Explanations, [ExplanationNode]>(
    .list(.oneOf([.of(ExplanationPayload.self), .of(PastExplanationPayload.self)])),
    write: { explained, writer in
      writer.beginArray()
      for explanation in explained.explanations {
        ExplanationPayload.write(explanation, to: &writer)
      }
      for past in explained.past { PastExplanationPayload.write(past, to: &writer) }
      writer.endArray()
    }, read: { $0.arrayValue?.compactMap(ExplanationNode.init) })
}

/// One explanation as a client received it.
package enum ExplanationNode: Sendable {
  /// A pending or possible occurrence.
  case pending(PayloadNode<ExplanationPayload>)
  case past(PayloadNode<PastExplanationPayload>)

  /// Reads an explanation. Only explanations of past notifications have the member `notification`.
  init?(_ json: JSONValue) {
    guard json.objectValue != nil else { return nil }
    let isPast = PastExplanationPayload.shape.body.notification.read(json) != nil
    self = isPast ? .past(PayloadNode(json)) : .pending(PayloadNode(json))
  }
}

/// An explanation of a pending or possible occurrence: each gate with its input and verdict, then
/// the outcome (rule V8).
package struct ExplanationPayload: Payload {
  package typealias Value = Explanation
  package static let shape = PayloadShape(Self(), as: .explanation)

  package let reminder = Member("reminder", .text) { $0.reminder }
  package let category = Member("category", .text) { $0.category }
  package let channels = Member("channels", .list(.channel)) { $0.channels }
  package let zone = Member("zone", .text) { $0.zone.name }
  package let planned = Member("planned", .instant) { $0.planned }
  package let plannedLocal = Member("plannedLocal", .localTime) { $0.zone.shown($0.planned) }
  package let timing = Member("timing", orNull: .text, "How the time of day was chosen") {
    $0.timing
  }
  package let settings = Member(
    "settings", orNull: .text, "The recipient's settings for the entities of the occurrence"
  ) { $0.entitySettings }
  package let entities = Member("entities", optional: .entities) { $0.sharedDate.entities.orNil }
  package let endedEntities = Member("endedEntities", optional: .endedEntities) {
    $0.sharedDate.ended.orNil
  }
  package let warning = Member(
    "warning", orNull: .text,
    "A zone without rules in the tz database, or holidays that end within a year"
  ) { $0.warning }
  package let rounds = Member("rounds", .list(.payload(RoundPayload.self))) { explanation in
    explanation.rounds.map { Zoned($0, in: explanation.zone) }
  }
  package let outcome = Member("outcome", .text) { $0.decision.outcome.name }
  package let at = Member("at", .instant) { $0.decision.at }
  package let local = Member("local", .localTime) { $0.zone.shown($0.decision.at) }
  package let reasons = Member("reasons", .reasons) { $0.decision.trace.reasons }
  package let beneficiary = Member(
    "for", orNull: .payload(BeneficiaryPayload.self), BeneficiaryPayload.meaning
  ) { $0.waitsFor }
  package let counterfactual = Member("counterfactual", orNull: .text) { $0.counterfactualText }
  package let without = Member(
    "without", orNull: .payload(CounterfactualPayload.self), CounterfactualPayload.meaning
  ) { explanation in explanation.counterfactual.map { Zoned($0, in: explanation.zone) } }
  package let discreet = Member(
    "discreet", optional: .list(.payload(DiscreetUsePayload.self)), DiscreetUsePayload.meaning
  ) { $0.discreetTextUses.isEmpty ? nil : $0.discreetTextUses }
}

package struct DiscreetUsePayload: Payload {
  package typealias Value = DiscreetUse
  package static let shape = PayloadShape(Self())
  static let meaning = "The channels that show a discreet text instead of title and body"

  package let channel = Member("channel", .channel) { $0.channel }
  package let text = Member("text", .text) { $0.text }
  package let because = Member("because", .text) { $0.because }
}

package struct CounterfactualPayload: Payload {
  package typealias Value = Zoned<Counterfactual>
  package static let shape = PayloadShape(Self())
  static let meaning = "The content of the counterfactual, for translations"

  package let at = Member("at", .instant) { $0.content.at }
  package let local = Member("local", .localTime) { $0.local($0.content.at) }
  package let objections = Member(
    "objections", .list(.payload(FactPayload.self)),
    "The objections that prevent sending at that instant"
  ) { without in
    without.content.objections.map { Zoned($0, in: without.zone) }
  }
}

/// The input of a gate, for translations.
package struct FactPayload: Payload {
  package typealias Value = Zoned<GateFact>
  package static let shape = PayloadShape(Self())

  package let kind = Member("kind", .text, "Identifies the sentence to translate") {
    $0.content.kind
  }
  package let parameters = Member(
    "parameters", .object, "The values in the sentence, by name"
  ) {
    $0.content.parameters(in: $0.zone)
  }
}

/// The verdicts of all gates at one instant.
package struct RoundPayload: Payload {
  package typealias Value = Zoned<Explanation.Evaluation>
  package static let shape = PayloadShape(Self())

  package let at = Member("at", .instant) { $0.content.at }
  package let local = Member("local", .localTime) { $0.local($0.content.at) }
  package let gates = Member(
    "gates", .list(.payload(StepPayload.self)),
    "The deciding gate, then the others that object, then the rest in the order of the gates"
  ) { round in
    round.content.steps.decidingFirst.map { Zoned($0, in: round.zone) }
  }
}

package struct StepPayload: Payload {
  package typealias Value = Zoned<Explanation.Step>
  package static let shape = PayloadShape(Self())

  package let gate = Member("gate", .text) { $0.content.gate.reason }
  package let verdict = Member("verdict", .text) { $0.content.finding.word }
  package let input = Member("input", .text) { $0.content.input }
  package let fact = Members(FactPayload.self) { Zoned($0.content.fact, in: $0.zone) }
  package let until = Member("until", optional: .instant) { $0.until }
  package let untilLocal = Member("untilLocal", optional: .localTime) { step in
    step.until.map(step.local)
  }
}

extension Zoned<Explanation.Step> {
  fileprivate var until: Instant? {
    if case .holds(let until) = content.finding { until } else { nil }
  }
}

extension Zone {
  func shown(_ instant: Instant) -> String { local(at: instant).description }
}
