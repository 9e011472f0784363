import GRDB
import Reminders
import Store

/// The prepared statements for requests (reminders that apps requested) that do not fit into the
/// row with the recipient's facts.
final class RequestStatements {
  private let select: HotStatement
  private let replace: HotStatement
  private let remove: HotStatement

  init(_ database: Database) throws {
    select = try HotStatement(
      database, "SELECT \(RequestRow.columns) FROM request WHERE recipient = ?1 ORDER BY part")
    replace = try HotStatement(database, SQLiteTable.request.insertion("INSERT OR REPLACE"))
    remove = try HotStatement(database, "DELETE FROM request WHERE part = ?1")
  }

  /// Adds to a recipient the requests in its rows of `request`. Most recipients have no such rows;
  /// then nothing is read.
  func complete(_ stored: inout StoredRecipient) throws {
    guard stored.recipient.facts.requests.rowsMissing > 0 else { return }
    select.bind(1, Int64(stored.row))
    var parts: [RequestPart] = []
    try select.rows { parts.append(try RequestRow.part($0)) }
    do {
      try stored.recipient.add(parts)
    } catch {
      throw DamagedRow("recipient", "\(stored.row) (its requests are missing)")
    }
  }

  /// Writes the rows of `request` that have changed, and deletes those that are no longer used.
  func save(_ stored: StoredRecipient) throws {
    let requests = stored.recipient.facts.requests
    for part in requests.rowsToDelete {
      remove.bind(1, part)
      try remove.run()
    }
    for part in requests.rows where part.row != .same {
      RequestRow.bind(part, of: stored.row, to: replace)
      try replace.run()
    }
  }
}
