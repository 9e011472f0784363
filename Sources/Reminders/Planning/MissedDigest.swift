package import CivilTime

/// The silent digest of the push notifications that a recipient has missed (rule V17).
package struct MissedDigest {
  package let message: Message
  /// The latest expiry of the members.
  let expiry: Instant

  /// Returns the result that sends the digest at an instant. The result has no members, so that the
  /// reminders in the digest are not recorded again.
  package func firing(at now: Instant, hints: Hints) -> Firing {
    let push = ChannelSet(.push)
    var firing = Firing(
      reminder: Digest.symbol, key: Digest.key(at: now, push), channelGroup: .interrupting,
      planned: now, at: now, expiry: expiry, result: .finished(.delivered), trace: GateTrace(),
      channels: push, isSilent: true, hints: hints, message: 0)
    firing.isFirstEvaluation = false
    return firing
  }
}
