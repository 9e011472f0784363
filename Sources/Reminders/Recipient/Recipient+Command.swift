package import CivilTime

extension Recipient {
  /// What a command about a reminder means: the occurrence of a key, or the one that is due first.
  package func target(
    _ reminder: Symbol, key: Int64? = nil, in context: PlanningContext
  ) -> Occurrence? {
    Work.count(progress.underWay.count)
    let isMeant = { (other: Int64) in key.map { $0 == other } ?? true }
    let entry = progress.underWay.filter { $0.reminder == reminder && isMeant($0.key) }
      .min { $0.planned < $1.planned }
    if let entry {
      return Occurrence(key: entry.key, planned: entry.planned, deadline: entry.deadline)
    }
    guard let declared = context.catalog.reminder(reminder),
      context.isPlanned(declared)
    else { return nil }
    var first: Occurrence?
    context.forEachNext(declared, after: progress.cutoff, progress: progress) { next in
      guard isMeant(next.key) else { return }
      if first.map({ next.planned < $0.planned }) ?? true { first = next }
    }
    return first
  }

  /// What a command is about as things stand; nil for an event that is none.
  func target(of event: Event, planner: Planner) -> Occurrence? {
    switch event.content {
    case .cancellation(let reminder, let key, isSeries: false), .snooze(let reminder, let key, _):
      target(reminder, key: key, in: PlanningContext(facts: facts, planner: planner))
    default: nil
    }
  }

  /// Carries out what a person says about what is pending (rule N4).
  mutating func carryOut(
    _ event: Event, on target: Occurrence?, now: Instant, planner: Planner
  ) {
    switch event.content {
    case .cancellation(let reminder, _, isSeries: false):
      if let target { cancel(target, of: reminder) }
    case .cancellation(let reminder, _, isSeries: true):
      progress.underWay.removeAll { $0.reminder == reminder }
    case .resumption(let reminder, let key, isSeries: false):
      let context = PlanningContext(facts: facts, planner: planner)
      resume(reminder, key: key, now: now, in: context)
    case .snooze(let reminder, _, let snooze):
      guard let target else { return }
      let end = snooze.end(of: target.planned, now: event.time)
      put(
        target, of: reminder, offUntil: end, in: PlanningContext(facts: facts, planner: planner))
    default: break
    }
  }

  /// How long a cancelled occurrence is kept in mind: a person who travels, or a clock that is set
  /// back, may meet its date again.
  private static let memory = TimeSpan.days(3)

  private mutating func cancel(_ target: Occurrence, of reminder: Symbol) {
    progress.underWay.removeAll { $0.reminder == reminder && $0.key == target.key }
    leaveOut(reminder, key: target.key, planned: target.planned)
  }

  /// Sees to it that an occurrence that is still ahead is not planned again.
  mutating func leaveOut(_ reminder: Symbol, key: Int64, planned: Instant) {
    let oldest = progress.cutoff - Self.memory
    progress.cancelled.removeAll { $0.planned < oldest }
    progress.cancelled.append(
      Progress.Cancelled(reminder: reminder, key: key, planned: planned))
  }

  /// When what an event puts off comes instead, but for its gates; nil if the event puts nothing
  /// off, or what is not pending.
  package func snoozeEnd(_ event: Event, in context: PlanningContext) -> Instant? {
    guard case .snooze(let reminder, let key, let snooze) = event.content else { return nil }
    return target(reminder, key: key, in: context).map { target in
      snooze.end(of: target.planned, now: event.time)
    }
  }

  /// It is planned anew for the instant that the person chose; gates and expiry count from there.
  private mutating func put(
    _ target: Occurrence, of reminder: Symbol, offUntil until: Instant, in context: PlanningContext
  ) {
    guard let declared = context.catalog.reminder(reminder) else { return }
    progress.underWay.removeAll { $0.reminder == reminder && $0.key == target.key }
    let channelGroups = context.channelGroups(of: declared, key: target.key)
    let deadline = target.deadline.flatMap { until < $0 ? $0 : nil }
    progress.enqueue(
      channelGroups.map { channelGroup in
        var entry = Progress.UnderWay(
          reminder: reminder, key: target.key, channelGroup: channelGroup, planned: until,
          due: until,
          holds: GateTrace(), isSnoozed: true, deadline: deadline)
        entry.due = context.turn(of: entry, of: declared, after: progress.cutoff)
        return entry
      })
  }
}
