package import CivilTime
package import Reminders
package import Store

/// Selects analytics events (rule M1); the answer is nil for an unknown recipient.
package struct AnalyticsQuery: EngineQuery {
  /// The recipient's name; nil for all recipients.
  package var recipient: String?
  /// The number of the last event that the caller has; 0 for none.
  package var after: Int64
  /// The maximum number of events of the page.
  package var limit: Int

  package init(recipient: String?, after: Int64, limit: Int) {
    self.recipient = recipient
    self.after = after
    self.limit = limit
  }

  package func answer(
    from questions: Questions, now: Instant
  ) throws(StoreError) -> AnalyticsPage? {
    try questions.readers.read { transaction in
      var row: UInt32?
      if let recipient {
        guard let stored = try transaction.recipient(named: recipient) else { return nil }
        row = stored.row
      }
      var records = try transaction.analytics(of: row, after: after, limit: limit + 1)
      let hasMore = records.count > limit
      if hasMore { records.removeLast() }
      return AnalyticsPage(records: records, hasMore: hasMore)
    }
  }
}

/// A page of analytics events, in the order in which they were written.
package struct AnalyticsPage: Sendable {
  package var records: [AnalyticsRecord]
  /// Whether there are more events after the page's last one.
  package var hasMore: Bool
}
