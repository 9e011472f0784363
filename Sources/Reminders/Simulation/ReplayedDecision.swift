package import CivilTime

/// A decision about an occurrence in one channel group, made again by a replay.
package struct ReplayedDecision: Sendable {
  package let firing: Firing
  package let message: Message
  /// The recipient's zone at the instant of the decision.
  package let zone: Zone
}
