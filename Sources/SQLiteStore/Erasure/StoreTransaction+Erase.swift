import Access
import CivilTime
import GRDB
import Reminders
import Store

extension StoreTransaction {
  /// The key of the note (a row of `meta`) with the instant since which files have to be cleaned of
  /// erased data.
  static let erasureNote = "erasure"

  /// Removes a recipient with all their data and notifications (rule H4).
  ///
  /// The identity hashes of the recipient's events remain, to recognize repetitions. Keyed hashes
  /// of the name remain with the time of the erasure, so that older events do not recreate the
  /// recipient. None of the removed numbers is assigned again.
  ///
  /// Cost: a few lookups for each event and each notification of the recipient.
  ///
  /// - Parameter time: when the erasure was requested.
  func erase(_ stored: StoredRecipient, at time: Instant) throws {
    try saveNote("next notification", "\(statements.nextNotification)")
    try saveNote("next recipient", "\(statements.nextRecipient)")
    try saveNote("next message", "\(statements.nextMessage)")
    statements.uncommittedErasure = statements.erasureOpen ?? statements.uncommittedErasure ?? time
    try saveNote(Self.erasureNote, "\((statements.uncommittedErasure ?? time).milliseconds)")
    try clearNotifications(of: stored)
    let base = try factBases(of: [stored.row])[stored.row]
    for statement in statements.erasure.clearRecipient {
      statement.bind(1, Int64(stored.row))
      try statement.run()
    }
    let scope = AccessScope.recipient(stored.recipient.name)
    statements.tokens.deleteOfScope.bind(1, scope.text)
    try statements.tokens.deleteOfScope.run()
    try clearEvents(of: stored, with: base)
    try saveTombstone(of: stored.recipient.name, at: time)
  }

  func eraseTexts(
    of notifications: [Int64], events: [Int64: [UInt8]], of stored: StoredRecipient
  ) throws {
    for number in notifications { try emptyMessage(of: number) }
    guard !events.isEmpty else { return }
    try writeArrivals()
    for (order, data) in events {
      let replace = statements.erasure.replaceData
      statements.eventByRow.bind(1, order)
      let isFound = try statements.eventByRow.first { row in
        try EventRow(row).bind(data: data, to: replace)
        return true
      }
      if isFound == true { try replace.run() }
    }
  }

  /// Removes the texts from a notification's message, unless other recipients share the message.
  private func emptyMessage(of number: Int64) throws {
    let select = statements.history.notification
    select.bind(1, number)
    let found = try select.first { columns in
      let row = try NotificationRow(columns).message
      return (
        row, try MessageRow.message(columns, from: NotificationRow.columnCount, number: row)
      )
    }
    guard let (row, message) = found else { return }
    let clear = statements.erasure.clearMessage
    clear.bind(1, row)
    try clear.run()
    guard clear.changes > 0 else { return }
    MessageRow.bind(message.emptied, number: row, hash: nil, to: statements.messages.insert)
    try statements.messages.insert.run()
  }

  func erasures(of names: [String]) throws -> [String: Instant] {
    guard statements.erasure.hasTombstones else { return [:] }
    var erasures: [String: Instant] = [:]
    for name in names { erasures[name] = try erasure(of: name) }
    return erasures
  }

  private func erasure(of name: String) throws -> Instant? {
    let select = statements.erasure.tombstone
    let hash = statements.hash.name(name)
    select.bind(1, hash.first)
    select.bind(2, hash.rest)
    return try select.first { Instant(milliseconds: $0.integer(0)) }
  }

  /// Clears the recipient's notifications, following their chain from the latest one back. A shared
  /// message consists only of the catalog's words, so it stays for other recipients.
  private func clearNotifications(of stored: StoredRecipient) throws {
    try clearNotifications(from: stored.counts.head, of: stored.row)
    // The chain on disk may be longer: `stored` may have been read before the latest notification
    // was recorded.
    try clearNotifications(from: latestNotification(of: stored.row) ?? 0, of: stored.row)
  }

  private func clearNotifications(from latest: Int64, of recipient: UInt32) throws {
    var notification = latest
    while notification != 0 {
      guard let link = try link(of: notification, recipient) else { return }
      for statement in statements.erasure.clearNotification {
        statement.bind(1, notification)
        try statement.run()
      }
      statements.erasure.clearMessage.bind(1, link.message)
      try statements.erasure.clearMessage.run()
      notification = link.previous
    }
  }

  /// Clears the recipient's events, following their chains back. A waiting request's event may stay
  /// behind removed events without a chain that leads to it.
  private func clearEvents(of stored: StoredRecipient, with base: FactBase?) throws {
    try writeArrivals()
    let requests = stored.recipient.facts.requests.keys
    // The identity of a cleared event is no longer known, so an event is visited once.
    var cleared: Set<Int64> = []
    for head in stored.eventHeads(with: base) + requests {
      var event = head
      while event != 0, cleared.insert(event).inserted {
        try writeIdentity(of: event)
        event = try clearEvent(event)
      }
    }
  }

  /// Clears an event, except its number and its identity.
  ///
  /// - Returns: the number of the recipient's previous event; 0 if there is none.
  private func clearEvent(_ event: Int64) throws -> Int64 {
    statements.eventByRow.bind(1, event)
    let found = try statements.eventByRow.first { row in
      let event = try EventRow(row)
      let rest = statements.hash.secondEventHash(source: event.source, identifier: event.identifier)
      return (rest, event.previous)
    }
    guard let (rest, previous) = found else { return 0 }
    EventRow.bind(event, secondIdentityHash: rest, toClear: statements.erasure.clearEvent)
    try statements.erasure.clearEvent.run()
    return previous
  }

  private func saveTombstone(of name: String, at time: Instant) throws {
    let upsert = statements.erasure.upsertTombstone
    let hash = statements.hash.name(name)
    upsert.bind(1, hash.first)
    upsert.bind(2, hash.rest)
    upsert.bind(3, time.milliseconds)
    try upsert.run()
    statements.erasure.hasTombstones = true
  }
}
