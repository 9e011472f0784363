package import CivilTime
package import Reminders

/// What sinks may have when the service ends.
extension StoreTransaction {
  private static let bootNote = "boot"
  private static let stopNote = "stop"

  /// Counts another start of the service; what is handed over from now on bears its number.
  ///
  /// - Returns: whether the start before was told to stop.
  package func beginBoot() throws -> Bool {
    let last = try note(Self.bootNote)
    let wasStopped = try last != nil && last == note(Self.stopNote)
    statements.lane.boot = (last.flatMap { Int64($0) } ?? 0) + 1
    try saveNote(Self.bootNote, "\(statements.lane.boot)")
    return wasStopped
  }

  /// Notes that this start is told to stop: what sinks have not answered for is not to blame.
  package func noteStop() throws {
    try saveNote(Self.stopNote, "\(statements.lane.boot)")
  }

  /// Notes that a sink is about to be handed everything up to a notification.
  package func saveHanded(of sink: String, through notification: Int64) throws {
    statements.lane.saveHanded.bind(1, sink)
    statements.lane.saveHanded.bind(2, notification)
    statements.lane.saveHanded.bind(3, statements.lane.boot)
    try statements.lane.saveHanded.run()
  }

  /// Makes retries, due now, of what sinks were handed by an earlier start and never answered for.
  ///
  /// - Parameter isDeath: whether the service died of something.
  /// - Returns: how many of each sink.
  package func takeOrphans(now: Instant, isDeath: Bool) throws -> [String: Int] {
    var orphans: [String: Int] = [:]
    try statements.lane.countHandedRetries.rows { orphans[$0.text(0)] = Int($0.integer(1)) }
    statements.lane.orphanRetries.bind(1, isDeath ? 1 : 0)
    try statements.lane.orphanRetries.run()
    for (sink, lane) in try lanes() where lane.handed > lane.place {
      for channel in lane.channels.channels {
        orphans[sink, default: 0] += try takeOrphans(
          of: sink, lane, channel, now: now, isDeath: isDeath)
      }
      try savePlace(of: sink, through: lane.handed)
    }
    return orphans.filter { $0.value > 0 }
  }

  private func takeOrphans(
    of sink: String, _ lane: StoredLane, _ channel: Channel, now: Instant, isDeath: Bool
  ) throws -> Int {
    let take = statements.lane.orphanHanded
    take.bind(1, Int64(channel.rawValue))
    take.bind(2, sink)
    take.bind(3, now.milliseconds)
    take.bind(4, isDeath ? 1 : 0)
    take.bind(5, lane.place)
    take.bind(6, lane.handed)
    try take.run()
    return take.changes
  }

  /// The retries that sinks had at so many deaths of the service or more.
  package func suspects(deaths: Int) throws -> [Retry] {
    var suspects: [Retry] = []
    statements.lane.suspects.bind(1, Int64(deaths))
    try statements.lane.suspects.rows { columns in
      if let suspect = try retry(columns) { suspects.append(suspect) }
    }
    return suspects
  }

  /// Lets a retry be due no sooner than at an instant.
  package func postpone(_ delivery: Delivery, until due: Instant) throws {
    let postpone = statements.lane.postponeRetry
    postpone.bind(1, delivery.notification)
    postpone.bind(2, Int64(delivery.channel.rawValue))
    postpone.bind(3, due.milliseconds)
    try postpone.run()
  }
}
