import Postgres
import Reminders
import Store

/// Requests that do not fit into the row with the facts.
extension PostgresWork {
  /// Adds the rows to which recipients' facts refer, with one query for all recipients. Most
  /// recipients have no such rows.
  func complete(_ recipients: inout [StoredRecipient]) throws {
    let lacking = recipients.indices.filter {
      recipients[$0].recipient.facts.requests.rowsMissing > 0
    }
    guard !lacking.isEmpty else { return }
    var wanted = PostgresRows(.int2, .int8)
    for index in lacking {
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
    for index in lacking {
      try recipients[index].recipient.add(parts[recipients[index].row] ?? [])
    }
  }

  private static let replaceRequests =
    PostgresTable.request.insertion
    + " ON CONFLICT (part, shard) DO UPDATE SET requests = excluded.requests"

  /// Writes the rows that have changed.
  func saveRequests(of recipients: [StoredRecipient]) throws {
    var unused: [Int64] = []
    var changed = PostgresTable.request.rows
    for stored in recipients where stored.hasNews {
      let requests = stored.recipient.facts.requests
      unused += requests.rowsToDelete
      for part in requests.rows where part.row != .same {
        changed.add(try owned(stored.recipient.name))
        changed.add(part.key)
        changed.add(stored.row)
        changed.add(part.bytes)
      }
    }
    if !unused.isEmpty {
      try write("DELETE FROM request WHERE part = ANY($1)", [.integers(unused)])
    }
    guard !changed.isEmpty else { return }
    try write(Self.replaceRequests, changed.arrays)
  }
}
