package import CivilTime
package import Reminders

/// What may be asked of the store within one transaction, in the domain's words.
package struct StoreTransaction {
  let statements: Statements

  init(_ statements: Statements) {
    self.statements = statements
  }
}

/// A recipient with what the store knows beside them.
package struct StoredRecipient: Sendable {
  package var row: UInt32
  package var recipient: Recipient
  /// The latest event's row, the head of the chain through all of the recipient's events.
  package var lastEvent: Int64
  /// How much was pending when the schedule was last written.
  package var pending: Int
  /// When the schedule says that something is due.
  package var due: Instant?
  /// What of the recipient, beside how far they have come, is not in the store yet.
  package var news = News.none

  package enum News: Sendable {
    case none, facts, everything
  }

  /// Notes that the facts are not as the store has them.
  package mutating func haveNewFacts() {
    if news == .none { news = .facts }
  }

  /// What they have been told, counted.
  package var ledger = Ledger()
}

// MARK: - Recipients

extension StoreTransaction {
  package func recipient(named name: String) throws -> StoredRecipient? {
    statements.recipientByName.bind(1, name)
    return try statements.recipientByName.first(read)
  }

  package func recipient(row: UInt32) throws -> StoredRecipient? {
    statements.recipientByRow.bind(1, Int64(row))
    return try statements.recipientByRow.first(read)
  }

  /// The recipients of some names, in the order of their rows; those that are not there are left
  /// out. Many at a time take half of what they take one by one.
  package func recipients(named names: [String]) throws -> [StoredRecipient] {
    let names = names.sorted()
    var rows: [UInt32] = []
    try statements.bulk.rowsByName.rows(names.count) { select, position, index in
      select.bind(position, names[index])
    } read: { columns in
      rows.append(UInt32(truncatingIfNeeded: columns.integer(0)))
    }
    rows.sort()
    return try recipients(rows: rows[...])
  }

  /// The recipients of some rows, which are in ascending order, each once; those that are not there
  /// are left out. Rows that are near each other are read in one go.
  package func recipients(rows: ArraySlice<UInt32>) throws -> [StoredRecipient] {
    guard let first = rows.first, let last = rows.last else { return [] }
    var recipients: [StoredRecipient] = []
    recipients.reserveCapacity(rows.count)
    guard Int(last - first) < rows.count * Self.density else {
      try statements.bulk.recipientsByRow.rows(rows.count) { select, position, index in
        select.bind(position, Int64(rows[rows.startIndex + index]))
      } read: { columns in
        guard columns.integer(0) != recipients.last.map({ Int64($0.row) }) else { return }
        recipients.append(try read(columns))
      }
      return recipients
    }
    var wanted = rows
    statements.recipientsBetween.bind(1, Int64(first))
    statements.recipientsBetween.bind(2, Int64(last))
    try statements.recipientsBetween.rows { columns in
      wanted = wanted.drop { Int64($0) < columns.integer(0) }
      guard let next = wanted.first, Int64(next) == columns.integer(0) else { return }
      recipients.append(try read(columns))
    }
    return recipients
  }

  /// To pass over so many rows takes less time than to look for one.
  private static let density = 8

  private func read(_ columns: HotStatement) throws -> StoredRecipient {
    let facts = try Facts(decoding: columns.bytes(2))
    let progress = try Progress(decoding: columns.bytes(4))
    return StoredRecipient(
      row: UInt32(truncatingIfNeeded: columns.integer(0)),
      recipient: Recipient(name: columns.text(1), facts: facts, progress: progress),
      lastEvent: columns.integer(3), pending: Int(columns.integer(5)),
      due: columns.optionalInteger(6).map { Instant(milliseconds: $0) }, ledger: ledger(columns))
  }

  private func ledger(_ columns: HotStatement) -> Ledger {
    var ledger = Ledger()
    ledger.head = columns.integer(7)
    ledger.recent = Int(columns.integer(8))
    ledger.items = Int(columns.integer(9))
    ledger.unread = Int(columns.integer(10))
    ledger.cleared = columns.integer(11)
    return ledger
  }

  /// Gives a recipient who is not there yet a row, which `save` writes.
  package func admit(_ recipient: Recipient) -> StoredRecipient {
    let row = statements.nextRecipient
    statements.nextRecipient += 1
    return StoredRecipient(
      row: UInt32(truncatingIfNeeded: row), recipient: recipient, lastEvent: 0, pending: 0,
      due: nil, news: .everything)
  }

  /// Writes recipients, whose rows ascend: their facts if there is news, how far each has come, and
  /// the outlook of each.
  package func save(_ recipients: [StoredRecipient], _ outlooks: [Outlook]) throws {
    var admitted: [Int] = []
    for index in recipients.indices {
      switch recipients[index].news {
      case .none: break
      case .facts: try saveFacts(recipients[index])
      case .everything: admitted.append(index)
      }
    }
    _ = try statements.insertRecipients.run(admitted.count) { insert, place in
      let index = admitted[place]
      insert.bind(1, Int64(recipients[index].row))
      insert.bind(2, recipients[index].recipient.name)
      insert.bind(3, recipients[index].recipient.facts.encoded)
      insert.bind(4, recipients[index].lastEvent)
    }
    try saveProgress(of: recipients, outlooks)
  }

  func saveFacts(_ stored: StoredRecipient) throws {
    let update = statements.updateFacts
    update.bind(1, Int64(stored.row))
    update.bind(2, stored.recipient.facts.encoded)
    update.bind(3, stored.lastEvent)
    try update.run()
  }

  private func saveProgress(of recipients: [StoredRecipient], _ outlooks: [Outlook]) throws {
    _ = try statements.replaceSchedules.run(recipients.count) { replace, index in
      replace.bind(1, Int64(recipients[index].row))
      replace.bind(2, outlooks[index].due?.milliseconds)
      replace.bind(3, Int64(outlooks[index].pending))
      replace.bind(4, recipients[index].recipient.progress.encoded)
      bind(recipients[index].ledger, to: replace)
    }
  }

  private func bind(_ ledger: Ledger, to replace: HotStatement) {
    replace.bind(5, ledger.head)
    replace.bind(6, Int64(ledger.recent))
    replace.bind(7, Int64(ledger.items))
    replace.bind(8, Int64(ledger.unread))
    replace.bind(9, ledger.cleared)
  }

  /// Every recipient's schedule, in the order of their rows.
  package func forEachSchedule(_ body: (UInt32, Outlook) -> Void) throws {
    try statements.allSchedules.rows { columns in
      let due = columns.optionalInteger(1).map { Instant(milliseconds: $0) }
      body(
        UInt32(truncatingIfNeeded: columns.integer(0)),
        Outlook(due: due, pending: Int(columns.integer(2))))
    }
  }
}

// MARK: - Notes

extension StoreTransaction {
  /// A word that the service keeps for itself, such as what its schedules were planned with.
  package func note(_ key: String) throws -> String? {
    statements.meta.bind(1, key)
    return try statements.meta.first { $0.text(0) }
  }

  package func saveNote(_ key: String, _ value: String) throws {
    statements.upsertMeta.bind(1, key)
    statements.upsertMeta.bind(2, value)
    try statements.upsertMeta.run()
  }
}
