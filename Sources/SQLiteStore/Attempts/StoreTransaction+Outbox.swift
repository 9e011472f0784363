import CivilTime
import Reminders
import Store

/// Changes to many lanes and deliveries at a time.
extension StoreTransaction {
  func save(_ changes: DeliveryChanges) throws {
    try insertFirstAttempts(changes.firstAttempts)
    try insertLaterAttempts(changes.laterAttempts)
    try insertReports(changes.reports)
    try insertWithdrawals(changes.withdrawals)
    try applyVerdicts(changes.verdicts)
    for (notification, channel) in changes.fallbacks {
      try change(notification) { $0.fallback.insert(ChannelSet(channel)) }
    }
    try saveRetries(changes)
  }

  func recorded(among notifications: [Int64]) throws -> Set<Int64> {
    try Set(notifications.filter(isRecorded))
  }

  func replaced(among deliveries: [Delivery]) throws -> Set<Int64> {
    let select = statements.history.laterRound
    let replaced = try deliveries.filter { delivery in
      select.bind(1, Int64(delivery.occurrenceName.code))
      select.bind(2, delivery.key)
      select.bind(3, Int64(delivery.row))
      select.bind(4, delivery.round)
      return try select.first { _ in true } ?? false
    }
    return Set(replaced.map(\.notification))
  }

  func channelProgress(
    of notifications: [Int64]
  ) throws -> [Int64: ChannelProgress] {
    var channelProgress: [Int64: ChannelProgress] = [:]
    for notification in notifications {
      guard let row = try row(of: notification) else { continue }
      channelProgress[notification] = ChannelProgress(
        channels: row.allChannels, dropped: try droppedChannels(of: notification))
    }
    return channelProgress
  }

  func save(lanes: [String: StoredLane]) throws {
    for (sink, lane) in lanes { try save(lane, of: sink) }
  }

  func deleteLanes(of sinks: [String]) throws {
    for sink in sinks { try deleteLane(of: sink) }
  }

  func save(_ progress: [LaneProgress]) throws {
    for lane in progress {
      if let cursor = lane.cursor { try saveCursor(of: lane.sink, through: cursor) }
      if let lastDispatched = lane.lastDispatched {
        try saveLastDispatched(of: lane.sink, through: lastDispatched)
      }
    }
  }

  func backlogs(of lanes: [String: Int64?], limit: Int) throws -> [String: LaneBacklog] {
    var backlogs: [String: LaneBacklog] = [:]
    for (sink, cursor) in lanes {
      var backlog = LaneBacklog()
      backlog.retrying = try retryCount(of: sink, limit: limit)
      backlog.deadLetters = try deadLetterCount(of: sink, limit: limit)
      backlog.oldestRetry = try oldestRetry(of: sink, limit: limit)
      backlog.oldestDelivery = try cursor.flatMap(oldestDelivery)
      backlogs[sink] = backlog
    }
    return backlogs
  }
}
