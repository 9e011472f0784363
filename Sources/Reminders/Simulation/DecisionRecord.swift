package import CivilTime

/// The decisions about one recipient's occurrences that the service recorded.
package struct DecisionRecord: Sendable {
  package struct Decision: Sendable {
    package var notification: PastNotification
    /// Whether sinks did not accept the notification promptly, so that gates may have been
    /// evaluated again (rule V7).
    package var isDelayedAtSinks: Bool

    package init(_ notification: PastNotification, isDelayedAtSinks: Bool) {
      (self.notification, self.isDelayedAtSinks) = (notification, isDelayedAtSinks)
    }
  }

  /// The decisions in the order in which they were recorded.
  package var decisions: [Decision]
  /// The instant up to which the service has decided, if the recipient is due and not processed
  /// yet; otherwise nil.
  package var overdueSince: Instant?

  package init(decisions: [Decision], overdueSince: Instant?) {
    (self.decisions, self.overdueSince) = (decisions, overdueSince)
  }
}
