import CivilTime
import Reminders
import Store

extension StoreTransaction {
  func lanes() throws -> [String: StoredLane] {
    var lanes: [String: StoredLane] = [:]
    try statements.lane.all.rows { columns in
      let row = try LaneRow(columns)
      lanes[row.sink] = row.lane
    }
    return lanes
  }

  /// Returns the lane of a sink; nil if there is none.
  func lane(of sink: String) throws -> LaneRow? {
    statements.lane.ofSink.bind(1, sink)
    return try statements.lane.ofSink.first { try LaneRow($0) }
  }

  func save(_ row: LaneRow) throws {
    row.bind(to: statements.lane.save)
    try statements.lane.save.run()
  }

  /// Creates or replaces the lane of a sink.
  func save(_ lane: StoredLane, of sink: String) throws {
    try save(LaneRow(sink, lane))
  }

  func deleteLane(of sink: String) throws {
    statements.lane.delete.bind(1, sink)
    try statements.lane.delete.run()
  }

  /// The highest notification number that was assigned, even if that notification was removed; 0 if
  /// none was assigned.
  var lastNotification: Int64 { statements.nextNotification - 1 }

  func notificationCount(after notification: Int64) throws -> Int {
    statements.lane.countAfter.bind(1, notification)
    return try statements.lane.countAfter.first { Int($0.integer(0)) } ?? 0
  }

  /// Saves the cursor of a sink's lane, and creates the lane if there is none.
  func saveCursor(of sink: String, through notification: Int64) throws {
    var row = try lane(of: sink) ?? LaneRow(sink, through: notification)
    row.lane.cursor = notification
    try save(row)
  }

  /// Returns the deliveries after a notification, in order, from at most `limit` notifications.
  ///
  /// - Returns: the deliveries, and the last notification that was read, which is nil if there was
  ///   none.
  func deliveries(
    after notification: Int64, limit: Int, on wanted: ChannelSet
  ) throws -> (deliveries: [Delivery], through: Int64?) {
    var deliveries: [Delivery] = []
    var through: Int64?
    let select = statements.lane.deliveriesAfter
    select.bind(1, notification)
    select.bind(2, Int64(limit))
    try select.rows { columns in
      let row = try DeliveryRow(columns)
      through = row.notification.number
      guard row.notification.isDelivered else { return }
      for channel in row.notification.channels.intersection(wanted).channels {
        deliveries.append(row.delivery(on: channel, of: statements.instance))
      }
    }
    return (deliveries, through)
  }

  // MARK: - Changed routes

  /// Turns the queued deliveries of a lane on a channel into retries that are due now.
  ///
  /// - Parameters:
  ///   - old: the lane's sink.
  ///   - sink: the sink that gets the retries. If nil, they become dead letters, except on the
  ///     channel `inapp`.
  func moveBacklog(
    of channel: Channel, after cursor: Int64, from old: String, to sink: String?, now: Instant
  ) throws {
    // The inbox needs no sink.
    guard sink != nil || channel != .inapp else { return }
    let move = statements.lane.moveBacklog
    move.bind(1, Int64(channel.rawValue))
    move.bind(2, sink ?? old)
    move.bind(3, sink == nil ? nil : now.milliseconds)
    move.bind(4, sink == nil ? DeadLetter.noSinkReason(channel) : "")
    move.bind(5, cursor)
    try move.run()
  }

  /// Returns each pair of a sink and a channel for which there are retries that are not in flight.
  func retryPairs() throws -> [(sink: String, channel: Channel)] {
    var retryPairs: [(sink: String, channel: Channel)] = []
    try statements.lane.retryPairs.rows { columns in
      guard let channel = Channel(rawValue: UInt8(truncatingIfNeeded: columns.integer(1))) else {
        return
      }
      retryPairs.append((columns.text(0), channel))
    }
    return retryPairs
  }

  /// Moves retries of a sink on a channel to another sink, except retries in flight.
  ///
  /// - Parameter other: the new sink; if nil, the retries become dead letters.
  func moveRetries(
    of sink: String, on channel: Channel, to other: String?
  ) throws {
    // A withdrawal is for the service that accepted the delivery, and for no other.
    statements.lane.deleteWithdrawals.bind(1, sink)
    statements.lane.deleteWithdrawals.bind(2, Int64(channel.rawValue))
    try statements.lane.deleteWithdrawals.run()
    let move = other == nil ? statements.lane.endRetries : statements.lane.moveRetries
    move.bind(1, sink)
    move.bind(2, Int64(channel.rawValue))
    move.bind(3, other ?? DeadLetter.noSinkReason(channel))
    try move.run()
  }

  /// Deletes retries of notifications after a lane's cursor, such as deliveries that a gate holds
  /// back. The lane will read these notifications again. Dead letters and retries on fallback
  /// channels stay.
  ///
  /// - Returns: whether there were such retries.
  func deleteRetries(
    of sink: String, after cursor: Int64, on channels: ChannelSet
  ) throws -> Bool {
    statements.lane.deleteRetries.bind(1, sink)
    statements.lane.deleteRetries.bind(2, cursor)
    statements.lane.deleteRetries.bind(3, Int64(channels.rawValue))
    try statements.lane.deleteRetries.run()
    return statements.lane.deleteRetries.changes > 0
  }
}
