import CivilTime
import Reminders
import Store

extension StoreTransaction {
  /// Saves changes to retries, in the order of `DeliveryChanges`.
  func saveRetries(_ changes: DeliveryChanges) throws {
    let lane = statements.lane
    for key in changes.ended { try run(lane.deleteRetry, of: key) }
    for waiting in changes.waiting { try insert(waiting) }
    for key in changes.dispatched {
      lane.setHolder.bind(3, lane.boot)
      try run(lane.setHolder, of: key)
    }
    for key in changes.requeued { try run(lane.clearHolder, of: key) }
    for (key, due) in changes.postponed {
      lane.postponeRetry.bind(3, due.milliseconds)
      try run(lane.postponeRetry, of: key)
    }
  }

  private func run(_ statement: HotStatement, of key: DeliveryChanges.Key) throws {
    statement.bind(1, key.notification)
    statement.bind(2, Int64(key.channel.rawValue))
    try statement.run()
  }

  private func insert(_ waiting: DeliveryChanges.Waiting) throws {
    let (insert, retry) = (statements.lane.insertRetry, waiting.retry)
    insert.bind(1, retry.delivery.notification)
    insert.bind(2, Int64(retry.delivery.channel.rawValue))
    insert.bind(3, retry.sink)
    insert.bind(4, Int64(retry.attempts))
    insert.bind(5, waiting.due?.milliseconds)
    insert.bind(6, waiting.reason)
    insert.bind(7, Int64(retry.deaths))
    insert.bind(8, retry.delivery.withdrawnAt?.milliseconds)
    try insert.run()
  }

  /// Returns retries of a sink that are due and not in flight.
  ///
  /// - Parameter batchMax: returns how many retries a batch may have if one of them was in flight
  ///   at this number of crashes.
  func dueRetries(
    of sink: String, now: Instant, limit: Int, batchMax: (_ deaths: Int) -> Int
  ) throws -> [Retry] {
    var retries: [Retry] = []
    let select = statements.lane.dueRetries
    select.bind(3, sink)
    select.bind(1, now.milliseconds)
    select.bind(2, Int64(limit))
    var countMax = limit
    defer { select.reset() }
    while try select.step() {
      guard let retry = try retry(select) else { continue }
      countMax = min(countMax, batchMax(retry.deaths))
      guard retries.count < countMax else { break }
      retries.append(retry)
    }
    return retries
  }

  /// Reads a retry; returns nil if this version has no such channel.
  func retry(_ columns: HotStatement) throws -> Retry? {
    let first = DeliveryRow.columnCount
    let channel = Channel(rawValue: UInt8(truncatingIfNeeded: columns.integer(first + 1)))
    guard let channel else { return nil }
    var delivery = try DeliveryRow(columns).delivery(on: channel, of: statements.instance)
    if let withdrawn = columns.optionalInteger(first + 4) {
      delivery.withdraw(at: Instant(milliseconds: withdrawn))
    }
    return Retry(
      sink: columns.text(first), delivery: delivery,
      attempts: Int(columns.integer(first + 2)), deaths: Int(columns.integer(first + 3)))
  }

  /// Moves the due times of all retries earlier by the span.
  func shiftRetries(by span: TimeSpan) throws {
    statements.lane.shiftRetries.bind(1, span.milliseconds)
    try statements.lane.shiftRetries.run()
  }

  func nextRetries(of sinks: [String]) throws -> [String: Instant] {
    var next: [String: Instant] = [:]
    for sink in sinks {
      statements.lane.nextRetry.bind(1, sink)
      let due = try statements.lane.nextRetry.first { $0.optionalInteger(0) } ?? nil
      next[sink] = due.map { Instant(milliseconds: $0) }
    }
    return next
  }

  func retryCount(of sink: String, limit: Int) throws -> Int {
    statements.lane.countRetries.bind(1, sink)
    statements.lane.countRetries.bind(2, Int64(limit))
    return try statements.lane.countRetries.first { Int($0.integer(0)) } ?? 0
  }

  // MARK: - Fallback channels

  /// Returns the channels that a notification was sent on or will be sent on, including fallbacks.
  func channels(of notification: Int64) throws -> ChannelSet {
    try row(of: notification)?.allChannels ?? []
  }
}
