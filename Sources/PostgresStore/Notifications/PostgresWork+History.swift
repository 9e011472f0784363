import CivilTime
import Postgres
import Reminders
import Store

/// Queries about past notifications and their deliveries.
extension PostgresWork {
  /// A notification with its message.
  struct NotificationWithMessage {
    let row: NotificationRow
    let message: Message
  }

  /// Returns notifications by number, with their messages. Missing notifications are omitted.
  func notificationsWithMessages(_ numbers: [Int64]) throws -> [Int64: NotificationWithMessage] {
    guard !numbers.isEmpty else { return [:] }
    var found: [Int64: NotificationWithMessage] = [:]
    try query(
      """
      SELECT \(NotificationRow.columns), \(MessageRow.columns)
      FROM notification n JOIN message m ON m.id = n.message WHERE n.id = ANY($1)
      """, [.integers(numbers)]
    ) { columns in
      let row = try NotificationRow(columns)
      let message = MessageRow.message(columns, from: NotificationRow.columnCount)
      found[row.number] = NotificationWithMessage(row: row, message: message)
    }
    return found
  }

  func notifications(_ numbers: [Int64]) throws -> [Int64: StoredNotification] {
    try notificationsWithMessages(numbers).compactMapValues { found in
      let row = found.row
      guard let channelGroup = ChannelGroup(rawValue: UInt8(truncatingIfNeeded: row.channelGroup))
      else { return nil }
      var past = PastNotification(
        identifier: identifier(of: row.number), reminder: row.reminder, key: row.key,
        round: row.round, channelGroup: channelGroup, planned: row.planned, at: row.at,
        expiry: row.expiry, outcome: row.outcome, channels: row.channels, isSilent: row.isSilent,
        trace: row.trace,
        message: found.message)
      past.hints = row.hints
      return StoredNotification(past, row: row.recipient)
    }
  }

  func notifications(of occurrences: [OccurrenceKey]) throws -> [Int64?] {
    let wanted = Set(
      occurrences.map { Occurrence(reminder: $0.reminder, key: $0.key, row: $0.row) })
    let found = Dictionary(grouping: try rows(of: wanted), by: \.occurrence)
    return occurrences.map { key in
      let occurrence = Occurrence(
        reminder: key.reminder, key: key.key, row: key.row, round: key.round)
      return found[occurrence]?.first { $0.channelGroup == Int64(key.channelGroup.number) }?.number
    }
  }

  func notifications(of reminder: Symbol, key: Int64, row: UInt32) throws -> [Int64] {
    try rows(of: [Occurrence(reminder: reminder, key: key, row: row)])
      .filter { $0.outcome != .dropped }.map(\.number).sorted()
  }

  func notifications(
    of recipient: UInt32, after number: Int64, limit: Int
  ) throws -> (notifications: [RecordedNotification], last: Int64?) {
    let chain = try links(
      of: recipient, from: try head(of: recipient) ?? 0, downTo: number, limit: .max)
    let numbers = Array(chain.map(\.number).reversed().prefix(limit))
    let (found, retries, attempts) = try (
      notificationsWithMessages(numbers), recordedRetries(of: numbers), attempts(of: numbers)
    )
    let notifications = numbers.compactMap { number in
      found[number].map { recordedNotification($0, retries[number] ?? [], attempts[number] ?? []) }
    }
    return (notifications, numbers.last)
  }

  private func recordedNotification(
    _ found: NotificationWithMessage, _ retries: [RecordedNotification.Retry], _ attempts: [Attempt]
  ) -> RecordedNotification {
    let row = found.row
    var notification = RecordedNotification(
      identifier: identifier(of: row.number), planned: row.planned, at: row.at, expiry: row.expiry,
      outcome: row.outcome, channels: row.channels, isSilent: row.isSilent, trace: row.trace,
      message: found.message, retries: retries)
    notification.attempts = attempts
    return notification
  }

  func deliveryStates(of notifications: [Int64]) throws -> [Int64: [DeliveryState]] {
    let lanes = try lanes(of: notifications)
    let rows = try rows(of: Set(notifications))
    let retries = try recordedRetries(of: notifications)
    let attempts = try attempts(of: notifications)
    var states: [Int64: [DeliveryState]] = [:]
    for number in notifications {
      let trail = DeliveryTrail(
        notification: number, channels: rows[number]?.allChannels ?? [],
        retries: retries[number] ?? [], attempts: attempts[number] ?? [])
      states[number] = trail.states(lanes(number))
    }
    return states
  }

  func deliveries(
    of notifications: [Int64], to recipient: UInt32
  ) throws -> [Int64: [Delivery]] {
    guard !notifications.isEmpty else { return [:] }
    var found: [Int64: [Delivery]] = [:]
    try query(
      """
      SELECT \(DeliveryRow.columns) FROM notification n \(DeliveryRow.joins)
      WHERE n.id = ANY($1) AND n.recipient = $2
      """, [.integers(notifications), .integer(recipient)]
    ) { columns in
      let row = try DeliveryRow(columns)
      found[row.notification.number] = row.deliveries(on: .all, of: node.instance)
    }
    return found
  }
}
