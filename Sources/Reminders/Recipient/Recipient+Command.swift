package import CivilTime

extension Recipient {
  /// What a command is about as things stand; empty for an event that is none.
  func targets(of event: Event, planner: Planner) -> [CommandTarget] {
    switch event.content {
    case .cancellation(let reminder, let key, isSeries: false):
      let context = PlanningContext(facts: facts, planner: planner)
      return pendingTargets(reminder, key: key, in: context)
    case .snooze(let reminder, let key, _, let isDelivered):
      let context = PlanningContext(facts: facts, planner: planner)
      let pending = pendingTargets(reminder, key: key, in: context)
      guard isDelivered, let key else { return pending }
      guard pending.isEmpty else { return pending.map(\.whole) }
      return deliveredTarget(reminder, key: key, now: event.time, in: context).map { [$0] } ?? []
    default: return []
    }
  }

  /// Carries out what a person says about what is pending (rule N4).
  ///
  /// - Parameter order: the event's place in the order of arrival.
  mutating func carryOut(
    _ event: Event, _ order: Int64, on targets: [CommandTarget], now: Instant, planner: Planner
  ) {
    switch event.content {
    case .cancellation(_, _, isSeries: false):
      for target in targets { cancel(target) }
    case .cancellation(let reminder, _, isSeries: true):
      cancelSeries(reminder, in: PlanningContext(facts: facts, planner: planner))
    case .resumption(let reminder, let key, let isSeries):
      let context = PlanningContext(facts: facts, planner: planner)
      resume(reminder, key: key, isSeries: isSeries, now: now, in: context)
    case .snooze(_, _, let snooze, _):
      let context = PlanningContext(facts: facts, planner: planner)
      for target in targets {
        put(target, offUntil: snooze.end(of: target), round: order, in: context)
      }
    default: break
    }
  }

  // MARK: - Cancelling

  /// How long a cancelled occurrence is kept in mind: a person who travels, or a clock that is set
  /// back, may meet its date again.
  private static let memory = TimeSpan.days(3)

  private mutating func cancel(_ target: CommandTarget) {
    let entry = takeOut(target.name).first
    leaveOut(
      Progress.Cancelled(
        reminder: target.reminder, key: target.key, planned: target.planned,
        origin: entry?.origin, round: entry?.round ?? 0))
  }

  /// Returns the identifiers of the entities whose series an event ends or resumes; nil if it does
  /// so for the whole reminder.
  func seriesEntities(of event: Event, _ planner: Planner) -> [String]? {
    let (symbol, key, isResumption): (Symbol, Int64, Bool)
    switch event.content {
    case .cancellation(let name, let number?, isSeries: true):
      (symbol, key, isResumption) = (name, number, false)
    case .resumption(let name, let number?, isSeries: true):
      (symbol, key, isResumption) = (name, number, true)
    default: return nil
    }
    guard let reminder = planner.catalog.reminder(symbol) else { return nil }
    let context = PlanningContext(facts: facts, planner: planner)
    guard !context.isStopped(reminder) else { return nil }
    return context.entities(of: reminder, key: key)?
      .filter { $0.isStopped == isResumption }.map(\.identifier)
  }

  /// Keeps what was under way of a series that the person ends, in case that they resume it.
  ///
  /// - Parameter context: made of the facts in which it is ended.
  private mutating func cancelSeries(_ symbol: Symbol, in context: PlanningContext) {
    let series = context.catalog.series(of: symbol)
    let names = Set(
      progress.underWay.map(OccurrenceName.init).filter { name in
        series.contains { $0.symbol == name.reminder && context.isStopped($0, key: name.key) }
      })
    for name in names.sorted(by: { ($0.key, $0.reminder) < ($1.key, $1.reminder) }) {
      guard let entry = takeOut(name).first else { continue }
      leaveOut(
        Progress.Cancelled(
          reminder: name.reminder, key: name.key, planned: entry.planned, cause: .series,
          origin: entry.origin, round: entry.round))
    }
  }

  /// Removes what is under way of an occurrence, and returns it.
  private mutating func takeOut(_ name: OccurrenceName) -> [Progress.UnderWay] {
    let entries = progress.underWay.filter { OccurrenceName($0) == name }
    progress.underWay.removeAll { OccurrenceName($0) == name }
    return entries
  }

  /// Sees to it that an occurrence that is still ahead is not planned again.
  mutating func leaveOut(_ entry: Progress.Cancelled) {
    let oldest = progress.cutoff - Self.memory
    progress.cancelled.removeAll { $0.planned < oldest }
    progress.cancelled.append(entry)
  }

  // MARK: - Snoozing

  /// When what an event puts off comes instead, but for its gates; nil if the event puts nothing
  /// off, or what is not there.
  package func snoozeEnd(_ event: Event, planner: Planner) -> Instant? {
    guard case .snooze(_, _, let snooze, _) = event.content else { return nil }
    return targets(of: event, planner: planner).map { snooze.end(of: $0) }.max()
  }

  /// Moves an occurrence to the end of a snooze, from which its gates and its expiry count, and its
  /// repetitions with it.
  private mutating func put(
    _ target: CommandTarget, offUntil end: Instant, round: Int64, in context: PlanningContext
  ) {
    guard let declared = context.catalog.reminder(target.reminder) else { return }
    for symbol in context.catalog.chain(of: declared) where symbol != target.reminder {
      guard let sibling = context.catalog.reminder(symbol) else { continue }
      carry(sibling, with: target, to: end, round: round, in: context)
    }
    let isUnderWay = progress.isUnderWay(target.reminder, key: target.key)
    move(target.name, to: end)
    guard !isUnderWay || target.wasDelivered else { return }
    start(
      target.name, of: declared, own: target.own, deadline: target.deadline, at: end,
      round: target.wasDelivered && target.own <= progress.cutoff
        || progress.isSaidAhead(target.name)
        ? round : 0, in: context)
  }

  /// Moves a repetition by as much as the occurrence. One that comes earlier and is held goes no
  /// more before it.
  private mutating func carry(
    _ sibling: Reminder, with target: CommandTarget, to end: Instant, round: Int64,
    in context: PlanningContext
  ) {
    let name = OccurrenceName(reminder: sibling.symbol, key: target.key)
    guard !progress.isCancelled(name.reminder, key: name.key),
      let own = context.wantedOccurrence(of: sibling, key: target.key)
    else { return }
    let later = own.planned - target.own
    if progress.isUnderWay(name.reminder, key: name.key) {
      move(name, to: end + max(later, .zero), isForward: false)
    } else if later > .zero {
      // One that has had its turn comes again after the new time.
      let isPast = progress.hasHadTurn(own, of: sibling)
      start(
        name, of: sibling, own: own.planned, deadline: own.deadline, at: end + later,
        round: isPast ? round : 0, in: context)
    }
  }

  /// - Parameter isForward: whether one that was put off further comes earlier.
  private mutating func move(_ name: OccurrenceName, to end: Instant, isForward: Bool = true) {
    for index in progress.underWay.indices where OccurrenceName(progress.underWay[index]) == name {
      guard isForward || progress.underWay[index].planned < end else { continue }
      progress.underWay[index].putOff(until: end)
    }
    progress.sortByDue()
  }

  private mutating func start(
    _ name: OccurrenceName, of reminder: Reminder, own: Instant, deadline: Instant?,
    at end: Instant, round: Int64, in context: PlanningContext
  ) {
    let places = Set(
      progress.underWay.filter { OccurrenceName($0) == name }.map(\.channelGroup.place))
    let channelGroups = context.channelGroups(of: reminder, key: name.key)
      .filter { !places.contains($0.place) }
    progress.enqueue(
      channelGroups.map { channelGroup in
        Progress.UnderWay(
          reminder: name.reminder, key: name.key, channelGroup: channelGroup, planned: end,
          due: end, holds: GateTrace(), origin: own, round: round, deadline: deadline)
      })
  }
}

extension Progress {
  /// Whether an occurrence that is not under way has had its turn.
  fileprivate func hasHadTurn(_ occurrence: Occurrence, of reminder: Reminder) -> Bool {
    guard occurrence.planned > cutoff else { return true }
    return settled.contains { entry in
      entry.reminder == reminder.symbol
        && (reminder.isRepeating ? entry.key >= occurrence.key : entry.key == occurrence.key)
    }
  }
}

extension Progress.UnderWay {
  /// Lets it wait for the end of a snooze as if it were planned for then.
  fileprivate mutating func putOff(until end: Instant) {
    origin = ownInstant
    (planned, due, holds) = (end, end, GateTrace())
    (isWaiting, isMoved, cappedOn, thaw, stood) = (false, false, nil, nil, .zero)
  }
}
