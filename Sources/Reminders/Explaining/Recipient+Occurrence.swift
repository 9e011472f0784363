import CivilTime

extension Recipient {
  /// The maximum span from now to an occurrence that is explained, cancelled or snoozed.
  static let aheadMax = TimeSpan.days(366)

  /// Explains one occurrence, with one explanation for each channel group. Simulates the
  /// recipient's next year, because other occurrences of the reminder may come before this one. The
  /// number of simulated verdicts is limited.
  ///
  /// - Parameter name: a result of `Catalog.name(of:)`. For a digest, each member is explained.
  func explainOccurrence(
    _ name: String, _ key: Int64, now: Instant, in context: PlanningContext
  ) throws(Refusal) -> [Explanation] {
    let explanations = decisions(of: name, key, now: now, in: context).compactMap {
      explain($0, now: now, in: context)
    }
    guard explanations.isEmpty else {
      return explanations.sorted {
        ($0.channels.first?.name ?? "") > ($1.channels.first?.name ?? "")
      }
    }
    throw Refusal(
      path: "scheduled",
      "\"\(name)\" has no such occurrence within a year; get the recipient's scheduled "
        + "occurrences again")
  }

  /// Returns the simulated decisions about an occurrence, for each channel group; for a digest,
  /// those about each member.
  private func decisions(
    of name: String, _ key: Int64, now: Instant, in context: PlanningContext
  ) -> [[SimulatedDecision]] {
    let digest =
      name == Digest.identifier && context.catalog.reminder(Digest.symbol) == nil
      ? simulatedDigest(key, in: context) : nil
    let digestMembers = digest.map { Set($0.members.map { OccurrenceInGroup($0) }) }
    var decisions: [OccurrenceInGroup: [SimulatedDecision]] = [:]
    _ = limitedSimulatedFirings(
      from: now, through: digest?.at ?? now + Self.aheadMax, planner: context.planner
    ) { input, firing in
      let occurrence = OccurrenceInGroup(firing)
      guard digestMembers?.contains(occurrence) ?? (firing.key == key) else { return }
      decisions[occurrence, default: []].append((input, firing))
    }
    guard digest == nil else { return Array(decisions.values) }
    return decisions.values.filter { decisions in
      decisions.first.flatMap { context.catalog.reminder($0.firing.reminder) }
        .map(context.catalog.name) == name
    }
  }

  private typealias SimulatedDecision = (input: GateInput, firing: Firing)

  /// Returns the explanation of an occurrence in one channel group; nil if the catalog no longer
  /// has the reminder or its message.
  ///
  /// - Parameter decisions: the simulated decisions about the occurrence, in order of time.
  private func explain(
    _ decisions: [SimulatedDecision], now: Instant, in context: PlanningContext
  ) -> Explanation? {
    guard let first = decisions.first, let last = decisions.last,
      let reminder = context.catalog.reminder(first.firing.reminder),
      let message = context.message(of: first.firing)
    else { return nil }
    var explanation = Explanation(
      recipient: name, message: message, channels: last.firing.channels, input: first.input,
      from: first.firing.at)
    if explanation.channels.isEmpty {
      explanation.channels = first.firing.channels.channels
    }
    explanation.timing = context.timing(of: reminder, key: first.firing.key)
    explanation.entitySettings = context.entityWords(of: reminder, key: first.firing.key)
    explanation.sharedDate = context.sharedDate(of: reminder, key: first.firing.key)
    explanation.warning = context.planningDataWarning(at: first.firing.planned)
    explanation.discreetTextUses = DiscreetUse.uses(
      of: message, on: explanation.channels, context.hints(of: reminder))
    for simulated in decisions {
      explanation.rounds.replaceEvaluations(
        by: [Explanation.Evaluation].evaluating(simulated.input, from: simulated.firing.at).rounds)
    }
    if case .finished(let outcome) = last.firing.result {
      explanation.decision = Decision(
        outcome: outcome, at: last.firing.shownAt, trace: last.firing.trace)
    }
    explanation.counterfactual = counterfactual(
      of: OccurrenceInGroup(first.firing), first.input.firstEvaluation(explanation.rounds),
      from: now,
      planner: context.planner)
    explanation.waitsFor = decisions.compactMap(\.firing.waitsFor).first
      .flatMap(context.capacityReservation)
    explanation.addDigestStep()
    return explanation
  }
}
