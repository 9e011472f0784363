package import Reminders
import Store

/// Which analytics events are asked for.
package struct AnalyticsQuery: Sendable {
  /// Whose; nil for everyone's.
  package var recipient: String?
  /// The last one that is known already; 0 if none is.
  package var after: Int64
  package var limit: Int

  package init(recipient: String?, after: Int64, limit: Int) {
    self.recipient = recipient
    self.after = after
    self.limit = limit
  }
}

/// Some analytics events, in the order in which they were written.
package struct AnalyticsPage: Sendable {
  package var records: [AnalyticsRecord]
  /// Whether there are more after the last of them.
  package var hasMore: Bool
}

extension Questions {
  /// Nil for a recipient of whom nothing is known.
  func analytics(_ query: AnalyticsQuery) throws(StoreError) -> AnalyticsPage? {
    try readers.read { transaction in
      var row: UInt32?
      if let name = query.recipient {
        guard let stored = try transaction.recipient(named: name) else { return nil }
        row = stored.row
      }
      var records = try transaction.analytics(
        of: row, after: query.after, limit: query.limit + 1)
      let hasMore = records.count > query.limit
      if hasMore { records.removeLast() }
      return AnalyticsPage(records: records, hasMore: hasMore)
    }
  }
}
