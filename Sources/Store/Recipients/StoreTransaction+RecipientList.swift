package import CivilTime
import GRDB
import Reminders

/// A recipient in a list.
package struct ListedRecipient: Hashable, Sendable {
  package var name: String
  /// How much is pending for them.
  package var pending: Int
  /// When something is due next.
  package var due: Instant?

  package init(name: String, pending: Int = 0, due: Instant? = nil) {
    self.name = name
    self.pending = pending
    self.due = due
  }
}

extension StoreTransaction {
  /// Those whose names begin with a text, behind a name, in the order of their bytes.
  ///
  /// - Complexity: a row for each, and two beyond them.
  package func recipients(
    beginningWith prefix: String, after last: String?, limit: Int
  ) throws -> [ListedRecipient] {
    let last = last ?? ""
    let isBehind = prefix.utf8.lexicographicallyPrecedes(last.utf8)
    statements.recipientsFrom.bind(1, isBehind ? last : prefix)
    statements.recipientsFrom.bind(2, Int64(limit) + 1)
    var listed: [ListedRecipient] = []
    try statements.recipientsFrom.rows { columns in
      let name = try RecipientRow.name(columns)
      guard name.utf8.starts(with: prefix.utf8), !name.utf8.elementsEqual(last.utf8) else { return }
      let next = try ScheduleRow(columns, from: RecipientRow.nameColumnCount).next
      listed.append(ListedRecipient(name: name, pending: next.pending, due: next.due))
    }
    return Array(listed.prefix(limit))
  }
}
