package import CivilTime

/// A recorded notification of a finished occurrence.
package struct PastNotification: Hashable, Sendable {
  /// The public id, which the notification's deliveries carry.
  package var identifier: String
  /// The reminder of the occurrence; `Digest.symbol` for a digest.
  package var reminder: Symbol
  /// The key of the occurrence, which is unique within its reminder; `Digest.key` for a digest.
  package var key: Int64
  /// The number of the occurrence's round; see `Progress.InProgress`.
  package var round: Int64
  package var channelGroup: ChannelGroup
  /// The planned instant, or the end of a snooze.
  package var planned: Instant
  /// The instant of the decision.
  package var at: Instant
  /// The last instant at which the notification was worth delivering (rule T7).
  package var expiry: Instant
  package var outcome: Outcome
  package var channels: ChannelSet
  package var isSilent: Bool
  /// The recipient's settings for sound, vibration, badge and preview.
  package var hints: Hints = []
  /// The findings of the gates, including those before later attempts.
  package var trace: GateTrace
  package var message: Message

  /// The discreet texts that channels showed.
  package var discreetTextUses: [DiscreetUse] {
    DiscreetUse.uses(of: message, on: channels.channels, hints)
  }

  package init(
    identifier: String, reminder: Symbol, key: Int64, round: Int64 = 0,
    channelGroup: ChannelGroup, planned: Instant, at: Instant,
    expiry: Instant, outcome: Outcome, channels: ChannelSet, isSilent: Bool, trace: GateTrace,
    message: Message
  ) {
    self.identifier = identifier
    self.reminder = reminder
    self.key = key
    self.round = round
    self.channelGroup = channelGroup
    self.planned = planned
    self.at = at
    self.expiry = expiry
    self.outcome = outcome
    self.channels = channels
    self.isSilent = isSilent
    self.trace = trace
    self.message = message
  }

  /// Returns whether a firing, a simulated decision about a due occurrence, produced the recorded
  /// notification.
  ///
  /// Digests are compared by channels, planned instant and expiry instead of the key. The key of a
  /// digest depends on the instant of its decision, and the service may have decided late.
  func isResult(of firing: Firing) -> Bool {
    guard reminder == Digest.symbol else {
      return OccurrenceInGroup(firing) == OccurrenceInGroup(self) && firing.round == round
    }
    return firing.reminder == reminder && firing.channels == channels
      && firing.planned == planned && firing.expiry == expiry
  }

  /// Returns whether a firing produced the notification or, for a digest, may have produced a
  /// member.
  func concerns(_ firing: Firing) -> Bool {
    reminder == Digest.symbol
      ? firing.planned >= planned
      : OccurrenceInGroup(firing) == OccurrenceInGroup(self) && firing.round == round
  }

  /// Returns whether a firing's result is the recorded one. The record may have later verdicts,
  /// because gates are evaluated again before another attempt (rule V7).
  func agrees(with firing: Firing) -> Bool {
    guard firing.planned == planned, firing.expiry == expiry, firing.channels == channels,
      firing.isSilent == isSilent
    else { return false }
    if firing.result == .finished(outcome), firing.trace == trace { return true }
    return firing.result == .finished(.delivered) && outcome != .bundled
      && trace.contains(firing.trace)
  }
}

/// The explanation of the decision about a recorded notification (rule V8).
package struct PastExplanation: Sendable {
  package var notification: PastNotification
  /// The recipient's zone at the decision, or the current zone if `evaluation` is nil.
  package var zone: Zone
  /// The evaluations of the gates until the decision, with the gates' inputs and verdicts. This is
  /// nil, and only the record is shown, if the evaluations cannot be reconstructed with certainty.
  package var evaluation: (rounds: [Explanation.Evaluation], trace: GateTrace)?

  /// The entities that shared the date of the occurrence at the decision; empty if the decision
  /// cannot be reconstructed.
  package internal(set) var sharedDate = SharedDate()

  package var rounds: [Explanation.Evaluation]? {
    guard var rounds = evaluation?.rounds else { return nil }
    if notification.outcome == .bundled { rounds.addDigestStep() }
    return rounds
  }

  /// The gates that held or dropped the notification after the decision, before another attempt.
  package var laterReasons: [String] {
    guard let reasons = evaluation?.trace.reasons else { return [] }
    return notification.trace.reasons.filter { !reasons.contains($0) }
  }

  /// The gates without which the notification would have been sent when its gates were first
  /// evaluated. It is nil if there are none, or if the decision cannot be reconstructed.
  package internal(set) var counterfactual: Counterfactual?

  /// The counterfactual as a clause whose subject is the notification.
  package var counterfactualText: String? {
    counterfactual.map { "would have been sent at \($0.words(in: zone))" }
  }
}
