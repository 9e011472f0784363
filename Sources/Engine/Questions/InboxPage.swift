package import CivilTime
package import Reminders
package import Store

/// Selects a page of a recipient's inbox (rule N1). The answer is empty for an unknown recipient.
package struct InboxQuery: EngineQuery {
  package var recipient: String
  package var offset: Int
  package var limit: Int

  package init(of recipient: String, offset: Int = 0, limit: Int) {
    self.recipient = recipient
    self.offset = offset
    self.limit = limit
  }

  package func answer(from questions: Questions, now: Instant) throws(StoreError) -> InboxPage {
    try questions.readers.read { transaction in
      guard let stored = try transaction.recipient(named: recipient) else { return InboxPage() }
      let items = try transaction.inbox(row: stored.row, offset: offset, limit: limit)
      let context = PlanningContext(facts: stored.recipient.facts, planner: questions.planner)
      return InboxPage(
        counts: InboxCounts(stored.counts),
        items: items.map { item in
          InboxPage.Item(
            identifier: questions.identifier(of: item.notification), at: item.at,
            isRead: item.isRead, message: context.upToDate(item.message, sentAt: item.at))
        })
    }
  }
}

/// A page of a recipient's inbox, newest first (rule N1).
package struct InboxPage: Sendable {
  package struct Item: Sendable {
    /// The id of the notification that the item belongs to.
    package var identifier: String
    package var at: Instant
    package var isRead: Bool
    package var message: Message

    package init(identifier: String, at: Instant, isRead: Bool, message: Message) {
      self.identifier = identifier
      self.at = at
      self.isRead = isRead
      self.message = message
    }
  }

  package var counts: InboxCounts
  package var items: [Item]

  package init(counts: InboxCounts = InboxCounts(), items: [Item] = []) {
    self.counts = counts
    self.items = items
  }
}
