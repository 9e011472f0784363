extension Recipient {
  /// Records that a digest was snoozed as a whole, so that its unsent deliveries are withdrawn
  /// (rule N8). The record is forgotten three days after the digest has expired.
  ///
  /// A snoozed notification that is no digest needs no record. The notification that is sent after
  /// the snooze replaces it.
  package mutating func recordSnooze(of past: PastNotification, planner: Planner) {
    guard !past.message.members.isEmpty else { return }
    recordCancelled(
      Progress.Cancelled(
        reminder: past.reminder, key: past.key, planned: past.expiry, cause: .snoozed,
        round: past.round + 1), planner.catalog)
  }
}
