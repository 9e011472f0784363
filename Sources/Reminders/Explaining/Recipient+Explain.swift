package import CivilTime

/// The subject of an explanation.
package enum Question: Hashable, Sendable {
  /// The next occurrence of a reminder.
  case pending(reminder: String)
  /// The occurrence of a reminder with a key, not necessarily the next.
  case occurrence(reminder: String, key: Int64)
  /// An imaginary notification of a category that is to be sent at an instant.
  case hypothetical(category: String, at: Instant)
}

extension Recipient {
  /// Explains a pending or hypothetical occurrence (rule V8), with one explanation for each channel
  /// group.
  ///
  /// - Throws: if the question names something that does not exist.
  package func explain(
    _ question: Question, now: Instant, planner: Planner
  ) throws(Refusal) -> [Explanation] {
    let context = PlanningContext(facts: facts, planner: planner)
    switch question {
    case .pending(let name):
      return try explainPending(name, now: now, in: context)
    case .occurrence(let name, let key):
      return try explainOccurrence(name, key, now: now, in: context)
    case .hypothetical(let name, let instant):
      return try explainHypothetical(name, at: instant, now: now, in: context)
    }
  }

  private func explainPending(
    _ name: String, now: Instant, in context: PlanningContext
  ) throws(Refusal) -> [Explanation] {
    let pending = pending(now: now, planner: context.planner)
    let matchingPending = pending.filter { context.message(of: $0)?.reminder == name }
    let rounds = simulatedRounds(matchingPending, now: now, planner: context.planner)
    var matching = matchingPending.compactMap { entry in
      explain(entry, rounds[OccurrenceInGroup(entry)] ?? [], now: now, in: context)
    }
    for (index, entry) in zip(matching.indices, matchingPending).prefix(Self.counterfactualsMax) {
      matching[index].counterfactual = counterfactual(
        of: entry, matching[index].rounds, now: now, in: context)
    }
    guard matching.isEmpty else { return matching }
    if name == Digest.identifier, let digest = simulatedDigest(nil, in: context) {
      return try explainOccurrence(name, digest.key, now: now, in: context)
    }
    let reminders = pending.compactMap { context.message(of: $0)?.reminder }
    let muted = context.catalog.reminder(Symbol(name)).map(context.mutedWords) ?? []
    throw Refusal(
      path: "reminder",
      "\"\(name)\" has nothing pending" + hint(name, reminders)
        + (muted.isEmpty ? "" : "; the recipient's " + muted.joined(separator: ", "))
        + (reminders.isEmpty
          ? ""
          : "; the reminders with pending occurrences are: "
            + Set(reminders).sorted().joined(separator: ", ")))
  }

  private func explain(
    _ pending: Pending, _ rounds: [Explanation.Evaluation], now: Instant,
    in context: PlanningContext
  ) -> Explanation? {
    guard let message = context.message(of: pending),
      let reminder = context.catalog.reminder(pending.reminder)
    else { return nil }
    let input = gateInput(pending, of: reminder, in: context)
    var explanation = Explanation(
      recipient: name, message: message, channels: pending.channels, input: input,
      from: max(now, pending.planned))
    explanation.timing = context.timing(of: reminder, key: pending.key)
    explanation.entitySettings = context.entityWords(of: reminder, key: pending.key)
    explanation.sharedDate = pending.sharedDate
    explanation.warning = context.planningDataWarning(at: pending.planned)
    explanation.discreetTextUses = DiscreetUse.uses(
      of: message, on: pending.channels.channels, context.hints(of: reminder))
    explanation.rounds.replaceEvaluations(by: rounds)
    explanation.decision = pending.decision
    explanation.waitsFor = pending.waitsFor.flatMap(context.capacityReservation)
    explanation.addDigestStep()
    return explanation
  }

  private func gateInput(
    _ pending: Pending, of reminder: Reminder, in context: PlanningContext
  ) -> GateInput {
    var input = context.gateInput(
      reminder, key: pending.key, planned: pending.planned, deadline: pending.deadline,
      channelGroup: pending.channelGroup, countedDeliveries: [])
    progress.setCountedDeliveries(of: &input)
    return input
  }

  /// The maximum number of counterfactuals that are computed for one question (rule H6).
  ///
  /// If a reminder has more pending occurrences, only the first ones get a counterfactual. A
  /// question about a single occurrence always gets one.
  static let counterfactualsMax = 16

  private func counterfactual(
    of pending: Pending, _ rounds: [Explanation.Evaluation], now: Instant,
    in context: PlanningContext
  ) -> Counterfactual? {
    guard let reminder = context.catalog.reminder(pending.reminder) else { return nil }
    let input = gateInput(pending, of: reminder, in: context)
    let first = input.firstEvaluation(rounds)
    guard let first, first.at <= now + Self.horizon else { return input.counterfactual(first) }
    return counterfactual(
      of: OccurrenceInGroup(pending), first, from: now, planner: context.planner)
  }

  /// Simulates the recipient's time up to the decisions, and returns the evaluations of the
  /// entries' gates. Only a complete simulation shows how earlier notifications count towards the
  /// minimum interval and the cap.
  private func simulatedRounds(
    _ entries: [Pending], now: Instant, planner: Planner
  ) -> [OccurrenceInGroup: [Explanation.Evaluation]] {
    guard let last = entries.map(\.decision.at).max() else { return [:] }
    let occurrences = Set(entries.map(OccurrenceInGroup.init))
    var roundsByOccurrence: [OccurrenceInGroup: [Explanation.Evaluation]] = [:]
    // The decision of a dropped occurrence has its planned instant, although the drop is later.
    let isDropped = entries.contains { $0.decision.outcome == .dropped }
    let end = isDropped ? now + Self.horizon : min(last, now + Self.horizon)
    _ = limitedSimulatedFirings(from: now, through: end, planner: planner) { input, firing in
      let occurrence = OccurrenceInGroup(firing)
      guard occurrences.contains(occurrence) else { return }
      let rounds = [Explanation.Evaluation].evaluating(input, from: firing.at).rounds
      roundsByOccurrence[occurrence, default: []].replaceEvaluations(by: rounds)
    }
    return roundsByOccurrence
  }

  private func explainHypothetical(
    _ name: String, at instant: Instant, now: Instant, in context: PlanningContext
  ) throws(Refusal) -> [Explanation] {
    let categories = context.catalog.categories
    guard let index = categories.firstIndex(where: { $0.name == name }) else {
      throw Refusal(
        path: "category",
        "\"\(name)\" is declared by no catalog" + hint(name, categories.map(\.name)))
    }
    let reminder = context.catalog.requestReminders[index]
    let message = Message(reminder: reminder.identifier, category: name, title: "", body: "")
    let stateBefore = simulated(before: instant, now: now, planner: context.planner)
    var countedDeliveries = stateBefore.progress
    countedDeliveries.forgetRecent(after: instant - .milliseconds(1))
    return context.channelGroups(of: reminder, key: 0).map { channelGroup in
      var input = context.gateInput(
        reminder, key: 0, planned: instant, channelGroup: channelGroup, countedDeliveries: [])
      countedDeliveries.setCountedDeliveries(of: &input)
      let waitsFor = stateBefore.applyReservations(
        to: &input, at: instant, now: now, in: context)
      var explanation = Explanation(
        recipient: self.name, message: message,
        channels: context.outgoingChannels(
          reminder, key: 0, channelGroup: channelGroup, at: instant), input: input,
        from: instant)
      explanation.warning = context.planningDataWarning(at: instant)
      explanation.waitsFor = waitsFor
      explanation.counterfactual = input.counterfactual(explanation.rounds.first) { input in
        input.reservations = nil
        _ = stateBefore.applyReservations(to: &input, at: instant, now: now, in: context)
      }
      return explanation
    }
  }

  /// Returns the recipient's state just before an instant if no further event is reported.
  private func simulated(before instant: Instant, now: Instant, planner: Planner) -> Recipient {
    var recipient = self
    let end = min(instant - .milliseconds(1), now + Self.horizon)
    _ = recipient.simulate(from: now, through: end, planner: planner, verdictsMax: verdictsMax)
    return recipient
  }

  /// Sets the capacity reserved for other occurrences (rule V12) on the day on which the
  /// notification passes all gates except interval and caps. Sets nothing if that day is beyond the
  /// horizon of simulations.
  ///
  /// - Returns: the reservation that makes the explained notification wait; nil if the notification
  ///   has capacity, or will not be sent.
  private func applyReservations(
    to input: inout GateInput, at instant: Instant, now: Instant, in context: PlanningContext
  ) -> CapacityReservation? {
    guard input.isCounted, context.settings.limitsDeliveries else { return nil }
    let decision = Gates.decide(input, from: instant, ignoringLimits: true)
    guard decision.outcome == .delivered, decision.at < now + Self.horizon,
      Self.hasCapacity(input, decision.at)
    else { return nil }
    let date = context.zone.date(at: decision.at)
    let day = dayAhead(on: date, from: instant, held: [], planned: .reminders, in: context)
    input.reservations = day.reservations(from: input, at: decision.at)
    guard let reservations = input.reservations, !Self.hasCapacity(input, decision.at) else {
      return nil
    }
    return context.capacityReservation(for: reservations.beneficiary)
  }
}
