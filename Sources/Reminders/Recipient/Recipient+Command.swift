package import CivilTime

extension Recipient {
  /// Returns the occurrences that are affected by a snooze, or by the cancellation of an
  /// occurrence. The result is empty for other events, such as commands about series, and
  /// resumptions.
  func targets(of event: Event, planner: Planner) -> [CommandTarget] {
    var finder = TargetFinder(self, planner)
    return finder.targets(of: event)
  }

  /// Performs the commands about occurrences among the arrivals (rules N4, N7). The events must
  /// already be applied to the facts.
  ///
  /// - Parameter targets: for each event, the occurrences that it affects; empty if no event is a
  ///   command.
  mutating func carryOut(
    _ arrivals: [Arrival], on targets: [[CommandTarget]], now: Instant, planner: Planner
  ) {
    guard !targets.isEmpty else { return }
    let context = PlanningContext(facts: facts, planner: planner)
    // The index for consecutive snoozes. It is valid until the entries are sorted.
    var snoozeIndex: ProgressIndex?
    for (arrival, targets) in zip(arrivals, targets) {
      if case .snooze(_, _, let snooze, _) = arrival.event.content {
        var index = snoozeIndex.take() ?? ProgressIndex(progress)
        for target in targets {
          postpone(
            target, until: snooze.end(of: target), round: arrival.order, &index, in: context)
        }
        snoozeIndex = index
      } else {
        if snoozeIndex.take() != nil { progress.sortByDue() }
        carryOut(arrival.event, on: targets, now: now, in: context)
      }
    }
    progress.sortByDue()
  }

  /// Performs a command that is not a snooze.
  private mutating func carryOut(
    _ event: Event, on targets: [CommandTarget], now: Instant, in context: PlanningContext
  ) {
    switch event.content {
    case .cancellation(_, _, isSeries: false): cancel(targets, context.catalog)
    case .cancellation(let reminder, _, isSeries: true): cancelSeries(reminder, in: context)
    case .resumption(let reminder, let key, let isSeries):
      resume(reminder, key: key, isSeries: isSeries, now: now, in: context)
    default: break
    }
  }

  // MARK: - Cancelling

  /// The time for which a cancelled occurrence is remembered. Its date may recur, because the
  /// recipient travels or the clock is set back.
  private static let cancellationMemory = TimeSpan.days(3)

  private mutating func cancel(_ targets: [CommandTarget], _ catalog: Catalog) {
    guard !targets.isEmpty else { return }
    let entries = removeEntries(Set(targets.map(\.name)))
    let entriesByName = Dictionary(entries.map { (OccurrenceName($0), $0) }) { first, _ in first }
    forgetCancelled(catalog)
    progress.cancelled += targets.map { target in
      let entry = entriesByName[target.name]
      return Progress.Cancelled(
        reminder: target.reminder, key: target.key, planned: target.planned,
        originalInstant: entry?.originalInstant, round: entry?.round ?? 0)
    }
  }

  /// Returns the series that an event ends or resumes; nil for other events.
  func seriesExtent(of event: Event, _ planner: Planner) -> SeriesExtent? {
    switch event.content {
    case .cancellation(let reminder, let key, isSeries: true):
      return seriesExtent(of: reminder, key: key, isResumption: false, planner)
    case .resumption(let reminder, let key, isSeries: true):
      return seriesExtent(of: reminder, key: key, isResumption: true, planner)
    default: return nil
    }
  }

  private func seriesExtent(
    of symbol: Symbol, key: Int64?, isResumption: Bool, _ planner: Planner
  ) -> SeriesExtent {
    var extent = planner.catalog.wholeSeries(of: symbol)
    let context = PlanningContext(facts: facts, planner: planner)
    guard let key, let reminder = planner.catalog.reminder(symbol),
      let entities = context.entities(of: reminder, key: key)
    else { return extent }
    guard context.isStopped(reminder) else {
      extent.entities = entities.filter { $0.isStopped == isResumption }.map(\.identifier)
      return extent
    }
    guard isResumption else { return extent }
    extent.entities = entities.map(\.identifier)
    let all = context.isStopped(extent.reminder) ? context.identifiers(of: extent.reminder) : []
    extent.remaining = all.subtracting(entities.map { ExactText($0.identifier) }).map(\.text)
    return extent
  }

  /// Cancels the occurrences of an ended series that are due or that gates hold, so that a
  /// resumption can restore them.
  ///
  /// - Parameter context: the context of the facts in which the series has ended.
  private mutating func cancelSeries(_ symbol: Symbol, in context: PlanningContext) {
    let series = context.catalog.series(of: symbol)
    let names = Set(progress.inProgress.map(OccurrenceName.init)).filter { name in
      series.contains { $0.symbol == name.reminder && context.isStopped($0, key: name.key) }
    }
    guard !names.isEmpty else { return }
    forgetCancelled(context.catalog)
    let entries = removeEntries(names)
    progress.cancelled += entries.sorted { ($0.key, $0.reminder) < ($1.key, $1.reminder) }.map {
      Progress.Cancelled(
        reminder: $0.reminder, key: $0.key, planned: $0.planned, cause: .series,
        originalInstant: $0.originalInstant, round: $0.round)
    }
  }

  /// Removes the due or held entries of occurrences, and returns the first entry of each
  /// occurrence.
  private mutating func removeEntries(_ names: Set<OccurrenceName>) -> [Progress.InProgress] {
    Work.count(progress.inProgress.count)
    var remaining = names
    let entries = progress.inProgress.filter { remaining.remove(OccurrenceName($0)) != nil }
    progress.inProgress.removeAll { names.contains(OccurrenceName($0)) }
    return entries
  }

  /// Records a cancelled occurrence, so that it is not planned again.
  mutating func recordCancelled(_ entry: Progress.Cancelled, _ catalog: Catalog) {
    forgetCancelled(catalog)
    progress.cancelled.append(entry)
  }

  /// Forgets cancelled occurrences whose planned instants, and those of their repetitions, are
  /// longer ago than `cancellationMemory`. Until then a cancelled occurrence prevents its
  /// repetitions (rule T14).
  private mutating func forgetCancelled(_ catalog: Catalog) {
    Work.count(progress.cancelled.count)
    let oldest = progress.cutoff - Self.cancellationMemory
    progress.cancelled.removeAll { entry in
      entry.planned < oldest && entry.planned + catalog.repetitionSpan(of: entry.reminder) < oldest
    }
  }

  // MARK: - Snoozing

  /// Returns the latest instant to which an event snoozes its targets. Gates may delay the targets
  /// further. Returns nil if the event is not a snooze or has no target.
  package func snoozeEnd(_ event: Event, planner: Planner) -> Instant? {
    guard case .snooze(_, _, let snooze, _) = event.content else { return nil }
    return targets(of: event, planner: planner).map { snooze.end(of: $0) }.max()
  }

  /// Moves an occurrence and its repetitions to the end of a snooze. This end becomes the planned
  /// instant for gates and expiry (rule N7). The caller sorts the entries.
  private mutating func postpone(
    _ target: CommandTarget, until end: Instant, round: Int64, _ index: inout ProgressIndex,
    in context: PlanningContext
  ) {
    guard let reminder = context.catalog.reminder(target.reminder) else { return }
    for symbol in context.catalog.chain(of: reminder) where symbol != target.reminder {
      guard let sibling = context.catalog.reminder(symbol) else { continue }
      moveRepetition(sibling, with: target, to: end, round: round, &index, in: context)
    }
    let isInProgress = index.isInProgress(target.name)
    move(target.name, to: end, index)
    guard !isInProgress || target.wasDelivered else { return }
    let wasSent =
      target.wasDelivered && target.unsnoozedInstant <= progress.cutoff
      || index.wasSentEarly(target.name)
    start(
      target.name, of: reminder, unsnoozed: target.unsnoozedInstant, deadline: target.deadline,
      at: end, round: wasSent ? round : 0, &index, in: context)
  }

  /// Moves a repetition of the target, so that the span between the two stays the same. The chain
  /// is a reminder with its repetitions. A held occurrence that precedes the target in the chain is
  /// not sent before the target (rule N7).
  private mutating func moveRepetition(
    _ sibling: Reminder, with target: CommandTarget, to end: Instant, round: Int64,
    _ index: inout ProgressIndex, in context: PlanningContext
  ) {
    let name = OccurrenceName(reminder: sibling.symbol, key: target.key)
    guard !index.isCancelled(name),
      let occurrence = context.wantedOccurrence(of: sibling, key: target.key)
    else { return }
    let distance = occurrence.planned - target.unsnoozedInstant
    if index.isInProgress(name) {
      move(name, to: end + max(distance, .zero), mayMoveEarlier: false, index)
    } else if distance > .zero {
      // A repetition that has been processed becomes pending again, after the target's new time.
      let isPast = occurrence.planned <= progress.cutoff || index.isFinished(name, of: sibling)
      start(
        name, of: sibling, unsnoozed: occurrence.planned, deadline: occurrence.deadline,
        at: end + distance, round: isPast ? round : 0, &index, in: context)
    }
  }

  /// Moves the entries of an occurrence to the end of a snooze.
  private mutating func move(
    _ name: OccurrenceName, to end: Instant, mayMoveEarlier: Bool = true, _ index: ProgressIndex
  ) {
    for entry in index.entries(of: name) {
      guard mayMoveEarlier || progress.inProgress[entry].planned < end else { continue }
      progress.inProgress[entry].postpone(until: end)
    }
  }

  /// Adds an entry that is due at the end of a snooze, for each channel group in which the
  /// occurrence has none.
  private mutating func start(
    _ name: OccurrenceName, of reminder: Reminder, unsnoozed: Instant, deadline: Instant?,
    at end: Instant, round: Int64, _ index: inout ProgressIndex, in context: PlanningContext
  ) {
    let groupNumbers = Set(
      index.entries(of: name).map { progress.inProgress[$0].channelGroup.number })
    for channelGroup in context.channelGroups(of: reminder, key: name.key)
    where !groupNumbers.contains(channelGroup.number) {
      index.note(name, entry: progress.inProgress.count)
      progress.inProgress.append(
        Progress.InProgress(
          reminder: name.reminder, key: name.key, channelGroup: channelGroup, planned: end,
          due: end, holds: GateTrace(), originalInstant: unsnoozed, round: round, deadline: deadline
        ))
    }
  }
}

extension Progress.InProgress {
  /// Moves the entry to the end of a snooze, as if the occurrence were planned for that instant.
  fileprivate mutating func postpone(until end: Instant) {
    originalInstant = unsnoozedInstant
    (planned, due, holds) = (end, end, GateTrace())
    (isWaiting, wasHeldInFormerZone) = (false, false)
    (cappedOn, expiryPauseEnd, expiryPause) = (nil, nil, .zero)
  }
}
