package import CivilTime
internal import Glibc
package import Reminders
package import Store

extension SQLiteStore {
  /// Removes some of what is older than it is kept for, in a transaction of its own.
  ///
  /// - Parameters: as of the transaction's `prune`.
  package func prune(
    _ part: KeptPart, by age: Age, after place: Int64, limit: Int,
    keeping keeps: (StoredRecipient, Symbol, Int64) -> Bool
  ) throws(StoreError) -> Pruned {
    try transaction { transaction in
      if part == .events { try transaction.writeIdentities(least: limit) }
      return try transaction.prune(part, by: age, after: place, limit: limit, keeping: keeps)
    }
  }
}

extension StoreReaders {
  /// How many bytes the database and its log take on disk.
  package var size: Int64 {
    ["", "-wal"].reduce(0) { sum, suffix in
      var status = stat()
      return stat(file + suffix, &status) == 0 ? sum + Int64(status.st_size) : sum
    }
  }
}
