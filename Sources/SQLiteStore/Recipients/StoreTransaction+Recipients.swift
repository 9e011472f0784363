import CivilTime
import GRDB
import Reminders
import Store

extension StoreTransaction {
  func recipient(named name: String) throws -> StoredRecipient? {
    statements.recipientByName.bind(1, name)
    let stored = try statements.recipientByName.first(readRecipient)
    if let stored, ExactText(stored.recipient.name) != ExactText(name) {
      throw DamagedRow("recipient", Int64(stored.row))
    }
    return stored
  }

  func recipient(row: UInt32) throws -> StoredRecipient? {
    statements.recipientByRow.bind(1, Int64(row))
    return try statements.recipientByRow.first(readRecipient)
  }

  /// Reads the current row of a statement, and the recipient's rows in other tables.
  private func readRecipient(_ row: HotStatement) throws -> StoredRecipient {
    var stored = try RecipientRow.recipient(row)
    try statements.requests.complete(&stored)
    return stored
  }

  /// Calls `body` with the recipients that have these names, in the order of their rows. Missing
  /// recipients are omitted. Reading many recipients at a time halves the cost.
  func forEachRecipient(
    named names: [String], _ body: (consuming StoredRecipient) -> Void
  ) throws {
    let names = names.sorted()
    var rows: [UInt32] = []
    try statements.bulk.rowsByName.rows(names.count) { select, position, index in
      select.bind(position, names[index])
    } read: { columns in
      rows.append(UInt32(truncatingIfNeeded: columns.integer(0)))
    }
    rows.sort()
    try forEachRecipient(rows: rows[...], body)
  }

  /// Returns the recipients in these rows, which must ascend without repetition. Missing recipients
  /// are omitted.
  func recipients(rows: ArraySlice<UInt32>) throws -> [StoredRecipient] {
    var recipients: [StoredRecipient] = []
    recipients.reserveCapacity(rows.count)
    try forEachRecipient(rows: rows) { recipients.append($0) }
    return recipients
  }

  /// Reads the rows as one range if they are close together, and otherwise by one look-up each.
  private func forEachRecipient(
    rows: ArraySlice<UInt32>, _ body: (consuming StoredRecipient) -> Void
  ) throws {
    guard let first = rows.first, let last = rows.last else { return }
    guard first <= last, Int(last - first) < rows.count * Self.rowsScannedPerLookup else {
      var previous: Int64 = 0
      return try statements.bulk.recipientsByRow.rows(rows.count) { select, position, index in
        select.bind(position, Int64(rows[rows.startIndex + index]))
      } read: { columns in
        guard columns.integer(0) != previous else { return }
        previous = columns.integer(0)
        body(try readRecipient(columns))
      }
    }
    var remaining = rows
    statements.recipientsBetween.bind(1, Int64(first))
    statements.recipientsBetween.bind(2, Int64(last))
    try statements.recipientsBetween.rows { columns in
      remaining = remaining.drop { Int64($0) < columns.integer(0) }
      guard let next = remaining.first, Int64(next) == columns.integer(0) else { return }
      body(try readRecipient(columns))
    }
  }

  /// The number of rows that are read and skipped in less time than a look-up of one row.
  private static let rowsScannedPerLookup = 2

  /// Assigns a row to a new recipient; `save` writes the recipient.
  func admit(_ recipient: Recipient) -> StoredRecipient {
    let row = statements.nextRecipient
    statements.nextRecipient += 1
    statements.admitted.append(recipient.name)
    return StoredRecipient(
      row: UInt32(truncatingIfNeeded: row), recipient: recipient, lastEvent: 0, pending: 0,
      due: nil, hasUnsavedFacts: true)
  }

  /// Saves recipients, whose rows must ascend: the facts that have changed, the progress of all
  /// recipients, and their schedules.
  func save(_ recipients: [StoredRecipient], _ schedules: [Schedule]) throws {
    // Unlike the elements of an array, those of a span are not copied.
    let recipients = recipients.span
    let changed = recipients.indices.filter { recipients[$0].hasUnsavedFacts }
    _ = try statements.upsertRecipients.run(changed.count) { insert, offset in
      let index = changed[offset]
      RecipientRow.bind(recipients[index], to: insert)
    }
    for index in changed { try statements.requests.save(recipients[index]) }
    _ = try statements.replaceSchedules.run(recipients.count) { replace, index in
      ScheduleRow(recipients[index].row, schedules[index], recipients[index].counts)
        .bind(with: recipients[index].recipient.progress.encoded, to: replace)
    }
  }

  func forEachSchedule(
    in rows: ClosedRange<UInt32>, _ body: (UInt32, Schedule) -> Void
  ) throws {
    statements.schedulesBetween.bind(1, Int64(rows.lowerBound))
    statements.schedulesBetween.bind(2, Int64(rows.upperBound))
    try statements.withoutCaching {
      try statements.schedulesBetween.rows { columns in
        let schedule = try ScheduleRow(columns)
        body(UInt32(truncatingIfNeeded: schedule.recipient), schedule.next)
      }
    }
  }
}

extension StoreTransaction {
  /// Returns when the gates passed the first delivery after a notification; nil if there is none.
  /// Cost: reads each dropped notification between the two.
  func oldestDelivery(after notification: Int64) throws -> Instant? {
    statements.counts.oldestDelivery.bind(1, notification)
    return try statements.counts.oldestDelivery.first { Instant(milliseconds: $0.integer(0)) }
  }

  /// Returns when the gates passed the oldest of a sink's retries. Only the `limit` retries that
  /// are due first are considered.
  func oldestRetry(of sink: String, limit: Int) throws -> Instant? {
    statements.counts.oldestRetry.bind(1, sink)
    statements.counts.oldestRetry.bind(2, Int64(limit))
    return try statements.counts.oldestRetry.first { Instant(milliseconds: $0.integer(0)) }
  }

  func deadLetterCount(of sink: String, limit: Int) throws -> Int {
    statements.counts.deadLetters.bind(1, sink)
    statements.counts.deadLetters.bind(2, Int64(limit))
    return try statements.counts.deadLetters.first { Int($0.integer(0)) } ?? 0
  }
}

/// The prepared statements for monitoring.
final class CountStatements {
  /// Counts the dead letters of a sink.
  let deadLetters: HotStatement
  /// Selects when the gates passed the first delivery after a notification.
  let oldestDelivery: HotStatement
  /// Selects when the gates passed the oldest retry of a sink.
  let oldestRetry: HotStatement

  /// A condition for the retries of sink `?1`, without its dead letters. It is a range, because the
  /// dead letters come first in the index, and SQLite would otherwise visit each of them.
  static let isRetry = "sink = ?1 AND due >= \(Int64.min)"

  init(_ database: Database) throws {
    deadLetters = try HotStatement(
      database,
      "SELECT count(*) FROM (SELECT 1 FROM retry WHERE sink = ?1 AND due IS NULL LIMIT ?2)")
    oldestDelivery = try HotStatement(
      database, "SELECT at FROM notification WHERE id > ?1 AND outcome = 1 ORDER BY id LIMIT 1")
    oldestRetry = try HotStatement(
      database,
      """
      SELECT at FROM notification WHERE id = (SELECT min(notification) FROM (
        SELECT notification FROM retry WHERE \(Self.isRetry) ORDER BY due LIMIT ?2))
      """)
  }
}

extension StoreTransaction {
  func lastRecipient() throws -> UInt32 {
    try statements.lastRecipient.first { UInt32(clamping: $0.integer(0)) } ?? 0
  }

  func recipients(
    beginningWith prefix: String, after last: String?, limit: Int
  ) throws -> [ListedRecipient] {
    let last = last ?? ""
    let isPrefixPassed = prefix.utf8.lexicographicallyPrecedes(last.utf8)
    statements.recipientsFrom.bind(1, isPrefixPassed ? last : prefix)
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
