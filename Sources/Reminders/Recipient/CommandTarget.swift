package import CivilTime

/// An occurrence that a command affects, in its state when the command arrives (rule N4).
package struct CommandTarget: Sendable {
  let reminder: Symbol
  let key: Int64
  /// The planned instant, or the end of a snooze.
  let planned: Instant
  /// The planned instant without any snooze.
  let own: Instant
  /// The instant that the occurrence announces, such as the start of an appointment (rule V10).
  let deadline: Instant?
  /// Whether the occurrence was delivered, so that a snooze makes it pending again.
  private(set) var wasDelivered: Bool
  /// The instant from which the span of a snooze counts.
  var start: Instant
  /// The earliest instant to which the recipient can snooze the occurrence.
  var earliest: Instant
  /// The instant at which the occurrence would be sent, as far as its gates have been evaluated.
  var due: Instant

  init(_ entry: Progress.InProgress) {
    (reminder, key, planned, own) = (entry.reminder, entry.key, entry.planned, entry.ownInstant)
    (deadline, wasDelivered) = (entry.deadline, false)
    (start, earliest, due) = (planned, planned, entry.due)
  }

  init(_ occurrence: Occurrence, of reminder: Symbol) {
    (self.reminder, key, planned) = (reminder, occurrence.key, occurrence.planned)
    (own, deadline, wasDelivered) = (planned, occurrence.deadline, false)
    (start, earliest, due) = (planned, planned, planned)
  }

  /// Creates the target for a delivered occurrence. The span of a snooze counts from `now`.
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

  /// The target of a pending occurrence that may have been delivered in some channel groups.
  var whole: CommandTarget {
    var whole = self
    whole.wasDelivered = true
    return whole
  }

  var name: OccurrenceName { OccurrenceName(reminder: reminder, key: key) }
}

extension Snooze {
  /// Returns the instant to which the snooze moves an occurrence. It is not before
  /// `target.earliest`, or for a span not before `target.due`.
  package func end(of target: CommandTarget) -> Instant {
    switch self {
    case .until(let instant): max(instant, target.earliest)
    case .by(let span): max(target.start + span, target.due)
    }
  }
}

extension Recipient {
  /// Returns the foreseen digest with a key, or the next one; nil if none is foreseen.
  package func foreseenDigest(_ key: Int64?, in context: PlanningContext) -> Firing? {
    let horizon = progress.cutoff + Self.horizon
    let end = key.map(Digest.instant) ?? horizon
    guard end > progress.cutoff, end <= horizon else { return nil }
    return foreseen(from: progress.cutoff, through: end, planner: context.planner)
      .first { $0.reminder == Digest.symbol && (key == nil || $0.key == key) }
  }
}

extension Digest {
  /// Returns when the digest with a key is sent.
  static func instant(of key: Int64) -> Instant { Instant(milliseconds: key >> 4) }
}
