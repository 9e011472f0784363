package import CivilTime

/// A notification as it is kept, with what came of it.
package struct KeptNotification: Sendable {
  /// A delivery of it that a sink has not taken.
  package struct Retry: Sendable {
    package var sink: String
    package var channel: Channel
    package var attempts: Int
    /// When it is attempted next; nil for a dead letter.
    package var due: Instant?
    /// What the sink said.
    package var reason: String

    package init(
      sink: String, channel: Channel, attempts: Int, due: Instant?, reason: String
    ) {
      self.sink = sink
      self.channel = channel
      self.attempts = attempts
      self.due = due
      self.reason = reason
    }
  }

  package var identifier: String
  package var planned: Instant
  package var at: Instant
  package var expiry: Instant
  package var outcome: Outcome
  package var channels: ChannelSet
  package var isSilent: Bool
  package var trace: GateTrace
  package var caption: Caption
  package var retries: [Retry]
  /// What became of its attempts, in order.
  package var attempts: [Attempt] = []

  package init(
    identifier: String, planned: Instant, at: Instant, expiry: Instant, outcome: Outcome,
    channels: ChannelSet, isSilent: Bool, trace: GateTrace, caption: Caption, retries: [Retry]
  ) {
    self.identifier = identifier
    self.planned = planned
    self.at = at
    self.expiry = expiry
    self.outcome = outcome
    self.channels = channels
    self.isSilent = isSilent
    self.trace = trace
    self.caption = caption
    self.retries = retries
  }
}
