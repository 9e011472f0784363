import CivilTime
import Postgres
import Reminders
import Store

extension PostgresWork {
  /// The beginning of each query for whole recipients.
  private static let select = "SELECT \(RecipientRow.columns) FROM"

  func recipient(named name: String) throws -> StoredRecipient? {
    var found = try rows(
      "\(Self.select) recipient r \(RecipientRow.join) WHERE r.name = $1 AND r.shard = $2",
      [.text(name), .integer(node.hash.shard(of: name))], RecipientRow.recipient)
    try complete(&found)
    return found.first
  }

  func recipient(row: UInt32) throws -> StoredRecipient? { try recipients(rows: [row]).first }

  func forEachRecipient(
    named names: [String], _ body: (consuming StoredRecipient) -> Void
  ) throws {
    guard !names.isEmpty else { return }
    var wanted = PostgresRows(.int2, .text)
    for name in Set(names.map(ExactText.init)) {
      wanted.add(node.hash.shard(of: name.text))
      wanted.add(name.text)
    }
    var found = try rows(
      """
      \(Self.select) \(wanted.unnested) AS u(shard, name)
      JOIN recipient r ON r.shard = u.shard AND r.name = u.name \(RecipientRow.join) ORDER BY r.id
      """, wanted.arrays, RecipientRow.recipient)
    try complete(&found)
    for stored in found { body(stored) }
  }

  func expect(rows: ArraySlice<UInt32>) throws {
    guard !rows.isEmpty else { return }
    let question = try connection.ask(
      Self.selectRows, [.integers(rows.lazy.map { Int64($0) })])
    prefetches.append((Array(rows), question))
  }

  func recipients(rows: ArraySlice<UInt32>) throws -> [StoredRecipient] {
    guard !rows.isEmpty else { return [] }
    var recipients: [StoredRecipient] = []
    recipients.reserveCapacity(rows.count)
    if let next = prefetches.first, next.rows.elementsEqual(rows) {
      prefetches.removeFirst()
      try connection.readAnswer(to: next.question) {
        recipients.append(try RecipientRow.recipient($0))
      }
    } else {
      try query(Self.selectRows, [.integers(rows.lazy.map { Int64($0) })]) {
        recipients.append(try RecipientRow.recipient($0))
      }
    }
    try complete(&recipients)
    return recipients
  }

  /// A query for the recipients with the row numbers $1, in order.
  private static let selectRows =
    "\(select) recipient r \(RecipientRow.join) WHERE r.id = ANY($1) ORDER BY r.id"

  func lastRecipient() throws -> UInt32 {
    try rows("SELECT max(id) FROM recipient") { UInt32(clamping: $0.integer(0)) }.first ?? 0
  }

  func recipients(
    beginningWith prefix: String, after last: String?, limit: Int
  ) throws -> [ListedRecipient] {
    let last = last ?? ""
    let isPrefixPassed = prefix.utf8.lexicographicallyPrecedes(last.utf8)
    let listed = try rows(
      """
      SELECT r.name, s.pending, s.due FROM recipient r \(RecipientRow.join)
      WHERE r.name >= $1 ORDER BY r.name LIMIT $2
      """, [.text(isPrefixPassed ? last : prefix), .integer(Int64(limit) + 1)]
    ) { row in
      ListedRecipient(name: row.text(0), pending: Int(row.integer(1)), due: row.instant(2))
    }
    let matching = listed.filter { entry in
      entry.name.utf8.starts(with: prefix.utf8) && !entry.name.utf8.elementsEqual(last.utf8)
    }
    return Array(matching.prefix(limit))
  }

  func forEachSchedule(
    in rows: ClosedRange<UInt32>, _ body: (UInt32, Schedule) -> Void
  ) throws {
    try query(
      """
      SELECT recipient, due, pending FROM schedule WHERE recipient BETWEEN $1 AND $2
      ORDER BY recipient
      """, [.integer(Int64(rows.lowerBound)), .integer(Int64(rows.upperBound))]
    ) { row in
      let schedule = Schedule(due: row.instant(1), pending: Int(row.integer(2)))
      body(UInt32(truncatingIfNeeded: row.integer(0)), schedule)
    }
  }

  // MARK: - Writing

  func admit(_ recipient: Recipient) -> StoredRecipient {
    var row: UInt32 = 0
    do {
      row = UInt32(clamping: try next(\.recipient))
      admitted.insert(row)
    } catch {
      failure = failure ?? error
    }
    return StoredRecipient(
      row: row, recipient: recipient, lastEvent: 0, pending: 0, due: nil, hasNews: true)
  }

  func save(_ recipients: [StoredRecipient], _ schedules: [Schedule]) throws {
    if let failure { throw failure }
    let (noRecipients, noSchedules) = (PostgresTable.recipient.rows, PostgresTable.schedule.rows)
    var (newRecipients, changedRecipients) = (noRecipients, noRecipients)
    var (newSchedules, changedSchedules) = (noSchedules, noSchedules)
    for (stored, schedule) in zip(recipients, schedules) {
      let shard = try owned(stored.recipient.name)
      if admitted.remove(stored.row) != nil {
        RecipientRow.add(stored, shard: shard, to: &newRecipients)
        RecipientRow.add(schedule, of: stored, shard: shard, to: &newSchedules)
      } else {
        if stored.hasNews { RecipientRow.add(stored, shard: shard, to: &changedRecipients) }
        RecipientRow.add(schedule, of: stored, shard: shard, to: &changedSchedules)
      }
    }
    try insert(newRecipients, into: .recipient)
    try insert(newSchedules, into: .schedule)
    try update(changedRecipients, changedSchedules)
    try saveRequests(of: recipients)
  }

  /// Replaces the rows of `recipient` and of `schedule` that are already in the store.
  private func update(_ recipients: PostgresRows, _ schedules: PostgresRows) throws {
    try write(
      recipients, PostgresTable.recipient.columnList,
      "UPDATE recipient r SET last_event = u.last_event, facts = u.facts FROM",
      "WHERE r.id = u.id AND r.shard = u.shard")
    try write(
      schedules, PostgresTable.schedule.columnList,
      """
      UPDATE schedule s SET due = u.due, pending = u.pending, head = u.head, recent = u.recent,
        items = u.items, unread = u.unread, cleared = u.cleared, progress = u.progress FROM
      """, "WHERE s.recipient = u.recipient AND s.shard = u.shard")
  }
}
