import CivilTime
import JSON
import Reminders

/// Why something goes when it goes, or why something past went: each has what the other has not.
struct Explained {
  let recipient: String
  var explanations: [Explanation] = []
  var past: [ToldExplanation] = []
}

struct ExplanationsPayload: Payload {
  typealias Value = Explained
  static let shape = PayloadShape(Self(), as: .explanations)

  let recipient = Member("recipient", .recipient) { $0.recipient }
  let explanations = Member("explanations", either) { $0 }

  private static let either = ValueKind<Explained, JSONValue>(
    .list(.oneOf([.of(ExplanationPayload.self), .of(PastExplanationPayload.self)])),
    write: { explained, writer in
      writer.beginArray()
      for explanation in explained.explanations {
        ExplanationPayload.write(explanation, to: &writer)
      }
      for past in explained.past { PastExplanationPayload.write(past, to: &writer) }
      writer.endArray()
    }, read: \.self)
}

/// Every gate with what it looked at and what it said, then what it came to (rule V8).
struct ExplanationPayload: Payload {
  typealias Value = Explanation
  static let shape = PayloadShape(Self(), as: .explanation)

  let reminder = Member("reminder", .text) { $0.reminder }
  let category = Member("category", .text) { $0.category }
  let channels = Member("channels", .list(.channel)) { $0.channels }
  let zone = Member("zone", .text) { $0.zone.name }
  let planned = Member("planned", .instant) { $0.planned }
  let plannedLocal = Member("plannedLocal", .localTime) { $0.zone.shown($0.planned) }
  let timing = Member("timing", orNull: .text, "How its time of day was chosen") { $0.timing }
  let warning = Member(
    "warning", orNull: .text, "That holidays are known no further, a year ahead"
  ) { $0.warning }
  let rounds = Member("rounds", .list(.payload(RoundPayload.self))) { explanation in
    explanation.rounds.map { Zoned($0, in: explanation.zone) }
  }
  let outcome = Member("outcome", .text) { $0.decision.outcome.name }
  let at = Member("at", .instant) { $0.decision.at }
  let local = Member("local", .localTime) { $0.zone.shown($0.decision.at) }
  let reasons = Member("reasons", .reasons) { $0.decision.trace.reasons }
  let beneficiary = Member(
    "for", orNull: .payload(BeneficiaryPayload.self), BeneficiaryPayload.meaning
  ) { $0.waitsFor }
  let counterfactual = Member("counterfactual", orNull: .text) { $0.difference }
  let without = Member(
    "without", orNull: .payload(CounterfactualPayload.self), CounterfactualPayload.meaning
  ) { explanation in explanation.counterfactual.map { Zoned($0, in: explanation.zone) } }
}

struct CounterfactualPayload: Payload {
  typealias Value = Zoned<Counterfactual>
  static let shape = PayloadShape(Self())
  static let meaning = "What the counterfactual says, for other languages"

  let at = Member("at", .instant) { $0.content.at }
  let local = Member("local", .localTime) { $0.local($0.content.at) }
  let objections = Member(
    "objections", .list(.payload(FactPayload.self)), "What it would go then but for"
  ) { without in
    without.content.objections.map { Zoned($0, in: without.zone) }
  }
}

/// What a gate looked at, for those who say it in another language.
struct FactPayload: Payload {
  typealias Value = Zoned<GateFact>
  static let shape = PayloadShape(Self())

  let kind = Member("kind", .text, "Which sentence it is") { $0.content.kind }
  let parameters = Member("parameters", .object, "What it names, by the place in the sentence") {
    $0.content.parameters(in: $0.zone)
  }
}

/// What the gates said at an instant at which they were asked.
struct RoundPayload: Payload {
  typealias Value = Zoned<Explanation.Round>
  static let shape = PayloadShape(Self())

  let at = Member("at", .instant) { $0.content.at }
  let local = Member("local", .localTime) { $0.local($0.content.at) }
  let gates = Member("gates", .list(.payload(StepPayload.self))) { round in
    round.content.steps.map { Zoned($0, in: round.zone) }
  }
}

struct StepPayload: Payload {
  typealias Value = Zoned<Explanation.Step>
  static let shape = PayloadShape(Self())

  let gate = Member("gate", .text) { $0.content.gate.reason }
  let verdict = Member("verdict", .text) { $0.content.finding.word }
  let input = Member("input", .text) { $0.content.input }
  let fact = Members(FactPayload.self) { Zoned($0.content.fact, in: $0.zone) }
  let until = Member("until", optional: .instant) { $0.until }
  let untilLocal = Member("untilLocal", optional: .localTime) { step in
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
