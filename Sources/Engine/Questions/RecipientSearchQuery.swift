package import CivilTime
import Reminders
package import Store

/// Selects recipients by a text in their id, name, e-mail address or telephone number (rule H26).
/// The recipients whose id begins with the text come first, ordered by id.
package struct RecipientSearchQuery: EngineQuery {
  /// The maximum number of rows that one query examines.
  package static let rowsMax = 10_000
  /// The maximum number of recipients read at a time.
  private static let readMax = 500

  /// The start of a page.
  package enum Cursor: Equatable, Sendable {
    /// After an id that begins with the text. An empty id begins the search.
    case identifier(String)
    /// After a row, among the recipients whose ids do not begin with the text.
    case row(UInt32)

    /// Parses a cursor; nil if the text is not one.
    package init?(_ text: String) {
      switch text.first {
      case "i": self = .identifier(String(text.dropFirst()))
      case "r":
        guard let row = UInt32(text.dropFirst()) else { return nil }
        self = .row(row)
      default: return nil
      }
    }

    /// The form that a client gets and returns.
    package var text: String {
      switch self {
      case .identifier(let name): "i\(name)"
      case .row(let row): "r\(row)"
      }
    }
  }

  private let text: String
  package var cursor = Cursor.identifier("")
  /// The maximum number of recipients of the page.
  private let limit: Int

  package init(text: String, limit: Int = 100) {
    self.text = text
    self.limit = limit
  }

  /// Returns a page of the matching recipients. A page may be empty and have a cursor, because the
  /// number of rows that one query examines is limited.
  package func answer(
    from questions: Questions, now: Instant
  ) throws(StoreError) -> RecipientPage {
    try questions.readers.read { transaction -> RecipientPage in
      guard case .identifier(let last) = cursor else {
        return try search(after: cursor, page: RecipientPage(), in: transaction)
      }
      var listed = try transaction.recipients(
        beginningWith: text, after: last.isEmpty ? nil : last, limit: limit + 1)
      guard listed.count > limit else {
        return try search(
          after: .row(0), page: RecipientPage(recipients: listed), in: transaction)
      }
      listed.removeLast()
      let next = listed.last.map { Cursor.identifier($0.name).text }
      return RecipientPage(recipients: listed, next: next)
    }
  }

  /// Adds recipients whose id does not begin with the text.
  private func search(
    after cursor: Cursor, page: RecipientPage, in transaction: any StoreReader
  ) throws -> RecipientPage {
    let last = try transaction.lastRecipient()
    var (page, remaining) = (page, Self.rowsMax)
    guard case .row(var row) = cursor else { return page }
    while row < last, remaining > 0, page.recipients.count < limit {
      let end = row + UInt32(min(Self.readMax, remaining, Int(last - row)))
      remaining -= Int(end - row)
      row = try add(row + 1...end, to: &page, in: transaction)
    }
    page.next = row < last ? Cursor.row(row).text : nil
    return page
  }

  /// Adds the matching recipients in a range of rows, up to the limit.
  ///
  /// - Returns: the last examined row.
  private func add(
    _ rows: ClosedRange<UInt32>, to page: inout RecipientPage, in transaction: any StoreReader
  ) throws -> UInt32 {
    let pattern = RecipientPattern(text)
    for stored in try transaction.recipients(rows: Array(rows)[...])
    where !stored.recipient.name.utf8.starts(with: text.utf8) && pattern.matches(stored.recipient) {
      page.recipients.append(
        ListedRecipient(
          name: stored.recipient.name, pending: stored.pending, due: stored.due,
          profileName: stored.recipient.facts.profile(.name)))
      if page.recipients.count == limit { return stored.row }
    }
    return rows.upperBound
  }
}
