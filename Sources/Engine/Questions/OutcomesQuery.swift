package import CivilTime
package import Reminders
package import Store

/// Selects outcomes of notifications of all recipients, in the order of recording (rule M6).
package struct OutcomesQuery: EngineQuery {
  /// The cursor: the `next` of the previous page; 0 to begin with the oldest.
  package var after: Int64
  /// The maximum number of outcomes of the page.
  package var limit: Int
  /// Whether the messages of the notifications are read.
  package var readsMessages = false

  package init(after: Int64, limit: Int) {
    (self.after, self.limit) = (after, limit)
  }

  /// The maximum number of analytics events examined by one query.
  private static let searchMax = 5_000

  package func answer(from questions: Questions, now: Instant) throws(StoreError) -> OutcomePage {
    try questions.readers.read { reader in
      var page = OutcomePage(next: after)
      for record in try reader.analytics(of: nil, after: after, limit: Self.searchMax) {
        guard page.records.count < limit else { break }
        page.next = record.number
        if record.event.name == NotificationOutcome.name { page.records.append(record) }
      }
      if readsMessages { page.messages = try messages(of: page.records, in: reader, questions) }
      return page
    }
  }

  private func messages(
    of records: [AnalyticsRecord], in reader: any StoreReader, _ questions: Questions
  ) throws -> [String: Message] {
    let numbers = Set(records.compactMap { $0.notification.flatMap(questions.number) })
    let notifications = try reader.notifications(numbers.sorted())
    return Dictionary(
      notifications.values.map { ($0.past.identifier, $0.past.message) },
      uniquingKeysWith: { first, _ in first })
  }
}

/// A page of outcomes.
package struct OutcomePage: Sendable {
  package var records: [AnalyticsRecord] = []
  /// The cursor of the next page. That page may be empty for now.
  package var next: Int64
  /// The messages by the ids of their notifications, if they were requested.
  package var messages: [String: Message] = [:]

  package init(next: Int64) { self.next = next }
}
