import CivilTime

/// Finds the occurrences to which commands refer, in a recipient's state before the commands.
///
/// A sent digest may have hundreds of members, and an app snoozes it by a command for each member.
/// So one finder serves all independent commands of an HTTP request, and looks up each occurrence
/// in indices (rule H6).
struct TargetFinder: Sendable {
  private var recipient: Recipient
  private let planner: Planner
  private(set) lazy var context = PlanningContext(facts: recipient.facts, planner: planner)
  private lazy var index = ProgressIndex(recipient.progress)
  /// The future occurrences, by key, of the reminders that were looked up so far; of each series
  /// the next one.
  private var futureOccurrences: [Symbol: [Int64: Occurrence]] = [:]

  init(_ recipient: Recipient, _ planner: Planner) {
    (self.recipient, self.planner) = (recipient, planner)
  }

  /// Adds a finished request that a snooze needs.
  mutating func revive(_ request: FinishedRequest?) { recipient.revive(request) }

  /// Returns the occurrences that are affected by a snooze, or by the cancellation of an
  /// occurrence. Empty for other events, such as commands about series, and resumptions.
  mutating func targets(of event: Event) -> [CommandTarget] {
    switch event.content {
    case .cancellation(let reminder, let key, isSeries: false):
      return pendingTargets(reminder, key: key)
    case .snooze(let reminder, let key, _, let isDelivered):
      let pending = pendingTargets(reminder, key: key)
      guard isDelivered, let key else { return pending }
      guard pending.isEmpty else { return pending.map(\.includingDelivered) }
      return deliveredTarget(reminder, key: key, now: event.time).map { [$0] } ?? []
    default: return []
    }
  }

  /// Returns the pending occurrences to which a command refers: the one with the key, or the
  /// earliest if the key is nil. For a digest, returns all members.
  mutating func pendingTargets(_ reminder: Symbol, key: Int64?) -> [CommandTarget] {
    if reminder == Digest.symbol, context.catalog.reminder(reminder) == nil {
      return members(ofDigest: key)
    }
    guard let key else { return firstPending(reminder).map { [$0] } ?? [] }
    return pendingTarget(OccurrenceName(reminder: reminder, key: key)).map { [$0] } ?? []
  }

  /// Returns the members that a digest will have if no further event arrives until it is sent.
  private mutating func members(ofDigest key: Int64?) -> [CommandTarget] {
    guard let digest = recipient.simulatedDigest(key, in: context) else { return [] }
    var targets: [CommandTarget] = []
    for member in digest.members {
      guard let target = pendingTarget(OccurrenceName(member)) else { continue }
      targets.append(target.asMember(of: digest))
    }
    return targets
  }

  private mutating func firstPending(_ symbol: Symbol) -> CommandTarget? {
    let progress = recipient.progress
    Work.count(progress.inProgress.count)
    let entry = progress.inProgress.filter { $0.reminder == symbol }
      .min { $0.planned < $1.planned }
    // A later date of a series may be in progress, because it was snoozed or resumed.
    if let entry, entry.planned <= progress.cutoff { return CommandTarget(entry) }
    guard let reminder = context.catalog.reminder(symbol), context.isPlanned(reminder)
    else { return entry.map { CommandTarget($0) } }
    var first: Occurrence?
    context.forEachNext(reminder, after: progress.cutoff, progress: progress) { next in
      if first.map({ next.planned < $0.planned }) ?? true { first = next }
    }
    if let entry, first.map({ entry.planned <= $0.planned }) ?? true { return CommandTarget(entry) }
    return first.map { CommandTarget($0, of: symbol) }
  }

  private mutating func pendingTarget(_ name: OccurrenceName) -> CommandTarget? {
    let inProgress = recipient.progress.inProgress
    let entry = index.entries(of: name).map { inProgress[$0] }.min { $0.planned < $1.planned }
    if let entry { return CommandTarget(entry) }
    guard let reminder = context.catalog.reminder(name.reminder), context.isPlanned(reminder)
    else { return nil }
    return futureOccurrence(name, of: reminder).map { CommandTarget($0, of: name.reminder) }
  }

  /// Returns a planned occurrence that is neither finished, cancelled, due nor held.
  private mutating func futureOccurrence(
    _ name: OccurrenceName, of reminder: Reminder
  ) -> Occurrence? {
    let progress = recipient.progress
    if case .request = reminder.trigger {
      guard let occurrence = requestedOccurrence(name.key, of: reminder),
        occurrence.planned > progress.cutoff, !index.isDone(name)
      else { return nil }
      return occurrence
    }
    if futureOccurrences[name.reminder] == nil {
      var occurrences: [Int64: Occurrence] = [:]
      context.forEachNext(reminder, after: progress.cutoff, progress: progress) { next in
        let other = occurrences[next.key]
        if other.map({ next.planned < $0.planned }) ?? true { occurrences[next.key] = next }
      }
      futureOccurrences[name.reminder] = occurrences
    }
    if let next = futureOccurrences[name.reminder]?[name.key] { return next }
    return context.laterDate(of: reminder, key: name.key, progress: progress)
  }

  /// Returns a delivered occurrence that has not been cancelled after its delivery; nil if there is
  /// none.
  private mutating func deliveredTarget(
    _ symbol: Symbol, key: Int64, now: Instant
  ) -> CommandTarget? {
    let name = OccurrenceName(reminder: symbol, key: key)
    guard let reminder = context.catalog.reminder(symbol),
      let occurrence = wantedOccurrence(key, of: reminder),
      occurrence.planned <= recipient.progress.cutoff || index.wasSentEarly(name),
      !index.isWithdrawn(name), index.mayHaveBeenSent(name, of: reminder)
    else { return nil }
    return CommandTarget(delivered: occurrence, of: symbol, now: now)
  }

  private mutating func wantedOccurrence(_ key: Int64, of reminder: Reminder) -> Occurrence? {
    guard case .request = reminder.trigger else {
      return context.wantedOccurrence(of: reminder, key: key)
    }
    return context.isPlanned(reminder) ? requestedOccurrence(key, of: reminder) : nil
  }

  /// Returns the occurrence of a request. The request may have been revived after the context was
  /// created.
  private mutating func requestedOccurrence(_ key: Int64, of reminder: Reminder) -> Occurrence? {
    guard let request = recipient.facts.request(key) else { return nil }
    return context.occurrence(request, of: reminder)
  }
}
