import CivilTime
import GRDB
import Reminders
import Store

/// Queries about past notifications and events, with a lookup for each row.
extension StoreTransaction {
  func notifications(_ numbers: [Int64]) throws -> [Int64: StoredNotification] {
    var found: [Int64: StoredNotification] = [:]
    for number in numbers { found[number] = try notification(number) }
    return found
  }

  private func notification(_ notification: Int64) throws -> StoredNotification? {
    let select = statements.history.notification
    select.bind(1, notification)
    return try select.first { columns in
      let row = try NotificationRow(columns)
      guard let channelGroup = ChannelGroup(rawValue: UInt8(truncatingIfNeeded: row.channelGroup))
      else { return nil }
      var past = PastNotification(
        identifier: identifier(of: notification), reminder: row.reminder, key: row.key,
        round: row.round, channelGroup: channelGroup, planned: row.planned, at: row.at,
        expiry: row.expiry, outcome: row.outcome, channels: row.channels, isSilent: row.isSilent,
        trace: row.trace,
        message: try MessageRow.message(
          columns, from: NotificationRow.columnCount, number: row.message))
      past.hints = row.hints
      return StoredNotification(past, row: row.recipient)
    } ?? nil
  }

  func notifications(of occurrences: [OccurrenceKey]) throws -> [Int64?] {
    let select = statements.history.notificationOfOccurrence
    return try occurrences.map { occurrence in
      select.bind(1, Int64(occurrence.reminder.code))
      select.bind(2, occurrence.key)
      select.bind(3, Int64(occurrence.row))
      select.bind(4, Int64(occurrence.channelGroup.number))
      select.bind(5, occurrence.round)
      return try select.first { $0.integer(0) }
    }
  }

  func notifications(of reminder: Symbol, key: Int64, row: UInt32) throws -> [Int64] {
    let select = statements.history.notificationsNotDropped
    select.bind(1, Int64(reminder.code))
    select.bind(2, key)
    select.bind(3, Int64(row))
    select.bind(4, Int64(Outcome.dropped.rawValue))
    var numbers: [Int64] = []
    try select.rows { numbers.append($0.integer(0)) }
    return numbers
  }

  /// Returns a recipient's events received up to an instant, in the order of arrival. Cost: one
  /// lookup for each event of the recipient.
  ///
  /// - Parameters:
  ///   - last: the recipient's latest event.
  ///   - limit: the maximum number of events to read. If there are more, or if one is missing, the
  ///     result is nil.
  func events(
    through last: Int64, receivedBy end: Instant, limit: Int
  ) throws -> [StoredEvent]? {
    var events: [StoredEvent] = []
    var next = last
    for _ in 0..<limit where next != 0 {
      let select = statements.eventByRow
      select.bind(1, next)
      guard let (event, previous) = try select.first(storedEvent) else { return nil }
      if event.received <= end { events.append(event) }
      next = previous
    }
    return next == 0 ? events.reversed() : nil
  }

  func events(orders: [Int64]) throws -> [StoredEvent] {
    try writeArrivals()
    return try orders.compactMap { order in
      statements.eventByRow.bind(1, order)
      return try statements.eventByRow.first(storedEvent)?.event
    }
  }

  /// Returns the occurrences of a recipient that were dropped after a notification. Cost: one
  /// lookup for each later notification of the recipient.
  func drops(
    of stored: StoredRecipient, after last: Int64
  ) throws -> [DroppedOccurrence] {
    var drops: [DroppedOccurrence] = []
    var next = stored.counts.head
    while next > last, let row = try row(of: next) {
      next = row.link.previous
      guard row.outcome == .dropped else { continue }
      drops.append(
        DroppedOccurrence(
          reminder: row.reminder, key: row.key,
          channelGroupNumber: UInt8(truncatingIfNeeded: row.channelGroup),
          planned: row.planned, round: row.round))
    }
    return drops.reversed()
  }

  /// Reads an event, and the arrival number of the recipient's previous event (0 if there is none).
  func storedEvent(_ columns: HotStatement) throws -> (event: StoredEvent, previous: Int64) {
    let row = try EventRow(columns)
    let event = StoredEvent(
      order: row.number, received: row.received, source: row.source, identifier: row.identifier,
      type: row.type, time: row.time, isTimeGiven: row.isTimeGiven, data: row.data)
    return (event, row.previous)
  }

  func deliveryStates(
    of notifications: [Int64]
  ) throws -> [Int64: [DeliveryState]] {
    let lanes = try lanes()
    var states: [Int64: [DeliveryState]] = [:]
    for notification in notifications {
      let trail = DeliveryTrail(
        notification: notification, channels: try channels(of: notification),
        retries: try retries(of: notification), attempts: try attempts(of: notification))
      states[notification] = trail.states(lanes)
    }
    return states
  }
}

/// The prepared statements for queries about the past.
final class HistoryStatements {
  /// Selects a notification with its message.
  let notification: HotStatement
  /// Selects the notification of an occurrence in a channel group.
  let notificationOfOccurrence: HotStatement
  /// Selects the notifications of an occurrence in any channel group and round, without dropped
  /// ones.
  let notificationsNotDropped: HotStatement
  /// Selects whether an occurrence has a notification of a later round. A snooze of a delivered
  /// occurrence begins its next round.
  let laterRound: HotStatement
  /// `rename` and `correctEvent` replace keys and times that were recorded while the clock was
  /// wrong.
  let rename: HotStatement
  let correctEvent: HotStatement

  init(_ database: Database) throws {
    func prepare(_ sql: String) throws -> HotStatement { try HotStatement(database, sql) }
    notification = try prepare(
      """
      SELECT \(NotificationRow.columns), \(MessageRow.columns)
      FROM notification n JOIN message m ON m.id = n.message WHERE n.id = ?1
      """)
    notificationOfOccurrence = try prepare(
      """
      SELECT id FROM notification
      WHERE reminder = ?1 AND occurrence = ?2 AND recipient = ?3 AND channel_group = ?4
        AND round = ?5
      """)
    notificationsNotDropped = try prepare(
      """
      SELECT id FROM notification
      WHERE reminder = ?1 AND occurrence = ?2 AND recipient = ?3 AND outcome <> ?4 ORDER BY id
      """)
    laterRound = try prepare(
      """
      SELECT 1 FROM notification
      WHERE reminder = ?1 AND occurrence = ?2 AND recipient = ?3 AND round > ?4 LIMIT 1
      """)
    rename = try prepare(NotificationRow.rename)
    correctEvent = try prepare(EventRow.correct)
  }
}
