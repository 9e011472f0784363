import Access
import CivilTime
import Postgres
import Reminders
import Store

/// Erasures (rule H4). The rows are deleted at once; their old versions are removed by PostgreSQL's
/// vacuum.
extension PostgresWork {
  /// The key of the note that holds `erasureOpen`.
  static let erasureNote = "erasure"

  func erasures(of names: [String]) throws -> [String: Instant] {
    let mayBeErased = node.hasTombstones || hasTombstones || uncommittedErasure != nil
    guard mayBeErased, !names.isEmpty else { return [:] }
    var hashes = PostgresRows(.int8, .int8, .int8)
    for (index, name) in names.enumerated() {
      let hash = node.hash.name(name)
      hashes.add(index)
      hashes.add(hash.first)
      hashes.add(hash.rest)
    }
    var erasures: [String: Instant] = [:]
    try query(
      """
      SELECT u.index, t.time FROM \(hashes.unnested) AS u(index, name, rest)
      JOIN tombstone t ON t.name = u.name AND t.rest = u.rest
      """, hashes.arrays
    ) { row in
      erasures[names[Int(row.integer(0))]] = Instant(milliseconds: row.integer(1))
    }
    return erasures
  }

  func erase(_ stored: StoredRecipient, at time: Instant) throws {
    let name = stored.recipient.name
    _ = try owned(name)
    uncommittedErasure = node.erasureOpen ?? uncommittedErasure ?? time
    erasures += 1
    try saveNote(Self.erasureNote, "\((uncommittedErasure ?? time).milliseconds)")
    try eraseNotifications(of: stored)
    try eraseEvents(of: stored)
    try writeAnalytics()
    let selections = [
      "inbox WHERE recipient", "analytics_event WHERE recipient", "schedule WHERE recipient",
      "request WHERE recipient", "phone WHERE recipient", "fact_base WHERE recipient",
      "recipient WHERE id",
    ]
    for selection in selections {
      try write("DELETE FROM \(selection) = $1", [.integer(stored.row)])
    }
    try write("DELETE FROM refused WHERE recipient = $1", [.text(name)])
    let scope = AccessScope.recipient(name).text
    try write("DELETE FROM token WHERE scope = $1", [.text(scope)])
    let hash = node.hash.name(name)
    try write(
      """
      INSERT INTO tombstone VALUES ($1, $2, $3)
      ON CONFLICT (name, rest) DO UPDATE SET time = greatest(tombstone.time, excluded.time)
      """, [.integer(hash.first), .integer(hash.rest), .integer(time.milliseconds)])
  }

  func eraseTexts(
    of notifications: [Int64], events: [Int64: [UInt8]], of stored: StoredRecipient
  ) throws {
    _ = try owned(stored.recipient.name)
    try write(
      """
      UPDATE message
      SET title = '', body = '', details = '', members = '', discreet = '', discreet_channels = 0
      WHERE hash IS NULL AND id IN
        (SELECT message FROM notification WHERE id = ANY($1) AND recipient = $2)
      """, [.integers(notifications), .integer(stored.row)])
    guard !events.isEmpty else { return }
    try writeArrivals()
    var rows = PostgresRows(.int8, .bytea)
    for (order, data) in events {
      rows.add(order)
      rows.add(data)
    }
    try write(rows, "id, data", "UPDATE event e SET data = u.data FROM", "WHERE e.id = u.id")
    knownEvents = [:]
    arrivals.forget(stored.row)
  }

  /// Deletes a recipient's notifications. A message with only the catalog's words holds no personal
  /// data, and stays for other recipients.
  private func eraseNotifications(of stored: StoredRecipient) throws {
    // The latest notification that is known in memory may be older than the chain's head on disk.
    let heads = Set([stored.counts.head, try head(of: stored.row) ?? 0])
    for head in heads {
      let chain = try links(of: stored.row, from: head, downTo: 0, limit: .max)
      try delete(notifications: chain.map(\.number))
      try write(
        "DELETE FROM message WHERE id = ANY($1) AND hash IS NULL",
        [.integers(chain.map(\.message))])
    }
  }

  /// Deletes notifications with their retries and attempts, but not their messages.
  func delete(notifications numbers: [Int64]) throws {
    guard !numbers.isEmpty else { return }
    let tables = ["crash", "retry", "attempt"].map { $0 + " WHERE notification" }
    for rows in tables + ["notification WHERE id"] {
      try write("DELETE FROM \(rows) = ANY($1)", [.integers(numbers)])
    }
  }

  /// Empties the recipient's events. A waiting request's event may stay behind removed events
  /// without a chain that leads to it.
  private func eraseEvents(of stored: StoredRecipient) throws {
    let base = try factBases(of: [stored.row])[stored.row]
    let requests = stored.recipient.facts.requests.keys
    var events: [Int64: EventIdentity] = [:]
    for head in stored.eventHeads(with: base) + requests where events[head] == nil {
      for event in try eventChain(from: head) where !event.isErased {
        events[event.number] = event.identity
      }
    }
    var rests = PostgresRows(.int8, .int8)
    for (number, identity) in events {
      rests.add(number)
      rests.add(node.hash.event(identity).rest)
    }
    try write(
      rests, "id, rest",
      """
      UPDATE event e SET recipient = 0, previous = 0, time = u.rest, is_time_given = false,
        received = 0, source = '', identifier = '', type = '', data = '' FROM
      """, "WHERE e.id = u.id")
    knownEvents = [:]
    arrivals.forget(stored.row)
  }
}
