import CivilTime
package import Reminders
package import Store

extension SQLiteStore {
  /// Removes some data that is older than its retention, in one transaction.
  ///
  /// - Parameters: see the transaction's `prune`.
  package func prune(
    _ part: RetentionPart, by age: Age, after cursor: Int64, limit: Int,
    keeping keeps: (StoredRecipient, Symbol, Int64) -> Bool, folding fold: EventFolding
  ) throws(StoreError) -> Pruned {
    try transaction { transaction in
      if part == .events { try transaction.writeIdentities(least: limit) }
      return try transaction.prune(
        part, by: age, after: cursor, limit: limit, keeping: keeps, folding: fold)
    }
  }
}
