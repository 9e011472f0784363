package import CivilTime

/// An occurrence that a command, such as a snooze, affects (rule N4). Its properties have their
/// values at the command's arrival.
package struct CommandTarget: Sendable {
  let reminder: Symbol
  /// The key of the occurrence, which is unique within its reminder.
  let key: Int64
  /// The planned instant, or the end of a snooze.
  let planned: Instant
  /// The planned instant without any snooze.
  let unsnoozedInstant: Instant
  /// The instant that the occurrence announces, such as the start of an appointment (rule V10).
  let deadline: Instant?
  /// Whether the occurrence was delivered, so that a snooze makes it pending again.
  private(set) var wasDelivered: Bool
  /// The instant from which the span of a snooze counts.
  var start: Instant
  /// The earliest instant to which the recipient can snooze the occurrence.
  var earliest: Instant
  /// The instant at which the occurrence would be sent, according to the gates evaluated so far.
  var due: Instant

  init(_ entry: Progress.InProgress) {
    (reminder, key, planned) = (entry.reminder, entry.key, entry.planned)
    (unsnoozedInstant, deadline, wasDelivered) = (entry.unsnoozedInstant, entry.deadline, false)
    (start, earliest, due) = (planned, planned, entry.due)
  }

  init(_ occurrence: Occurrence, of reminder: Symbol) {
    (self.reminder, key, planned) = (reminder, occurrence.key, occurrence.planned)
    (unsnoozedInstant, deadline, wasDelivered) = (planned, occurrence.deadline, false)
    (start, earliest, due) = (planned, planned, planned)
  }

  /// Creates the target for a delivered occurrence. The span of a snooze counts from `now`.
  init(delivered occurrence: Occurrence, of reminder: Symbol, now: Instant) {
    (self.reminder, key, planned) = (reminder, occurrence.key, occurrence.planned)
    (unsnoozedInstant, deadline, wasDelivered) = (planned, occurrence.deadline, true)
    (start, earliest, due) = (now, now, now)
  }

  /// Returns the target as a member of a digest that is snoozed as a whole.
  func asMember(of digest: Firing) -> CommandTarget {
    var member = self
    (member.start, member.earliest, member.due) = (digest.planned, digest.at, digest.at)
    return member
  }

  /// A copy of the target that counts as delivered, because some channel groups may have delivered
  /// the pending occurrence.
  var includingDelivered: CommandTarget {
    var target = self
    target.wasDelivered = true
    return target
  }

  var name: OccurrenceName { OccurrenceName(reminder: reminder, key: key) }
}

extension Snooze {
  /// Returns the instant to which the snooze moves an occurrence. An instant (`until`) is raised to
  /// `target.earliest`, and the end of a span to `target.due`, if it is earlier.
  package func end(of target: CommandTarget) -> Instant {
    switch self {
    case .until(let instant): max(instant, target.earliest)
    case .by(let span): max(target.start + span, target.due)
    }
  }
}

extension Recipient {
  /// Returns the simulated digest with a key or, if `key` is nil, the next simulated digest.
  /// Returns nil if there is none.
  package func simulatedDigest(_ key: Int64?, in context: PlanningContext) -> Firing? {
    let horizon = progress.cutoff + Self.horizon
    let end = key.map(Digest.instant) ?? horizon
    guard end > progress.cutoff, end <= horizon else { return nil }
    return limitedSimulatedFirings(from: progress.cutoff, through: end, planner: context.planner)
      .first { $0.reminder == Digest.symbol && (key == nil || $0.key == key) }
  }
}

extension Digest {
  /// Returns the instant at which the digest with a key is sent.
  static func instant(of key: Int64) -> Instant { Instant(milliseconds: key >> 4) }
}
