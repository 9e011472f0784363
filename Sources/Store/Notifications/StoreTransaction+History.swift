package import CivilTime
import GRDB
package import Reminders

/// What can be asked of what is past; for people, one at a time.
extension StoreTransaction {
  /// A notification, and the row of the recipient whose it is.
  package func notification(
    _ notification: Int64
  ) throws -> (past: PastNotification, row: UInt32)? {
    let select = statements.history.notification
    select.bind(1, notification)
    return try select.first { columns in
      let row = try NotificationRow(columns)
      guard let channelGroup = ChannelGroup(rawValue: UInt8(truncatingIfNeeded: row.channelGroup))
      else { return nil }
      let past = PastNotification(
        identifier: identifier(of: notification), reminder: row.reminder, key: row.key,
        channelGroup: channelGroup, planned: row.planned, at: row.at, expiry: row.expiry,
        outcome: row.outcome,
        channels: row.channels, isSilent: row.isSilent, trace: row.trace,
        caption: try MessageRow.caption(
          columns, from: NotificationRow.columnCount, number: row.message))
      return (past, row.recipient)
    } ?? nil
  }

  /// The notification of an occurrence, if it has an outcome.
  package func notification(
    of reminder: Symbol, key: Int64, row: UInt32, channelGroup: ChannelGroup
  ) throws -> Int64? {
    let select = statements.history.notificationOfOccurrence
    select.bind(1, Int64(reminder.code))
    select.bind(2, key)
    select.bind(3, Int64(row))
    select.bind(4, Int64(channelGroup.place))
    return try select.first { $0.integer(0) }
  }

  /// A recipient's events that were received up to an instant, in the order in which they came in.
  /// Cost: one look-up for each event of the recipient.
  ///
  /// - Parameters:
  ///   - last: the latest of all.
  ///   - limit: how many are looked at; of whom there are more there is no answer.
  package func events(
    through last: Int64, receivedBy end: Instant, limit: Int
  ) throws -> [KeptEvent]? {
    var events: [KeptEvent] = []
    var next = last
    for _ in 0..<limit where next != 0 {
      let select = statements.eventByRow
      select.bind(1, next)
      guard let (event, previous) = try select.first(kept) else { return nil }
      if event.received <= end { events.append(event) }
      next = previous
    }
    return next == 0 ? events.reversed() : nil
  }

  /// An event by its place in the order of arrival; nil if it is not kept any more.
  package func event(order: Int64) throws -> KeptEvent? {
    try writeArrivals()
    statements.eventByRow.bind(1, order)
    return try statements.eventByRow.first(kept)?.event
  }

  /// The occurrences of a recipient that were dropped after a notification. Cost: one look-up for
  /// each notification of the recipient since.
  package func drops(
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
          trackPlace: UInt8(truncatingIfNeeded: row.channelGroup),
          planned: row.planned))
    }
    return drops.reversed()
  }

  private func kept(_ columns: HotStatement) throws -> (event: KeptEvent, previous: Int64) {
    let row = try EventRow(columns)
    let event = KeptEvent(
      order: row.number, received: row.received, source: row.source, identifier: row.identifier,
      type: row.type, time: row.time, isTimeGiven: row.isTimeGiven, data: row.data)
    return (event, row.previous)
  }

  /// How far a notification that went out has come on each of its channels, at the sink that has
  /// it, with what became of its attempts.
  package func deliveryStates(of notification: Int64) throws -> [DeliveryState] {
    let waiting = try waitingStates(of: notification)
    let attempts = try attempts(of: notification)
    let lanes = try lanes()
    return try channels(of: notification).channels.compactMap { channel in
      let own = attempts.filter { $0.channel == channel }
      var state =
        waiting.first { $0.channel == channel } ?? state(channel, notification, own, lanes)
      state?.attempts = own
      return state
    }
  }

  private func waitingStates(of notification: Int64) throws -> [DeliveryState] {
    var states: [DeliveryState] = []
    statements.history.retries.bind(1, notification)
    try statements.history.retries.rows { columns in
      let channel = Channel(rawValue: UInt8(truncatingIfNeeded: columns.integer(1)))
      guard let channel else { return }
      let (attempts, reason) = (Int(columns.integer(2)), columns.text(4))
      let due = columns.optionalInteger(3).map { Instant(milliseconds: $0) }
      let progress: DeliveryState.Progress =
        due.map { .retrying(attempts: attempts, due: $0, reason: reason) }
        ?? .dead(attempts: attempts, reason: reason)
      states.append(DeliveryState(sink: columns.text(0), channel: channel, progress: progress))
    }
    return states
  }

  /// Of what waits nowhere: where it went; nil if nothing carries its channel.
  private func state(
    _ channel: Channel, _ notification: Int64, _ attempts: [Attempt], _ lanes: [String: StoredLane]
  ) -> DeliveryState? {
    if let last = attempts.last {
      let progress: DeliveryState.Progress =
        switch last.verdict {
        case .delivered: .handedOver
        case .dropped: .dropped(reason: last.reason)
        case .retry, .rejected: .failed(reason: last.reason)
        }
      return DeliveryState(sink: last.sink, channel: channel, progress: progress)
    }
    return lanes.first { $0.value.channels.contains(ChannelSet(channel)) }.map { sink, lane in
      DeliveryState(
        sink: sink, channel: channel,
        progress: lane.place >= notification ? .handedOver : .waiting)
    }
  }
}

/// The prepared statements for what people ask of what is past.
final class HistoryStatements {
  let notification: HotStatement
  let notificationOfOccurrence: HotStatement
  let retries: HotStatement

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
      """)
    retries = try prepare(
      "SELECT sink, channel, attempts, due, reason FROM retry WHERE notification = ?1")
  }
}
