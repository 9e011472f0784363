import Access
package import CivilTime
import Reminders
package import Store

/// Selects a page of a recipient's inbox (rules N1, N11); the answer is nil if the recipient is
/// unknown.
package struct InboxQuery: EngineQuery {
  /// The recipient's name.
  package var recipient: String
  /// The number of items to leave out.
  package var offset: Int
  /// The cursor: `next` of the previous page; nil for the first page.
  package var after: Int64?
  /// Whether read items are left out.
  package var isOnlyUnread = false
  /// The maximum number of items of the page.
  package var limit: Int

  /// The maximum number of items examined by one query.
  package static let searchMax = 1_000

  package init(of recipient: String, offset: Int = 0, limit: Int) {
    self.recipient = recipient
    self.offset = offset
    self.limit = limit
  }

  package func answer(from questions: Questions, now: Instant) throws(StoreError) -> InboxPage? {
    try questions.readers.read { transaction -> InboxPage? in
      guard let stored = try transaction.recipient(named: recipient) else { return nil }
      let context = PlanningContext(facts: stored.recipient.facts, planner: questions.planner)
      var page = InboxPage(counts: InboxCounts(stored.counts), zone: context.zone)
      let (items, next) = try items(of: stored.row, in: transaction)
      let links = questions.published.actionLinks
      page.items = items.map { item in
        let identifier = questions.identifier(of: item.notification)
        let message = context.withCurrentFlags(item.message, sentAt: item.at)
        return InboxPage.Item(
          identifier: identifier, at: item.at, isRead: item.isRead,
          message: message.linked { links?.link($0, of: identifier) })
      }
      page.next = next
      return page
    }
  }

  /// The minimum number of items read at a time in a search.
  private static let readMin = 100

  /// Returns the selected items, and the cursor of the next page.
  private func items(
    of row: UInt32, in transaction: any StoreReader
  ) throws -> (items: [InboxItem], next: Int64?) {
    var (selected, last, remaining): ([InboxItem], Int64?, Int) = ([], after, Self.searchMax)
    while remaining > 0, selected.count < limit {
      let count = min(remaining, max(limit - selected.count, isOnlyUnread ? Self.readMin : 0))
      // One more item shows whether there is a next page.
      let items = try transaction.inbox(
        row: row, after: last, offset: last == after ? offset : 0, limit: count + 1)
      for item in items.prefix(count) where selected.count < limit {
        last = item.notification
        if !isOnlyUnread || !item.isRead { selected.append(item) }
      }
      if items.last.map({ $0.notification == last }) ?? true { return (selected, nil) }
      remaining -= count
    }
    return (selected, limit > 0 ? last : nil)
  }
}
