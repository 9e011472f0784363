package import Store

/// Which recipients are asked for.
package struct RecipientQuestion: Sendable {
  /// What their ids begin with.
  package var prefix: String
  /// The last of the page before.
  package var after: String?
  package var limit: Int

  package init(prefix: String = "", after: String? = nil, limit: Int = 100) {
    self.prefix = prefix
    self.after = after
    self.limit = limit
  }
}

/// A page of recipients, in the order of the bytes of their ids.
package struct RecipientPage: Sendable {
  package var recipients: [ListedRecipient]
  /// Where this page ended, if there is more behind it.
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
