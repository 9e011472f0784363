import CivilTime
import Reminders
import Store

extension StoreTransaction {
  /// Keeps a delivery to be attempted again; a dead letter if it is not due any more. It waits
  /// nowhere else then.
  func saveRetry(_ retry: Retry, due: Instant?, reason: String) throws {
    let insert = statements.lane.insertRetry
    insert.bind(1, retry.delivery.notification)
    insert.bind(2, Int64(retry.delivery.channel.rawValue))
    insert.bind(3, retry.sink)
    insert.bind(4, Int64(retry.attempts))
    insert.bind(5, due?.milliseconds)
    insert.bind(6, reason)
    insert.bind(7, Int64(retry.deaths))
    try insert.run()
  }

  func deleteRetry(_ delivery: DeliveryChanges.Key) throws {
    statements.lane.deleteRetry.bind(1, delivery.notification)
    statements.lane.deleteRetry.bind(2, Int64(delivery.channel.rawValue))
    try statements.lane.deleteRetry.run()
  }

  /// Notes that a sink is about to be handed a retry.
  func markRetry(_ delivery: DeliveryChanges.Key) throws {
    statements.lane.markRetry.bind(1, delivery.notification)
    statements.lane.markRetry.bind(2, Int64(delivery.channel.rawValue))
    statements.lane.markRetry.bind(3, statements.lane.boot)
    try statements.lane.markRetry.run()
  }

  /// Notes that the sink does not have a retry that it was handed.
  func unmarkRetry(_ delivery: DeliveryChanges.Key) throws {
    statements.lane.unmarkRetry.bind(1, delivery.notification)
    statements.lane.unmarkRetry.bind(2, Int64(delivery.channel.rawValue))
    try statements.lane.unmarkRetry.run()
  }

  /// Those that are due, but for what is with a sink.
  ///
  /// - Parameter batchMax: how many may come together with one that was there at so many deaths.
  func dueRetries(
    of sink: String, now: Instant, limit: Int, batchMax: (_ deaths: Int) -> Int
  ) throws -> [Retry] {
    var retries: [Retry] = []
    let select = statements.lane.dueRetries
    select.bind(3, sink)
    select.bind(1, now.milliseconds)
    select.bind(2, Int64(limit))
    var most = limit
    defer { select.reset() }
    while try select.step() {
      guard let retry = try retry(select) else { continue }
      most = min(most, batchMax(retry.deaths))
      guard retries.count < most else { break }
      retries.append(retry)
    }
    return retries
  }

  func retry(_ columns: HotStatement) throws -> Retry? {
    let first = DeliveryRow.columnCount
    let channel = Channel(rawValue: UInt8(truncatingIfNeeded: columns.integer(first + 1)))
    guard let channel else { return nil }
    let row = try DeliveryRow(columns)
    return Retry(
      sink: columns.text(first), delivery: row.delivery(on: channel, of: statements.instance),
      attempts: Int(columns.integer(first + 2)), deaths: Int(columns.integer(first + 3)))
  }

  /// Lets every retry be due so much earlier.
  func shiftRetries(by span: TimeSpan) throws {
    statements.lane.shiftRetries.bind(1, span.milliseconds)
    try statements.lane.shiftRetries.run()
  }

  /// When the next retry of a sink is due that no sink has.
  func nextRetry(of sink: String) throws -> Instant? {
    statements.lane.nextRetry.bind(1, sink)
    let due = try statements.lane.nextRetry.first { $0.optionalInteger(0) } ?? nil
    return due.map { Instant(milliseconds: $0) }
  }

  func retryCount(of sink: String) throws -> Int {
    statements.lane.countRetries.bind(1, sink)
    return try statements.lane.countRetries.first { Int($0.integer(0)) } ?? 0
  }

  // MARK: - Channels that take over

  /// The channels that a notification has gone out on, or is going to, in whichever way.
  func channels(of notification: Int64) throws -> ChannelSet {
    try row(of: notification)?.allChannels ?? []
  }

  /// Notes that a channel takes over from one that has failed.
  func addFallback(_ channel: Channel, to notification: Int64) throws {
    try change(notification) { $0.fallback.insert(ChannelSet(channel)) }
  }
}
