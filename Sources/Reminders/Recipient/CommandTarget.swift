package import CivilTime

/// An occurrence that a command is about, as it stands when the command comes (rule N4).
package struct CommandTarget: Sendable {
  let reminder: Symbol
  let key: Int64
  /// The instant for which it is planned: its own, or the end of a snooze.
  let planned: Instant
  /// Its own planned instant.
  let own: Instant
  /// When what it announces begins (rule V10).
  let deadline: Instant?
  /// Whether it has had its turn, and a snooze brings it back.
  private(set) var wasDelivered: Bool
  /// The instant from which a duration counts.
  var start: Instant
  /// The earliest instant that the person may choose.
  var earliest: Instant
  /// When it would go as things stand, as far as its gates have been asked.
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

  /// An occurrence that was delivered: a duration counts from `now`.
  init(delivered occurrence: Occurrence, of reminder: Symbol, now: Instant) {
    (self.reminder, key, planned) = (reminder, occurrence.key, occurrence.planned)
    (own, deadline, wasDelivered) = (planned, occurrence.deadline, true)
    (start, earliest, due) = (now, now, now)
  }

  /// The same as a part of a digest, which is put off as one.
  func part(of digest: Firing) -> CommandTarget {
    var part = self
    (part.start, part.earliest, part.due) = (digest.planned, digest.at, digest.at)
    return part
  }

  /// The same where some of its ways out may have delivered it.
  var whole: CommandTarget {
    var whole = self
    whole.wasDelivered = true
    return whole
  }

  var name: OccurrenceName { OccurrenceName(reminder: reminder, key: key) }
}

extension Snooze {
  /// When an occurrence comes instead; never before it would have.
  package func end(of target: CommandTarget) -> Instant {
    switch self {
    case .until(let instant): max(instant, target.earliest)
    case .by(let span): max(target.start + span, target.due)
    }
  }
}

extension Recipient {
  /// The occurrences that a command means: the one of a key, or the one that is due first; of a
  /// digest all that it is made of.
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

  /// What goes out as a digest if nothing else is reported until then.
  private func members(ofDigest key: Int64?, in context: PlanningContext) -> [CommandTarget] {
    guard let digest = foreseenDigest(key, in: context) else { return [] }
    return digest.members.compactMap {
      pendingTarget($0.reminder, key: $0.key, in: context)?.part(of: digest)
    }
  }

  /// The digest of a key that is foreseen, or the next; nil if none is.
  package func foreseenDigest(_ key: Int64?, in context: PlanningContext) -> Firing? {
    let horizon = progress.cutoff + Self.horizon
    let end = key.map(Digest.instant) ?? horizon
    guard end > progress.cutoff, end <= horizon else { return nil }
    return foreseen(from: progress.cutoff, through: end, planner: context.planner)
      .first { $0.reminder == Digest.symbol && (key == nil || $0.key == key) }
  }

  /// An occurrence that was delivered and has not been ended since; nil if there is none.
  func deliveredTarget(
    _ reminder: Symbol, key: Int64, now: Instant, in context: PlanningContext
  ) -> CommandTarget? {
    guard let declared = context.catalog.reminder(reminder),
      let occurrence = context.wantedOccurrence(of: declared, key: key),
      occurrence.planned <= progress.cutoff
        || progress.isSaidAhead(OccurrenceName(reminder: reminder, key: key)),
      !progress.isWithdrawn(reminder, key: key)
    else { return nil }
    return CommandTarget(delivered: occurrence, of: reminder, now: now)
  }
}

extension Progress {
  /// Whether an occurrence was said before its time (rule V10).
  func isSaidAhead(_ name: OccurrenceName) -> Bool {
    cancelled.contains {
      $0.reminder == name.reminder && $0.key == name.key && $0.cause == .said
    }
  }

  /// Whether the person has cancelled an occurrence.
  fileprivate func isWithdrawn(_ reminder: Symbol, key: Int64) -> Bool {
    cancelled.contains { $0.reminder == reminder && $0.key == key && $0.cause != .said }
  }
}

extension Digest {
  /// When a digest of a key goes out.
  static func instant(of key: Int64) -> Instant { Instant(milliseconds: key >> 4) }
}
