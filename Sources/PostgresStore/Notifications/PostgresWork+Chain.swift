import CivilTime
import Postgres
import Reminders
import Store

/// A link of a recipient's chain of notifications.
struct ChainLink {
  /// The number of the notification.
  let number: Int64
  /// The number of the recipient's previous notification; 0 for the first.
  let previous: Int64
  /// The number of the notification's message.
  let message: Int64
}

/// The chain of one recipient's notifications, from the latest backwards.
extension PostgresWork {
  /// Returns the links of a recipient's chain from a notification backwards, by one query.
  ///
  /// - Parameters:
  ///   - first: the notification to begin with.
  ///   - end: notifications up to this number are not returned.
  func links(
    of recipient: UInt32, from first: Int64, downTo end: Int64, limit: Int
  ) throws -> [ChainLink] {
    guard first > end, limit > 0 else { return [] }
    return try rows(
      """
      WITH RECURSIVE chain AS (
        SELECT n.id, n.shard, n.previous, n.message, 1::bigint AS depth FROM notification n
        WHERE n.id = $1 AND n.recipient = $2
        UNION ALL
        SELECT n.id, n.shard, n.previous, n.message, c.depth + 1 FROM chain c
        JOIN notification n ON n.id = c.previous AND n.shard = c.shard
        WHERE n.recipient = $2 AND c.previous > $3 AND c.previous < c.id AND c.depth < $4
      )
      SELECT id, previous, message FROM chain ORDER BY depth
      """, [.integer(first), .integer(recipient), .integer(end), .integer(limit)]
    ) { ChainLink(number: $0.integer(0), previous: $0.integer(1), message: $0.integer(2)) }
  }

  func chain(
    of recipient: UInt32, from first: Int64?, downTo end: Int64, limit: Int
  ) throws -> NotificationChain {
    let first = try first ?? head(of: recipient) ?? 0
    let found = try links(of: recipient, from: first, downTo: end, limit: limit)
    let numbers = found.map(\.number)
    let next = found.last?.previous ?? first
    guard numbers.count < limit, next > end else {
      return NotificationChain(numbers: numbers, end: .next(next))
    }
    return NotificationChain(numbers: numbers + [next], end: .broken)
  }

  /// Returns a recipient's latest notification: 0 if there is none, nil for a removed recipient.
  func head(of recipient: UInt32) throws -> Int64? {
    try rows("SELECT head FROM schedule WHERE recipient = $1", [.integer(recipient)]) {
      $0.integer(0)
    }.first
  }

  func latestNotification() throws -> Int64 {
    try rows("SELECT max(value::bigint) FROM meta WHERE key LIKE '\(Self.latestNote)%'") {
      $0.integer(0)
    }.first ?? 0
  }

  func drops(of stored: StoredRecipient, after last: Int64) throws -> [DroppedOccurrence] {
    let chain = try links(
      of: stored.row, from: stored.counts.head, downTo: last, limit: .max)
    let found = try rows(of: Set(chain.map(\.number)))
    return chain.reversed().compactMap { found[$0.number] }.filter { $0.outcome == .dropped }
      .map { row in
        DroppedOccurrence(
          reminder: row.reminder, key: row.key,
          channelGroupNumber: UInt8(truncatingIfNeeded: row.channelGroup), planned: row.planned,
          round: row.round)
      }
  }

  // MARK: - Corrections of a wrong clock (rule T11)

  /// Changes the keys of a recipient's occurrences, except if another occurrence keeps the new key.
  func renameOccurrences(
    of stored: StoredRecipient, after first: Instant, _ keys: [Int64: Int64]
  ) throws {
    _ = try owned(stored.recipient.name)
    let chain = try links(of: stored.row, from: stored.counts.head, downTo: 0, limit: .max)
    let found = try rows(of: Set(chain.map(\.number)))
    let rows = chain.compactMap { found[$0.number] }.prefix { $0.at > first }
    let targets = rows.compactMap { row in
      keys[row.key].map { Occurrence(reminder: row.reminder, key: $0, row: row.recipient) }
    }
    let renames = Renames(rows, keys, among: try self.rows(of: Set(targets)))
    // A row may get the key that another row has now. So all rows first get temporary keys.
    for statement in ["-9223372036854775807 + n.id", "u.key"] {
      try write(
        renames.rows, "id, key", "UPDATE notification n SET occurrence = \(statement) FROM",
        "WHERE n.id = u.id")
    }
  }
}

/// The notifications that get other occurrence keys.
private struct Renames {
  private struct Identity: Hashable {
    let occurrence: Occurrence
    let channelGroup: Int64
  }

  /// The numbers of the notifications, each with its new key.
  private(set) var rows = PostgresRows(.int8, .int8)

  /// - Parameters:
  ///   - candidates: the notifications to rename, the latest first. Of two with the same new key,
  ///     the first gets it.
  ///   - keys: the new keys by the old ones.
  ///   - others: the notifications that have one of the new keys.
  init(
    _ candidates: some Sequence<NotificationRow>, _ keys: [Int64: Int64],
    among others: [NotificationRow]
  ) {
    func identity(_ row: NotificationRow, _ key: Int64) -> Identity {
      let occurrence = Occurrence(
        reminder: row.reminder, key: key, row: row.recipient, round: row.round)
      return Identity(occurrence: occurrence, channelGroup: row.channelGroup)
    }
    var used = Set(others.map { identity($0, $0.key) })
    for row in candidates {
      guard let key = keys[row.key], used.insert(identity(row, key)).inserted else { continue }
      used.remove(identity(row, row.key))
      rows.add(row.number)
      rows.add(key)
    }
  }
}
