import Postgres
import Reminders
import Store

/// Requests (reminders that apps requested) that do not fit into the row with the recipient's
/// facts.
extension PostgresWork {
  /// Adds to each recipient the requests in its rows of `request`, with one query for all
  /// recipients. Most recipients have no such rows.
  func complete(_ recipients: inout [StoredRecipient]) throws {
    let incomplete = recipients.indices.filter {
      recipients[$0].recipient.facts.requests.rowsMissing > 0
    }
    guard !incomplete.isEmpty else { return }
    var wanted = PostgresRows(.int2, .int8)
    for index in incomplete {
      wanted.add(node.hash.shard(of: recipients[index].recipient.name))
      wanted.add(recipients[index].row)
    }
    var parts: [UInt32: [RequestPart]] = [:]
    try query(
      """
      SELECT q.recipient, q.part, q.requests FROM \(wanted.unnested) AS u(shard, recipient)
      JOIN request q ON q.shard = u.shard AND q.recipient = u.recipient ORDER BY q.part
      """, wanted.arrays
    ) { row in
      let part = try RequestPart(
        key: row.integer(1), decoding: Array(row.bytes(2)), row: .same)
      parts[UInt32(truncatingIfNeeded: row.integer(0)), default: []].append(part)
    }
    for index in incomplete {
      try recipients[index].recipient.add(parts[recipients[index].row] ?? [])
    }
  }

  private static let replaceRequests =
    PostgresTable.request.insertion
    + " ON CONFLICT (part, shard) DO UPDATE SET requests = excluded.requests"

  /// Writes the rows of `request` that have changed, and deletes those that are no longer used.
  func saveRequests(of recipients: [StoredRecipient]) throws {
    var unusedParts: [Int64] = []
    var changedRows = PostgresTable.request.rows
    for stored in recipients where stored.hasUnsavedFacts {
      let requests = stored.recipient.facts.requests
      unusedParts += requests.rowsToDelete
      for part in requests.rows where part.row != .same {
        changedRows.add(try owned(stored.recipient.name))
        changedRows.add(part.key)
        changedRows.add(stored.row)
        changedRows.add(part.bytes)
      }
    }
    if !unusedParts.isEmpty {
      try write("DELETE FROM request WHERE part = ANY($1)", [.integers(unusedParts)])
    }
    guard !changedRows.isEmpty else { return }
    try write(Self.replaceRequests, changedRows.arrays)
  }
}
