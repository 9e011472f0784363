package import CivilTime

/// What a person asks about.
package enum Question: Hashable, Sendable {
  /// The next occurrence of a reminder.
  case pending(reminder: String)
  /// One occurrence of a reminder, also one that comes after the next.
  case occurrence(reminder: String, key: Int64)
  /// Something of a category that is not planned, were it said at an instant.
  case hypothetical(category: String, at: Instant)
}

extension Recipient {
  /// Explains what is pending or might be (rule V8), one answer for each way out.
  ///
  /// - Throws: what the question names that is not there.
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
    let asked = pending.filter { context.caption(of: $0)?.reminder == name }
    let foreseen = foreseen(asked, now: now, planner: context.planner)
    let matching = asked.compactMap { entry in
      explain(entry, foreseen[OccurrencePlace(entry)] ?? [], now: now, in: context)
    }
    guard matching.isEmpty else { return matching }
    let known = pending.compactMap { context.caption(of: $0)?.reminder }
    throw Refusal(
      path: "reminder",
      "\"\(name)\" has nothing pending" + hint(name, known)
        + (known.isEmpty ? "" : "; pending are \(Set(known).sorted().joined(separator: ", "))"))
  }

  private func explain(
    _ pending: Pending, _ foreseen: [Explanation.Round], now: Instant, in context: PlanningContext
  ) -> Explanation? {
    guard let caption = context.caption(of: pending),
      let reminder = context.catalog.reminder(pending.reminder)
    else { return nil }
    let input = context.gateInput(
      reminder, key: pending.key, planned: pending.planned, channelGroup: pending.channelGroup,
      recent: progress.recent)
    var explanation = Explanation(
      recipient: name, caption: caption, channels: pending.channels, input: input,
      from: max(now, pending.planned))
    explanation.timing = context.timing(of: reminder, key: pending.key)
    explanation.warning = context.holidayWarning(at: pending.planned)
    explanation.rounds.replaceForeseen(by: foreseen)
    explanation.decision = pending.decision
    explanation.waitsFor = pending.waitsFor.flatMap(context.keeping)
    return explanation
  }

  /// What the gates will say when it is each one's turn: what others take before it is only seen
  /// when all of them are played through.
  private func foreseen(
    _ entries: [Pending], now: Instant, planner: Planner
  ) -> [OccurrencePlace: [Explanation.Round]] {
    guard let last = entries.map(\.decision.at).max() else { return [:] }
    let places = Set(entries.map(OccurrencePlace.init))
    var foreseen: [OccurrencePlace: [Explanation.Round]] = [:]
    let end = min(last, now + Self.horizon)
    _ = self.foreseen(from: now, through: end, planner: planner) { input, firing in
      let place = OccurrencePlace(firing)
      guard places.contains(place) else { return }
      let rounds = [Explanation.Round].asking(input, from: firing.at).rounds
      foreseen[place, default: []].replaceForeseen(by: rounds)
    }
    return foreseen
  }

  private func explainHypothetical(
    _ name: String, at instant: Instant, now: Instant, in context: PlanningContext
  ) throws(Refusal) -> [Explanation] {
    let categories = context.catalog.categories
    guard let index = categories.firstIndex(where: { $0.name == name }) else {
      throw Refusal(
        path: "category",
        "\"\(name)\" is declared by nobody" + hint(name, categories.map(\.name)))
    }
    let reminder = context.catalog.requested[index]
    let caption = Message(reminder: reminder.identifier, category: name, title: "", body: "")
    let recent = recent(before: instant, now: now, planner: context.planner)
    return context.channelGroups(of: reminder, key: 0).map { channelGroup in
      let input = context.gateInput(
        reminder, key: 0, planned: instant, channelGroup: channelGroup, recent: recent)
      var explanation = Explanation(
        recipient: self.name, caption: caption,
        channels: context.outgoing(reminder, key: 0, channelGroup: channelGroup), input: input,
        from: instant)
      explanation.warning = context.holidayWarning(at: instant)
      return explanation
    }
  }

  /// What will have been said by an instant if nothing else is reported.
  private func recent(before instant: Instant, now: Instant, planner: Planner) -> [Instant] {
    var then = self
    let end = min(instant - .milliseconds(1), now + Self.horizon)
    _ = then.live(from: now, through: end, planner: planner, effort: effort)
    return then.progress.recent.filter { $0 < instant }
  }
}
