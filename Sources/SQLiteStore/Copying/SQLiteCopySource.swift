import GRDB
internal import Glibc
package import Store

/// A SQLite store as the source of a copy. It holds the store's lock, so no service can use the
/// store meanwhile. Copying changes nothing; opening the store completes what every start
/// completes, such as an erasure.
package final class SQLiteCopySource: CopySource {
  private let store: SQLiteStore

  /// Opens the store, and checks all of it by SQLite's integrity check and the rows' checksums.
  ///
  /// - Parameter report: receives progress messages.
  /// - Throws: an error about the directory or the file, also if a service is using the store.
  package init(
    directory: String, report: (String) -> Void = { _ in }
  ) throws(StoreError) {
    guard access(StateDirectory.database(in: directory), F_OK) == 0 else {
      throw .unreadable(
        directory: directory, reason: "there is no store in it; give the service's state directory")
    }
    try DirectoryOwner.become(of: directory)
    store = try SQLiteStore(directory: directory)
    report("examining \(store.file)")
    let file = store.file
    try store.withConnection { database in
      let flaws = try String.fetchAll(database, sql: "PRAGMA integrity_check(5)")
      guard flaws == ["ok"] else {
        throw StoreError.damaged(file: file, reason: flaws.joined(separator: "; "))
      }
      try RowCheck.all(database)
    }
  }

  /// The keys of the notes that describe only this file and are not copied: the counters, the loss,
  /// and the completeness of the identities.
  private static let fileNotes: Set = [
    "next event", "next notification", "next recipient", "next message",
    StoreTransaction.completeIdentities, "loss",
  ]

  package func copiedNotes() throws -> [String: String] {
    try store.withConnection { database in
      var notes: [String: String] = [:]
      for key in try String.fetchAll(database, sql: "SELECT key FROM meta")
      where !Self.fileNotes.contains(key) {
        notes[key] = try Notes.text(key, in: database)
      }
      return notes
    }
  }

  package func lastNumbers() throws -> [CopiedTable: Int64] {
    let analytics = try store.withConnection {
      try Int64.fetchOne(
        $0, sql: "SELECT seq FROM sqlite_sequence WHERE name = 'analytics_event'")
    }
    let statements = store.statements
    return [
      .recipient: statements.nextRecipient - 1, .event: statements.nextEvent - 1,
      .message: statements.nextMessage - 1, .notification: statements.nextNotification - 1,
      .analytics: analytics ?? 0,
    ]
  }

  package func forEachRow(
    of table: CopiedTable, _ body: (CopiedRow) throws -> Void
  ) throws {
    try store.withConnection { database in
      try store.statements.withoutCaching {
        for selection in CopySelection.all(of: table, store.statements.hash) {
          try HotStatement(database, selection.statement).rows { try body(selection.row($0)) }
        }
      }
    }
  }
}
