package import CivilTime
import Reminders
package import Store

/// Selects recipients by a text in their id, name, e-mail address or telephone number (rule H29).
package struct RecipientSearchQuery: EngineQuery {
  /// The maximum number of rows that one query examines.
  package static let rowsMax = 10_000
  private static let readMax = 500

  private let pattern: RecipientPattern
  /// The row after which to continue; 0 to begin with the first.
  private let after: UInt32
  private let limit: Int

  package init(text: String, after: UInt32 = 0, limit: Int = 100) {
    pattern = RecipientPattern(text)
    self.after = after
    self.limit = limit
  }

  /// Returns a page of the matching recipients, in the order of their rows. A page may be empty and
  /// have a cursor, because the number of rows that one query examines is limited.
  package func answer(
    from questions: Questions, now: Instant
  ) throws(StoreError) -> RecipientPage {
    try questions.readers.read { transaction -> RecipientPage in
      let last = try transaction.lastRecipient()
      var (page, cursor, remaining) = (RecipientPage(), after, Self.rowsMax)
      while cursor < last, remaining > 0, page.recipients.count < limit {
        let end = cursor + UInt32(min(Self.readMax, remaining, Int(last - cursor)))
        remaining -= Int(end - cursor)
        cursor = try add(cursor + 1...end, to: &page, in: transaction)
      }
      page.next = cursor < last ? String(cursor) : nil
      return page
    }
  }

  /// Adds the matching recipients in a range of rows, up to the limit.
  ///
  /// - Returns: the last examined row.
  private func add(
    _ rows: ClosedRange<UInt32>, to page: inout RecipientPage, in transaction: any StoreReader
  ) throws -> UInt32 {
    for stored in try transaction.recipients(rows: Array(rows)[...])
    where pattern.matches(stored.recipient) {
      page.recipients.append(
        ListedRecipient(
          name: stored.recipient.name, pending: stored.pending, due: stored.due,
          profileName: stored.recipient.facts.profile(.name)))
      if page.recipients.count == limit { return stored.row }
    }
    return rows.upperBound
  }
}
