package import CivilTime

/// A recorded notification of a finished occurrence.
package struct PastNotification: Hashable, Sendable {
  /// The public id, which its deliveries carry.
  package var identifier: String
  package var reminder: Symbol
  package var key: Int64
  /// Distinguishes the sendings of one occurrence; see `Progress.InProgress`.
  package var round: Int64
  package var channelGroup: ChannelGroup
  package var planned: Instant
  /// The instant of the decision.
  package var at: Instant
  package var expiry: Instant
  package var outcome: Outcome
  package var channels: ChannelSet
  package var isSilent: Bool
  package var trace: GateTrace
  package var message: Message

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

  /// Whether a firing is the recorded one.
  ///
  /// The key of a digest depends on the instant of its decision, at which the service may have been
  /// late. So its channels, planned instant and expiry are compared instead.
  func isThis(_ firing: Firing) -> Bool {
    guard reminder == Digest.symbol else {
      return OccurrenceInGroup(firing) == OccurrenceInGroup(self) && firing.round == round
    }
    return firing.reminder == reminder && firing.channels == channels
      && firing.planned == planned && firing.expiry == expiry
  }

  /// Whether a firing is that of the notification, or may be a member of this digest.
  func concerns(_ firing: Firing) -> Bool {
    reminder == Digest.symbol
      ? firing.planned >= planned
      : OccurrenceInGroup(firing) == OccurrenceInGroup(self) && firing.round == round
  }

  /// Whether a firing's result is the recorded one, except for verdicts since then: gates are
  /// evaluated again before another attempt (rule V7).
  func agrees(with firing: Firing) -> Bool {
    guard firing.planned == planned, firing.expiry == expiry, firing.channels == channels,
      firing.isSilent == isSilent
    else { return false }
    if firing.result == .finished(outcome), firing.trace == trace { return true }
    return firing.result == .finished(.delivered) && outcome != .bundled
      && trace.contains(firing.trace)
  }
}

/// Why a notification was sent at its instant, or not (rule V8).
package struct PastExplanation: Sendable {
  package var notification: PastNotification
  package var zone: Zone
  /// The gates' evaluation until the decision, with their inputs; nil if it cannot be reconstructed
  /// with certainty, so that only the record is shown.
  package var decided: (rounds: [Explanation.Round], trace: GateTrace)?

  package var rounds: [Explanation.Round]? {
    guard var rounds = decided?.rounds else { return nil }
    if notification.outcome == .bundled { rounds.recordDigest() }
    return rounds
  }

  /// The gates that held or dropped it after the decision, before another attempt.
  package var laterReasons: [String] {
    guard let before = decided?.trace.reasons else { return [] }
    return notification.trace.reasons.filter { !before.contains($0) }
  }

  /// The gates without which it would have been sent at their first evaluation; nil if there are
  /// none, or if it cannot be decided again.
  package internal(set) var counterfactual: Counterfactual?

  /// The counterfactual in one sentence.
  package var difference: String? {
    counterfactual.map { "would have been sent at \($0.words(in: zone))" }
  }
}
