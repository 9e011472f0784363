import CivilTime
import GRDB
import Reminders
import Store

extension StoreTransaction {
  /// Returns a recipient's events, the latest first.
  ///
  /// - Parameter first: the event to begin with, such as the recipient's last.
  /// - Returns: the events, and the event to continue with; 0 if there is none.
  func events(
    of recipient: UInt32, from first: Int64, limit: Int
  ) throws -> (events: [PastEvent], next: Int64) {
    var events: [PastEvent] = []
    var next = first
    while next != 0, events.count < limit {
      statements.export.event.bind(1, next)
      statements.export.event.bind(2, Int64(recipient))
      next =
        try statements.export.event.first { columns in
          let row = try EventRow(columns)
          events.append(event(row))
          return row.previous
        } ?? 0
    }
    return (events, next)
  }

  private func event(_ row: EventRow) -> PastEvent {
    PastEvent(
      identifier: row.identifier, source: row.source, type: row.type, time: row.time,
      received: row.received, data: row.data)
  }

  /// Returns a recipient's notifications after the given number, in the order in which they were
  /// recorded. Cost: a lookup for each of the recipient's notifications after the number.
  ///
  /// - Returns: the notifications, and the number of the last one, which is nil if there are none.
  func notifications(
    of recipient: UInt32, after number: Int64, limit: Int
  ) throws -> (notifications: [RecordedNotification], last: Int64?) {
    var notifications: [RecordedNotification] = []
    let numbers = try chain(of: recipient, after: number).reversed().prefix(limit)
    for number in numbers {
      statements.history.notification.bind(1, number)
      let select = statements.history.notification
      guard var recorded = try select.first(notification) else { continue }
      recorded.retries = try retries(of: number)
      recorded.attempts = try attempts(of: number)
      notifications.append(recorded)
    }
    return (notifications, numbers.last)
  }

  /// Returns the numbers of a recipient's notifications after the given one, the latest first.
  private func chain(of recipient: UInt32, after number: Int64) throws -> [Int64] {
    var numbers: [Int64] = []
    var current = try latestNotification(of: recipient) ?? 0
    while current > number, let link = try link(of: current, recipient) {
      numbers.append(current)
      current = link.previous
    }
    return numbers
  }

  /// Returns a notification's message, and the recipient's previous notification; nil if the
  /// notification is missing or another recipient's.
  func link(
    of notification: Int64, _ recipient: UInt32
  ) throws -> (previous: Int64, message: Int64)? {
    statements.stream.row.bind(1, notification)
    statements.stream.row.bind(2, Int64(recipient))
    return try statements.stream.row.first { columns in
      // Reads the whole row to verify its checksum: a damaged link could make the chain a circle.
      let row = try NotificationRow(columns)
      return (row.link.previous, row.message)
    }
  }

  private func notification(_ columns: HotStatement) throws -> RecordedNotification {
    let row = try NotificationRow(columns)
    return RecordedNotification(
      identifier: identifier(of: row.number), planned: row.planned, at: row.at, expiry: row.expiry,
      outcome: row.outcome, channels: row.channels, isSilent: row.isSilent, trace: row.trace,
      message: try MessageRow.message(
        columns, from: NotificationRow.columnCount, number: row.message),
      retries: [])
  }

  /// Returns the retries and dead letters of a notification, without withdrawals.
  func retries(of number: Int64) throws -> [RecordedNotification.Retry] {
    var retries: [RecordedNotification.Retry] = []
    statements.export.retries.bind(1, number)
    try statements.export.retries.rows { columns in
      guard let channel = Channel(rawValue: UInt8(truncatingIfNeeded: columns.integer(1))) else {
        return
      }
      retries.append(
        RecordedNotification.Retry(
          sink: columns.text(0), channel: channel, attempts: Int(columns.integer(2)),
          due: columns.optionalInteger(3).map { Instant(milliseconds: $0) },
          reason: columns.text(4)))
    }
    return retries
  }
}

/// The prepared statements that read everything about one recipient.
final class ExportStatements {
  /// Selects an event of a recipient.
  let event: HotStatement
  /// Selects the retries and dead letters of a notification, without withdrawals.
  let retries: HotStatement

  init(_ database: Database) throws {
    event = try HotStatement(
      database, "SELECT \(EventRow.columns) FROM event WHERE id = ?1 AND recipient = ?2")
    retries = try HotStatement(
      database,
      """
      SELECT sink, channel, attempts, due, reason FROM retry
      WHERE notification = ?1 AND \(RetryRow.isIntact()) AND withdrawn IS NULL
      """)
  }
}
