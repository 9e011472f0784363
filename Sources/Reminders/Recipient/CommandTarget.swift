package import CivilTime

/// An occurrence that a command affects, in its state when the command arrives (rule N4).
package struct CommandTarget: Sendable {
  let reminder: Symbol
  let key: Int64
  /// The planned instant: its own, or the end of a snooze.
  let planned: Instant
  /// Its own planned instant.
  let own: Instant
  /// The start of the announced event (rule V10).
  let deadline: Instant?
  /// Whether it is finished, so that a snooze restores it.
  private(set) var wasDelivered: Bool
  /// The instant from which a duration counts.
  var start: Instant
  /// The earliest instant that the recipient can choose.
  var earliest: Instant
  /// The instant at which it would be sent, as far as its gates have been evaluated.
  var due: Instant

  init(_ entry: Progress.UnderWay) {
    (reminder, key, planned, own) = (entry.reminder, entry.key, entry.planned, entry.ownInstant)
    (deadline, wasDelivered) = (entry.deadline, false)
    (start, earliest, due) = (planned, planned, entry.due)
  }

  init(_ occurrence: Occurrence, of reminder: Symbol) {
    (self.reminder, key, planned) = (reminder, occurrence.key, occurrence.planned)
    (own, deadline, wasDelivered) = (planned, occurrence.deadline, false)
    (start, earliest, due) = (planned, planned, planned)
  }

  /// Creates the target for a delivered occurrence: a duration counts from `now`.
  init(delivered occurrence: Occurrence, of reminder: Symbol, now: Instant) {
    (self.reminder, key, planned) = (reminder, occurrence.key, occurrence.planned)
    (own, deadline, wasDelivered) = (planned, occurrence.deadline, true)
    (start, earliest, due) = (now, now, now)
  }

  /// Returns the target as a member of a digest, which is snoozed as a whole.
  func part(of digest: Firing) -> CommandTarget {
    var part = self
    (part.start, part.earliest, part.due) = (digest.planned, digest.at, digest.at)
    return part
  }

  /// Returns the target if it may have been delivered in some channel groups.
  var whole: CommandTarget {
    var whole = self
    whole.wasDelivered = true
    return whole
  }

  var name: OccurrenceName { OccurrenceName(reminder: reminder, key: key) }
}

extension Snooze {
  /// Returns the snoozed instant, which is never before the occurrence's own.
  package func end(of target: CommandTarget) -> Instant {
    switch self {
    case .until(let instant): max(instant, target.earliest)
    case .by(let span): max(target.start + span, target.due)
    }
  }
}

extension Recipient {
  /// Returns the occurrences that a command means: the one with the key, or the earliest; for a
  /// digest, all its members.
  func pendingTargets(
    _ reminder: Symbol, key: Int64?, in context: PlanningContext
  ) -> [CommandTarget] {
    if reminder == Digest.symbol, context.catalog.reminder(reminder) == nil {
      return members(ofDigest: key, in: context)
    }
    return pendingTarget(reminder, key: key, in: context).map { [$0] } ?? []
  }

  private func pendingTarget(
    _ reminder: Symbol, key: Int64?, in context: PlanningContext
  ) -> CommandTarget? {
    Work.count(progress.underWay.count)
    let isMeant = { (other: Int64) in key.map { $0 == other } ?? true }
    let entry = progress.underWay.filter { $0.reminder == reminder && isMeant($0.key) }
      .min { $0.planned < $1.planned }
    if let entry { return CommandTarget(entry) }
    guard let declared = context.catalog.reminder(reminder), context.isPlanned(declared)
    else { return nil }
    var first: Occurrence?
    context.forEachNext(declared, after: progress.cutoff, progress: progress) { next in
      guard isMeant(next.key) else { return }
      if first.map({ next.planned < $0.planned }) ?? true { first = next }
    }
    return first.map { CommandTarget($0, of: reminder) }
  }

  /// Returns the members of a foreseen digest, if nothing else is reported until then.
  private func members(ofDigest key: Int64?, in context: PlanningContext) -> [CommandTarget] {
    guard let digest = foreseenDigest(key, in: context) else { return [] }
    return digest.members.compactMap {
      pendingTarget($0.reminder, key: $0.key, in: context)?.part(of: digest)
    }
  }

  /// Returns the foreseen digest with a key, or the next one; nil if none is foreseen.
  package func foreseenDigest(_ key: Int64?, in context: PlanningContext) -> Firing? {
    let horizon = progress.cutoff + Self.horizon
    let end = key.map(Digest.instant) ?? horizon
    guard end > progress.cutoff, end <= horizon else { return nil }
    return foreseen(from: progress.cutoff, through: end, planner: context.planner)
      .first { $0.reminder == Digest.symbol && (key == nil || $0.key == key) }
  }

  /// Returns a delivered occurrence that has not been cancelled since; nil if there is none.
  func deliveredTarget(
    _ reminder: Symbol, key: Int64, now: Instant, in context: PlanningContext
  ) -> CommandTarget? {
    guard let declared = context.catalog.reminder(reminder),
      let occurrence = context.wantedOccurrence(of: declared, key: key),
      occurrence.planned <= progress.cutoff
        || progress.isSaidAhead(OccurrenceName(reminder: reminder, key: key)),
      !progress.isWithdrawn(reminder, key: key), progress.mayHaveSaid(key, of: declared)
    else { return nil }
    return CommandTarget(delivered: occurrence, of: reminder, now: now)
  }
}

extension Progress {
  /// Whether an occurrence was sent before its instant (rule V15).
  func isSaidAhead(_ name: OccurrenceName) -> Bool {
    cancelled.contains {
      $0.reminder == name.reminder && $0.key == name.key && $0.cause == .said
    }
  }

  /// Returns whether an occurrence that is no longer due or held may have been sent. The outcomes
  /// of a calendar reminder's earlier dates and of requests are not remembered.
  fileprivate func mayHaveSaid(_ key: Int64, of reminder: Reminder) -> Bool {
    if case .request = reminder.trigger { return true }
    if hasSaid(reminder.symbol, key: key) { return true }
    guard reminder.isRepeating else {
      return isSaidAhead(OccurrenceName(reminder: reminder.symbol, key: key))
    }
    return settled(reminder.symbol).map { $0.key > key } ?? false
  }

  /// Whether the recipient cancelled an occurrence.
  fileprivate func isWithdrawn(_ reminder: Symbol, key: Int64) -> Bool {
    cancelled.contains { $0.reminder == reminder && $0.key == key && $0.cause != .said }
  }
}

extension Digest {
  /// Returns when the digest with a key is sent.
  static func instant(of key: Int64) -> Instant { Instant(milliseconds: key >> 4) }
}
