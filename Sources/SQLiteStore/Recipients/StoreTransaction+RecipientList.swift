import CivilTime
import GRDB
import Reminders
import Store

extension StoreTransaction {
  func lastRecipient() throws -> UInt32 {
    try statements.lastRecipient.first { UInt32(clamping: $0.integer(0)) } ?? 0
  }

  func recipients(
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
