package import CivilTime

/// The comparison of a recipient's replay with the decisions that the service recorded (rule L6).
package struct RecordAudit: Sendable {
  /// The part of the past that stored data does not show, so that a replay decides differently
  /// (rule L4).
  package enum Cause: String, CaseIterable, Sendable {
    /// A sink did not accept the delivery promptly, and the gates were evaluated again.
    case attempt
    /// The service decided more than a minute after the occurrence was due.
    case late
    /// The clock was set back.
    case clock
    /// Several events or adoptions arrived in the millisecond of the decision.
    case simultaneous
    /// Events, progress, catalogs or zones of the past are not stored.
    case unstored
  }

  /// A decision of the replay or of the record.
  package struct Side: Hashable, Sendable {
    package let outcome: Outcome
    /// The names of the gates that held or dropped the occurrence; empty for a digest's member.
    package let reasons: [String]
    /// The instant of the decision; for a drop, the planned instant (rule L3).
    package let at: Instant
  }

  /// An occurrence that the replay and the record decide differently.
  package struct Difference: Sendable {
    package let reminder: String
    /// The id of the recorded notification; nil if there is no record.
    package let notification: String?
    package let planned: Instant
    /// The decision of the replay; nil if the replay does not finish the occurrence.
    package let replayed: Side?
    /// The decision of the service; nil if none is recorded.
    package let recorded: Side?
  }

  /// The number of compared occurrences, each counted once for each channel group.
  package private(set) var occurrenceCount = 0
  /// The first difference that stored data does not explain.
  package private(set) var difference: Difference?
  /// The cause of the first difference, if it is one that stored data does not show.
  package private(set) var excuse: Cause?
  /// The number of differences after the first one of the recipient.
  package private(set) var followingCount = 0

  /// - Parameters:
  ///   - interval: the interval of the compared decisions. Replay and record cover it, and a time
  ///     before it.
  ///   - hasUnstoredPast: whether parts of the past are not stored, such as catalogs or zones.
  package init(
    of replay: RecipientReplay, against record: DecisionRecord, in interval: Range<Instant>,
    hasUnstoredPast: Bool
  ) {
    let evidence = Evidence(
      record: record, crowdedInstants: replay.crowdedInstants,
      isUnstored: hasUnstoredPast || replay.hasUnknownProgress || replay.refusedEventCount > 0)
    for pair in Pair.pairs(of: replay.decisions, with: record)
    where interval.contains(pair.decidedAt) {
      occurrenceCount += 1
      guard !pair.agrees else { continue }
      guard difference == nil, excuse == nil else {
        followingCount += 1
        continue
      }
      excuse = evidence.cause(of: pair)
      if excuse == nil { difference = Difference(pair) }
    }
  }
}

/// The decisions of a replay and of a record about the same occurrence. At least one is not nil.
private struct Pair {
  var replayed: ReplayedDecision?
  var recorded: DecisionRecord.Decision?

  /// Identifies an occurrence in one channel group. The key of a digest depends on the instant of
  /// its decision, so its planned instant is used instead.
  private struct ID: Hashable {
    let occurrence: OccurrenceInGroup
    let round: Int64

    init(_ firing: Firing) {
      var occurrence = OccurrenceInGroup(firing)
      if firing.reminder == Digest.symbol {
        occurrence.key = Digest.key(at: firing.planned, firing.channels)
      }
      (self.occurrence, round) = (occurrence, firing.round)
    }

    init(_ past: PastNotification) {
      var occurrence = OccurrenceInGroup(past)
      if past.reminder == Digest.symbol {
        occurrence.key = Digest.key(at: past.planned, past.channels)
      }
      (self.occurrence, round) = (occurrence, past.round)
    }
  }

  /// Returns the pairs in the order of the earlier decision of each.
  static func pairs(of decisions: [ReplayedDecision], with record: DecisionRecord) -> [Pair] {
    var pairs: [ID: Pair] = [:]
    for decision in decisions
    where decision.outcome != nil
      && !isReturnDigest(decision.firing.reminder, decision.firing.trace)
    {
      pairs[ID(decision.firing), default: Pair()].replayed = decision
    }
    for decision in record.decisions
    where !isReturnDigest(decision.notification.reminder, decision.notification.trace) {
      pairs[ID(decision.notification), default: Pair()].recorded = decision
    }
    return pairs.sorted { $0.value.rank($0.key) < $1.value.rank($1.key) }.map(\.value)
  }

  /// Returns whether a notification is the digest for a device that returned, for which no gate is
  /// evaluated. It depends on what the recipient has read (rule V17).
  private static func isReturnDigest(_ reminder: Symbol, _ trace: GateTrace) -> Bool {
    reminder == Digest.symbol && trace.rawValue == 0
  }

  /// Digests follow their members, which may be their cause.
  private func rank(_ id: ID) -> (Int64, Int, Int64, String) {
    let isDigest = id.occurrence.reminder == Digest.symbol
    return (decidedAt.milliseconds, isDigest ? 1 : 0, id.occurrence.key, reminder)
  }

  private var reminder: String {
    recorded?.notification.message.reminder ?? replayed?.message.reminder ?? ""
  }

  /// The instant of the earlier decision.
  var decidedAt: Instant {
    [replayed?.firing.at, recorded?.notification.at].compactMap(\.self).min()
      ?? Instant(milliseconds: 0)
  }

  var agrees: Bool { replayed?.side == recorded?.side }
}

/// The traces of causes in stored data that explain a difference.
private struct Evidence {
  let record: DecisionRecord
  /// The instants at which several events or adoptions arrived.
  let crowdedInstants: Set<Instant>
  let isUnstored: Bool
  private let hasClockStep: Bool

  /// A difference between instants that the speed of the service does not explain (rule T8).
  private static let lateness = Recipient.countedDelayMax

  init(record: DecisionRecord, crowdedInstants: Set<Instant>, isUnstored: Bool) {
    (self.record, self.crowdedInstants) = (record, crowdedInstants)
    self.isUnstored = isUnstored
    let instants = record.decisions.map(\.notification.at)
    hasClockStep = zip(instants, instants.dropFirst()).contains { $0 - $1 > Self.lateness }
  }

  /// Returns the cause of a difference; nil if stored data shows none.
  func cause(of pair: Pair) -> RecordAudit.Cause? {
    if isFromAttempt(pair) { return .attempt }
    if isLate(pair) { return .late }
    if hasClockStep { return .clock }
    let instants = [pair.replayed?.firing.at, pair.recorded?.notification.at].compactMap(\.self)
    if instants.contains(where: crowdedInstants.contains) { return .simultaneous }
    return isUnstored ? .unstored : nil
  }

  /// Whether the replay sends what the service decided to send at the same instant, and a delay at
  /// a sink was followed by another verdict.
  private func isFromAttempt(_ pair: Pair) -> Bool {
    guard let replayed = pair.replayed, let recorded = pair.recorded else { return false }
    let past = recorded.notification
    return recorded.isDelayedAtSinks && replayed.outcome == .delivered
      && past.at == replayed.firing.at && past.trace.contains(replayed.firing.trace)
  }

  private func isLate(_ pair: Pair) -> Bool {
    switch (pair.replayed?.firing, pair.recorded?.notification) {
    case (let firing?, let past?): past.at - firing.at > Self.lateness
    case (nil, let past?):
      past.trace.hasDropped(.missed) && past.at - past.planned > Self.lateness
    case (let firing?, nil): isOverdue(firing) || isInMissedRun(firing)
    case (nil, nil): false
    }
  }

  /// Whether the service has not decided about the occurrence yet.
  private func isOverdue(_ firing: Firing) -> Bool {
    record.overdueSince.map { firing.at > $0 } ?? false
  }

  /// Whether the service was so late that it recorded the occurrence in a run of missed ones.
  private func isInMissedRun(_ firing: Firing) -> Bool {
    record.decisions.contains { decision in
      let past = decision.notification
      return past.reminder == firing.reminder && past.trace.hasDropped(.missed)
        && past.trace.runLength > 1 && past.planned > firing.planned
        && past.at - firing.at > Self.lateness
    }
  }
}

extension RecordAudit.Difference {
  fileprivate init(_ pair: Pair) {
    let message = pair.recorded?.notification.message ?? pair.replayed?.message
    reminder = message?.reminder ?? ""
    notification = pair.recorded?.notification.identifier
    planned =
      pair.replayed?.firing.planned ?? pair.recorded?.notification.planned ?? pair.decidedAt
    (replayed, recorded) = (pair.replayed?.side, pair.recorded?.side)
  }
}

extension RecordAudit.Side {
  fileprivate init(_ outcome: Outcome, _ trace: GateTrace, at: Instant, planned: Instant) {
    self.outcome = outcome
    reasons = outcome == .bundled || trace.isClear ? [] : trace.reasons
    self.at = outcome.instant(planned: planned, decided: at)
  }
}

extension ReplayedDecision {
  /// The outcome; nil for a held occurrence.
  fileprivate var outcome: Outcome? {
    if case .finished(let outcome) = firing.result { outcome } else { nil }
  }

  fileprivate var side: RecordAudit.Side? {
    outcome.map {
      RecordAudit.Side($0, firing.trace, at: firing.at, planned: firing.planned)
    }
  }
}

extension DecisionRecord.Decision {
  fileprivate var side: RecordAudit.Side {
    RecordAudit.Side(
      notification.outcome, notification.trace, at: notification.at, planned: notification.planned)
  }
}
