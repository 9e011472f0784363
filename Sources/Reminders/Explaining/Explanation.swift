package import CivilTime

/// The explanation of the decision about an occurrence (rule V8). It has the input and the finding
/// of each gate at each instant of evaluation.
package struct Explanation: Sendable {
  /// The result of one gate.
  package struct Step: Hashable, Sendable {
    package var gate: Gate
    package var finding: Finding
    /// The gate's input.
    package var fact: GateFact
    /// The gate's input in words.
    package var input: String
  }

  /// The evaluation of all gates at one instant. It has nothing to do with the round of an
  /// occurrence, which a snooze begins.
  package struct Evaluation: Hashable, Sendable {
    /// The instant of the evaluation.
    package var at: Instant
    package var steps: [Step]

    /// The results of the gates that hold or drop the occurrence.
    package var objections: [Step] { steps.filter { $0.finding.isObjection } }
  }

  /// The id of the recipient.
  package var recipient: String
  /// The name of the reminder in the catalog.
  package var reminder: String
  /// The name of the reminder's category.
  package var category: String
  /// The channels on which the occurrence is sent, or would be sent if no gate stopped it.
  package var channels: [Channel]
  package var zone: Zone
  /// The planned instant, or the end of a snooze.
  package var planned: Instant
  /// A sentence about the choice of the planned time of day, for `smart` timing (rule M3) and
  /// picked times (rule G25).
  package var timing: String?
  /// The settings of the occurrence's entities in one sentence (rule P10); nil if the entities have
  /// none.
  package var entitySettings: String?
  /// The entities that share the occurrence's date.
  package var sharedDate = SharedDate()
  /// The evaluations of the gates, in order of time.
  package var rounds: [Evaluation]
  package var decision: Decision
  /// A sentence about data that may make the explanation wrong, such as holidays that are not known
  /// far enough ahead.
  package var warning: String?
  /// The reservation for another occurrence that makes the explained one wait (rule V12).
  package var waitsFor: CapacityReservation?

  /// The gates without which the occurrence would be sent when its gates are first evaluated; nil
  /// if there are none.
  package internal(set) var counterfactual: Counterfactual?

  /// The discreet texts that channels will show.
  package internal(set) var discreetTextUses: [DiscreetUse] = []

  /// The counterfactual in one sentence.
  package var counterfactualText: String? {
    counterfactual.map { "would be sent at \($0.words(in: zone))" }
  }

  /// Adds a step if the occurrence is sent as part of a digest. A digest is formed after all gates
  /// have passed.
  mutating func addDigestStep() {
    if decision.outcome == .bundled { rounds.addDigestStep() }
  }
}

/// A reservation of capacity: the reminder's identifier and the instant of the occurrence for which
/// the capacity is reserved.
package struct CapacityReservation: Hashable, Sendable {
  package var reminder: String
  /// The instant at which that occurrence would be sent without minimum interval and cap.
  package var at: Instant
}

extension PlanningContext {
  package func capacityReservation(
    for beneficiary: CapReservations.Beneficiary
  ) -> CapacityReservation? {
    catalog.reminder(beneficiary.reminder).map {
      CapacityReservation(reminder: $0.identifier, at: beneficiary.at)
    }
  }
}

extension Finding {
  /// Whether the finding is a hold or a drop.
  package var isObjection: Bool {
    switch self {
    case .passes, .silences: false
    case .holds, .drops: true
    }
  }

  package var word: String {
    switch self {
    case .passes: "passes"
    case .silences: "silences"
    case .holds: "holds"
    case .drops: "drops"
    }
  }
}

extension Zone {
  /// Returns a text such as "2026-03-02 21:00 Europe/Berlin".
  package func written(_ instant: Instant) -> String {
    "\(local(at: instant)) \(name)"
  }
}

extension Explanation {
  /// Evaluates the gates as for a due occurrence, and records each step.
  init(
    recipient: String, message: Message, channels: ChannelSet, input: GateInput,
    from start: Instant
  ) {
    (rounds, decision) = [Evaluation].evaluating(input, from: start)
    decision = decision.shown(planned: input.planned)
    self.recipient = recipient
    reminder = message.reminder
    category = message.category
    self.channels = channels.channels
    zone = input.zone
    planned = input.planned
  }
}

extension [Explanation.Evaluation] {
  /// Evaluates the gates until all pass or one drops the occurrence.
  static func evaluating(_ input: GateInput, from start: Instant) -> (rounds: Self, Decision) {
    var rounds: Self = []
    let decision = Gates.decide(input, from: start) { instant, gate, finding in
      if rounds.last?.at != instant { rounds.append(Element(at: instant, steps: [])) }
      let fact = input.fact(for: gate, at: instant)
      let step = Explanation.Step(
        gate: gate, finding: finding, fact: fact, input: fact.words(in: input.zone))
      rounds[rounds.count - 1].steps.append(step)
    }
    return (rounds, decision)
  }

  /// Replaces the evaluations at and after the first instant of `rounds` by `rounds`.
  mutating func replaceEvaluations(by rounds: Self) {
    guard let first = rounds.first else { return }
    removeAll { $0.at >= first.at }
    self += rounds
  }

  /// Adds the step of a digest to the last evaluation.
  mutating func addDigestStep() {
    guard !isEmpty else { return }
    let fact = GateFact.gate(.bundling)
    self[count - 1].steps.append(
      Explanation.Step(gate: .bundling, finding: .passes, fact: fact, input: Gate.bundling.words))
  }
}

extension Gate {
  /// The description of the gate, for use where its input is unknown.
  var words: String {
    switch self {
    case .expiry: "its expiry"
    case .master: "the master switch"
    case .category: "the switches of category and channel"
    case .address: "a missing address or a denied permission"
    case .vacation: "a vacation"
    case .calendar: "a day of rest"
    case .quietHours: "quiet hours"
    case .policyHours: "the operator's hours"
    case .minimumInterval: "the minimum interval"
    case .dailyCap: "the daily cap"
    case .policyCap: "the operator's caps"
    case .bundling: "a digest that contains it"
    case .missed: "a later occurrence that is due, or a pause of the service"
    case .emailFrequency: "collected e-mail"
    case .withdrawn: "its withdrawal"
    }
  }
}
