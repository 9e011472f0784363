import CivilTime

extension Gates {
  /// Holds or drops an occurrence for which a cap of the operator has no capacity (rule V20). On a
  /// later date, an occurrence that a limit of dates held waits for the start of the day, whatever
  /// changes meanwhile (rule V9).
  static func policyCaps(_ input: GateInput, at instant: Instant) -> Finding {
    guard input.isCounted else { return .passes }
    if input.isCappedByPolicy, let release = input.capRelease(at: instant) {
      return .holds(until: release)
    }
    var until: Instant?
    for reached in input.policyCaps.flatMap({ $0.reached(at: instant, in: input.zone) }) {
      if reached.date != nil, input.capAction == .drop { return .drops }
      until = max(until ?? instant, input.release(of: reached, at: instant))
    }
    return until.map { .holds(until: $0) } ?? .passes
  }
}

extension GateInput {
  /// Whether the gate for caps of the operator is evaluated.
  var hasPolicyCaps: Bool { !policyCaps.isEmpty || isCappedByPolicy && cappedOn != nil }

  /// Whether any of the gates that `conditionalGates` returns may hold or drop the occurrence.
  var isLimited: Bool {
    minimumInterval != nil || capPerDay != nil || cappedOn != nil || !policyCaps.isEmpty
  }

  /// The gates that are evaluated only when all others pass (rule V5).
  var conditionalGates: [Gate] {
    hasPolicyCaps ? Gate.conditionalWithPolicyCaps : Gate.conditional
  }

  /// Returns whether a limit of dates among the operator's caps has no capacity.
  func isAtPolicyCap(at instant: Instant) -> Bool {
    policyCaps.contains { $0.reached(at: instant, in: zone).contains { $0.date != nil } }
  }

  fileprivate func release(of reached: AppliedCap.ReachedLimit, at instant: Instant) -> Instant {
    if let release = reached.instant { return release }
    let date = reached.date ?? zone.date(at: instant) + 1
    return startOfNextDay(after: date - 1, instant)
  }

  /// The input of the gate: the limit that holds the occurrence for longest or, if none does, the
  /// first limit; nil if there are no caps.
  func policyLimit(at instant: Instant) -> PolicyLimit? {
    let reached = policyCaps.flatMap { $0.reached(at: instant, in: zone) }
    let last = reached.max { release(of: $0, at: instant) < release(of: $1, at: instant) }
    return last?.limit
      ?? policyCaps.lazy.flatMap { $0.limits(at: instant, in: zone) }.first
  }
}

extension PlanningContext {
  /// Returns the operator's caps that concern a category, without deliveries.
  func policyCaps(of category: Category) -> [AppliedCap] {
    guard !catalog.policies.caps.isEmpty else { return [] }
    let symbol = Symbol(category.name)
    return catalog.policies.caps.filter { $0.concerns(symbol) }.map { AppliedCap(cap: $0) }
  }

  func categorySymbol(of reminder: Reminder) -> Symbol {
    Symbol(catalog.categories[reminder.category].name)
  }
}

extension Progress {
  /// Sets the deliveries that count towards the minimum interval and the caps of an occurrence.
  func setCountedDeliveries(of input: inout GateInput) {
    input.countedDeliveries = countedDeliveries
    for index in input.policyCaps.indices { setCountedDeliveries(of: &input.policyCaps[index]) }
  }

  private func setCountedDeliveries(of applied: inout AppliedCap) {
    applied.countedDeliveries = capped.filter {
      $0.categories.contains(where: applied.cap.concerns)
    }.map(\.at)
  }

  /// Returns the operator's caps that concern a reminder, with their deliveries so far.
  func policyCaps(of reminder: Reminder, in context: PlanningContext) -> [AppliedCap] {
    context.policyCaps(of: context.catalog.categories[reminder.category]).map { applied in
      var applied = applied
      setCountedDeliveries(of: &applied)
      return applied
    }
  }
}
