package import Store

/// Selects a page of recipients.
package struct RecipientQuestion: Sendable {
  /// The prefix of the recipients' ids.
  package var prefix: String
  /// The last id of the previous page.
  package var after: String?
  package var limit: Int

  package init(prefix: String = "", after: String? = nil, limit: Int = 100) {
    self.prefix = prefix
    self.after = after
    self.limit = limit
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

extension Questions {
  func recipients(_ question: RecipientQuestion) throws(StoreError) -> RecipientPage {
    var listed = try readers.read {
      try $0.recipients(
        beginningWith: question.prefix, after: question.after, limit: question.limit + 1)
    }
    guard listed.count > question.limit else { return RecipientPage(recipients: listed) }
    listed.removeLast()
    return RecipientPage(recipients: listed, next: listed.last?.name)
  }
}
