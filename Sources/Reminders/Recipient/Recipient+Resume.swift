package import CivilTime

/// What a person has cancelled and may want back (rule N4).
extension Recipient {
  /// What would be pending had it not been cancelled, in the order in which it would go out: single
  /// occurrences, and of a series that was ended the next. What was said ahead of its time is among
  /// them; whoever has the notifications can tell.
  package func cancelled(now: Instant, planner: Planner) -> [Pending] {
    let context = PlanningContext(facts: facts, planner: planner)
    let single = Set(progress.cancelled.map { OccurrenceName(reminder: $0.reminder, key: $0.key) })
    let series = Set(stopped(in: context))
    guard !single.isEmpty || !series.isEmpty else { return [] }
    var copy = self
    copy.facts.stops = []
    let whole = PlanningContext(facts: copy.facts, planner: planner)
    for entry in progress.cancelled {
      copy.resume(entry.reminder, key: entry.key, now: now, in: whole)
    }
    return copy.pending(now: now, planner: planner).filter { pending in
      series.contains(pending.reminder)
        || single.contains(OccurrenceName(reminder: pending.reminder, key: pending.key))
    }
  }

  /// The reminders whose series the person has ended.
  package func stopped(in context: PlanningContext) -> [Symbol] {
    facts.stops.map(\.reminder).filter { symbol in
      context.catalog.reminder(symbol).map { context.isSwitchedOn($0) && context.isStopped($0) }
        ?? false
    }
  }

  /// Lets an occurrence be planned again, the first that was cancelled if it has no key; one whose
  /// time is over is due at once, if it is not too late for it.
  mutating func resume(
    _ reminder: Symbol, key: Int64?, now: Instant, in context: PlanningContext
  ) {
    let now = max(now, progress.cutoff)
    let found = progress.cancelled.indices.filter { index in
      let entry = progress.cancelled[index]
      return entry.reminder == reminder && (key.map { $0 == entry.key } ?? true)
    }.min { progress.cancelled[$0].planned < progress.cancelled[$1].planned }
    guard let found else { return }
    let entry = progress.cancelled.remove(at: found)
    guard entry.planned <= now, let declared = context.catalog.reminder(reminder),
      entry.planned + declared.expires > now
    else { return }
    let occurrence =
      context.occurrence(of: declared, key: entry.key)
      ?? (declared.isRepeating ? Occurrence(key: entry.key, planned: entry.planned) : nil)
    guard let occurrence else { return }
    start(occurrence, of: declared, due: now, in: context)
  }

  /// Refuses to resume what is not cancelled.
  func checkResumption(
    of reminder: Symbol, key: Int64?, isSeries: Bool, _ planner: Planner
  ) throws(Refusal) {
    let context = PlanningContext(facts: facts, planner: planner)
    if isSeries {
      guard !stopped(in: context).contains(reminder) else { return }
      throw Refusal(path: "data.reminder", "is a series that is not cancelled for this recipient")
    }
    let isThere = progress.cancelled.contains { entry in
      entry.reminder == reminder && (key.map { $0 == entry.key } ?? true)
    }
    guard !isThere else { return }
    throw Refusal(
      path: key == nil ? "data.reminder" : "data.occurrence",
      "names nothing that is cancelled for this recipient; of a whole series say so")
  }
}
