package import CivilTime
package import Reminders

/// How far a sink's lane has come, as it is on disk.
package struct StoredLane: Hashable, Sendable {
  /// Up to which notification the sink has answered for everything on its channels.
  package var place: Int64
  /// The channels of which it was the first choice.
  package var channels: ChannelSet
  /// The last notification that the sink may have been handed.
  package var handed: Int64

  package init(place: Int64, channels: ChannelSet, handed: Int64) {
    self.place = place
    self.channels = channels
    self.handed = handed
  }
}

extension StoreTransaction {
  package func lanes() throws -> [String: StoredLane] {
    var lanes: [String: StoredLane] = [:]
    try statements.lane.all.rows { columns in
      lanes[columns.text(0)] = StoredLane(
        place: columns.integer(1),
        channels: ChannelSet(rawValue: UInt8(truncatingIfNeeded: columns.integer(2))),
        handed: columns.integer(3))
    }
    return lanes
  }

  /// Makes a lane anew, or says what it carries from now on.
  package func save(_ lane: StoredLane, of sink: String) throws {
    try savePlace(of: sink, through: lane.place)
    statements.lane.saveChannels.bind(1, sink)
    statements.lane.saveChannels.bind(2, Int64(lane.channels.rawValue))
    try statements.lane.saveChannels.run()
    try saveHanded(of: sink, through: lane.handed)
  }

  package func deleteLane(of sink: String) throws {
    statements.lane.delete.bind(1, sink)
    try statements.lane.delete.run()
  }

  /// The latest number that a notification was given, be it still there or not; 0 if none was.
  package var lastNotification: Int64 { statements.nextNotification - 1 }

  package func savePlace(of sink: String, through notification: Int64) throws {
    statements.lane.savePlace.bind(1, sink)
    statements.lane.savePlace.bind(2, notification)
    try statements.lane.savePlace.run()
  }

  /// The deliveries of notifications after one, at most so many notifications of them, in order.
  ///
  /// - Returns: the deliveries, and the last notification looked at, or nil if there was none.
  package func deliveries(
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

  // MARK: - Other routes than before

  /// Makes retries, due now, of what a lane on a channel had before it.
  ///
  /// - Parameter sink: whose they are now; nil makes dead letters of them.
  package func moveBacklog(
    of channel: Channel, after place: Int64, from old: String, to sink: String?, now: Instant
  ) throws {
    // What is in the inbox needs nobody to carry it.
    guard sink != nil || channel != .inapp else { return }
    let move = statements.lane.moveBacklog
    move.bind(1, Int64(channel.rawValue))
    move.bind(2, sink ?? old)
    move.bind(3, sink == nil ? nil : now.milliseconds)
    move.bind(4, sink == nil ? Self.uncarried(channel) : "")
    move.bind(5, place)
    try move.run()
  }

  /// The sinks that have retries on a channel which are not with them.
  package func carriers() throws -> [(sink: String, channel: Channel)] {
    var carriers: [(sink: String, channel: Channel)] = []
    try statements.lane.carriers.rows { columns in
      guard let channel = Channel(rawValue: UInt8(truncatingIfNeeded: columns.integer(1))) else {
        return
      }
      carriers.append((columns.text(0), channel))
    }
    return carriers
  }

  /// Gives another sink what one has in retry on a channel and was not handed; nil makes dead
  /// letters of it.
  package func moveRetries(
    of sink: String, on channel: Channel, to other: String?
  ) throws {
    let move = other == nil ? statements.lane.endRetries : statements.lane.moveRetries
    move.bind(1, sink)
    move.bind(2, Int64(channel.rawValue))
    move.bind(3, other ?? Self.uncarried(channel))
    try move.run()
  }

  private static func uncarried(_ channel: Channel) -> String {
    "no sink carries \(channel.name) any more"
  }

  /// Forgets what gates hold of those that a lane is going to read again, as it had not come past
  /// them.
  ///
  /// - Returns: whether there was any.
  package func forgetHeld(
    of sink: String, after place: Int64, on channels: ChannelSet
  ) throws -> Bool {
    statements.lane.forgetHeld.bind(1, sink)
    statements.lane.forgetHeld.bind(2, place)
    statements.lane.forgetHeld.bind(3, Int64(channels.rawValue))
    try statements.lane.forgetHeld.run()
    return statements.lane.forgetHeld.changes > 0
  }
}
