package import CivilTime
package import Store

/// Selects a page of all recipients, by name.
package struct RecipientsQuery: EngineQuery {
  /// The prefix of the recipients' ids.
  package var prefix: String
  /// The last id of the previous page; nil for the first page.
  package var after: String?
  /// The maximum number of recipients of the page.
  package var limit: Int

  package init(prefix: String = "", after: String? = nil, limit: Int = 100) {
    self.prefix = prefix
    self.after = after
    self.limit = limit
  }

  package func answer(
    from questions: Questions, now: Instant
  ) throws(StoreError) -> RecipientPage {
    var listed = try questions.readers.read {
      try $0.recipients(beginningWith: prefix, after: after, limit: limit + 1)
    }
    guard listed.count > limit else { return RecipientPage(recipients: listed) }
    listed.removeLast()
    return RecipientPage(recipients: listed, next: listed.last?.name)
  }
}

/// A page of recipients, ordered by the bytes of their ids.
package struct RecipientPage: Sendable {
  package var recipients: [ListedRecipient]
  /// The last id of this page; nil at the end.
  package var next: String?

  package init(recipients: [ListedRecipient] = [], next: String? = nil) {
    self.recipients = recipients
    self.next = next
  }
}
