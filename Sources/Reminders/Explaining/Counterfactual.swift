package import CivilTime

/// The instant at which an occurrence would be sent without some gates, with the inputs of these
/// gates.
///
/// A counterfactual is stated only if the occurrence, decided again without these gates, is sent at
/// that instant (rule V8). A gate objects if it holds or drops the occurrence.
package struct Counterfactual: Hashable, Sendable {
  /// The instant at which the occurrence would be sent.
  package var at: Instant
  /// The inputs of the gates that object, beginning with the input of the deciding gate.
  package var objections: [GateFact]

  /// Returns a text such as "2026-03-02 21:00 Europe/Berlin if not for quiet hours 21:00-08:00
  /// Europe/Berlin".
  func words(in zone: Zone) -> String {
    let facts = objections.map { $0.words(in: zone) }.joined(separator: " and ")
    return "\(zone.written(at)) if not for \(facts)"
  }

  /// The result of deciding an occurrence again without some gates.
  struct Trial {
    /// Whether the occurrence is sent at the instant in question.
    var isSent: Bool
    /// The gates that still object at that instant.
    var objections: [Explanation.Step]
  }

  /// Finds the gates without which an occurrence is sent at the instant of `evaluation`.
  ///
  /// The gates for interval and caps are evaluated only when all others pass. So these gates may
  /// object only after the others that object have been removed.
  ///
  /// - Parameters:
  ///   - evaluation: the first evaluation of the gates.
  ///   - trial: decides the occurrence again without some gates.
  /// - Returns: nil if all gates pass, or if removing the gates that object is not enough.
  init?(_ evaluation: Explanation.Evaluation?, _ trial: ([Gate]) -> Trial) {
    guard let evaluation, var objections = evaluation.objections.nonEmpty else { return nil }
    for _ in Gate.allCases {
      let gates = objections.map(\.gate)
      let result = trial(gates)
      guard !result.isSent else {
        self.init(at: evaluation.at, objections: objections.decidingFirst.map(\.fact))
        return
      }
      let newObjections = result.objections.filter { !gates.contains($0.gate) }
      guard !newObjections.isEmpty else { return nil }
      objections += newObjections
    }
    return nil
  }

  private init(at instant: Instant, objections: [GateFact]) {
    (at, self.objections) = (instant, objections)
  }
}

/// An occurrence in one channel group that is decided without some of its gates.
struct GateRemoval {
  let occurrence: OccurrenceInGroup
  /// The mask for `GateInput.ignoredGates`.
  let gates: UInt32

  init(_ occurrence: OccurrenceInGroup, _ gates: [Gate]) {
    self.occurrence = occurrence
    self.gates = gates.mask
  }
}

extension [Gate] {
  /// The gates as bits of their raw values.
  var mask: UInt32 { reduce(0) { $0 | 1 << UInt32($1.rawValue) } }
}

extension [Explanation.Step] {
  fileprivate var nonEmpty: Self? { isEmpty ? nil : self }

  /// The steps in this order: the deciding gate, the other gates that object, the gates that pass.
  /// A drop decides before a hold, and the longer of two holds decides.
  package var decidingFirst: Self {
    sorted { $0.finding.weight > $1.finding.weight }
  }
}

extension Finding {
  fileprivate var weight: Instant {
    switch self {
    case .passes, .silences: Instant(milliseconds: .min)
    case .holds(let until): until
    case .drops: Instant(milliseconds: .max)
    }
  }
}

extension Recipient {
  /// Finds the gates without which an occurrence is sent at the instant of `evaluation`. To do so,
  /// it simulates the recipient up to that instant again.
  ///
  /// - Parameter evaluation: the first evaluation of the occurrence's gates, not before `now`.
  func counterfactual(
    of occurrence: OccurrenceInGroup, _ evaluation: Explanation.Evaluation?, from now: Instant,
    planner: Planner
  ) -> Counterfactual? {
    guard let evaluation else { return nil }
    return Counterfactual(evaluation) { gates in
      trial(GateRemoval(occurrence, gates), at: evaluation.at, from: now, planner: planner)
    }
  }

  private func trial(
    _ exemption: GateRemoval, at instant: Instant, from now: Instant, planner: Planner
  ) -> Counterfactual.Trial {
    var copy = self
    copy.progress.makeDue(exemption.occurrence, at: instant)
    var objections: [Explanation.Step] = []
    let firings = copy.simulate(
      from: now, through: instant, planner: planner, verdictsMax: verdictsMax, exempting: exemption
    ) { input, firing in
      guard OccurrenceInGroup(firing) == exemption.occurrence, firing.at == instant else { return }
      objections =
        [Explanation.Evaluation].evaluating(input, from: instant).rounds.first?.objections ?? []
    }
    let isSent = firings.contains {
      OccurrenceInGroup($0) == exemption.occurrence && $0.isSent && $0.at == instant
    }
    return Counterfactual.Trial(isSent: isSent, objections: objections)
  }
}

extension GateInput {
  /// Finds the gates without which an occurrence is sent at the instant of `evaluation`. It uses
  /// only this input, without a simulation.
  ///
  /// - Parameter prepare: updates the input after gates are removed.
  func counterfactual(
    _ evaluation: Explanation.Evaluation?, preparing prepare: (inout GateInput) -> Void = { _ in }
  ) -> Counterfactual? {
    guard let evaluation else { return nil }
    return Counterfactual(evaluation) { gates in
      var input = self
      input.ignoredGates = gates.mask
      prepare(&input)
      let (rounds, decision) = [Explanation.Evaluation].evaluating(input, from: evaluation.at)
      return Counterfactual.Trial(
        isSent: decision.outcome == .delivered && decision.at == evaluation.at,
        objections: rounds.first?.objections ?? [])
    }
  }

  /// Returns the first evaluation. If the occurrence is sent before its planned instant, returns
  /// the evaluation at the planned instant instead. The hold at that instant causes the earlier
  /// sending (rule V15).
  func firstEvaluation(_ rounds: [Explanation.Evaluation]) -> Explanation.Evaluation? {
    guard let first = rounds.first, first.at < planned else { return rounds.first }
    return [Explanation.Evaluation].evaluating(withoutIntervalAndCap, from: planned).rounds.first
  }
}
