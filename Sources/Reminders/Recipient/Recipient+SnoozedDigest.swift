extension Recipient {
  /// Records that a digest was snoozed as a whole, so that its waiting deliveries are withdrawn
  /// (rule N8). Other snoozed notifications are replaced by their next round and need no record.
  ///
  /// The entry is forgotten three days after the digest has expired.
  package mutating func recordSnooze(of past: PastNotification, planner: Planner) {
    guard !past.message.members.isEmpty else { return }
    recordCancelled(
      Progress.Cancelled(
        reminder: past.reminder, key: past.key, planned: past.expiry, cause: .snoozed,
        round: past.round + 1), planner.catalog)
  }
}
