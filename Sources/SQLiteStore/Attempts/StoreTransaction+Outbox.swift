import CivilTime
import Reminders
import Store

/// What is written of lanes and deliveries, many at a time.
extension StoreTransaction {
  func keep(_ changes: DeliveryChanges) throws {
    try keepFirst(changes.firstAttempts)
    for attempt in changes.laterAttempts { try keepNext(attempt) }
    for verdict in changes.verdicts {
      try settle(verdict.notification, outcome: verdict.outcome, trace: verdict.trace)
    }
    for (notification, channel) in changes.fallbacks { try addFallback(channel, to: notification) }
    for key in changes.ended { try deleteRetry(key) }
    for waiting in changes.waiting {
      try saveRetry(waiting.retry, due: waiting.due, reason: waiting.reason)
    }
    for key in changes.handed { try markRetry(key) }
    for key in changes.returned { try unmarkRetry(key) }
    for (key, due) in changes.postponed { try postpone(key, until: due) }
  }

  func recorded(among notifications: [Int64]) throws -> Set<Int64> {
    try Set(notifications.filter(isRecorded))
  }

  func standings(
    of notifications: [Int64]
  ) throws -> [Int64: DeliveryStanding] {
    var standings: [Int64: DeliveryStanding] = [:]
    for notification in notifications {
      guard let row = try row(of: notification) else { continue }
      standings[notification] = DeliveryStanding(
        channels: row.allChannels, dropped: try droppedChannels(of: notification))
    }
    return standings
  }

  func save(lanes: [String: StoredLane]) throws {
    for (sink, lane) in lanes { try save(lane, of: sink) }
  }

  func deleteLanes(of sinks: [String]) throws {
    for sink in sinks { try deleteLane(of: sink) }
  }

  func save(_ progress: [LaneProgress]) throws {
    for lane in progress {
      if let place = lane.place { try savePlace(of: lane.sink, through: place) }
      if let handed = lane.handed { try saveHanded(of: lane.sink, through: handed) }
    }
  }

  func nextRetries(of sinks: [String]) throws -> [String: Instant] {
    var next: [String: Instant] = [:]
    for sink in sinks { next[sink] = try nextRetry(of: sink) }
    return next
  }

  func backlogs(of lanes: [String: Int64?]) throws -> [String: LaneBacklog] {
    var backlogs: [String: LaneBacklog] = [:]
    for (sink, place) in lanes {
      var backlog = LaneBacklog()
      backlog.retrying = try retryCount(of: sink)
      backlog.deadLetters = try deadLetterCount(of: sink)
      backlog.oldestRetry = try oldestRetry(of: sink)
      backlog.oldestDelivery = try place.flatMap(oldestDelivery)
      backlogs[sink] = backlog
    }
    return backlogs
  }
}
