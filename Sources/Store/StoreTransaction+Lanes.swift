package import CivilTime
package import Reminders

/// A delivery that is attempted on its own after a failed attempt.
package struct Retry: Sendable {
  package var sink: String
  package var delivery: Delivery
  /// How many attempts have failed.
  package var attempts: Int

  package init(sink: String, delivery: Delivery, attempts: Int) {
    self.sink = sink
    self.delivery = delivery
    self.attempts = attempts
  }
}

extension StoreTransaction {
  /// Up to which notification each sink has been handed everything.
  package func places() throws -> [String: Int64] {
    var places: [String: Int64] = [:]
    try statements.lanes.rows { places[$0.text(0)] = $0.integer(1) }
    return places
  }

  /// Forgets a sink; what it had in retry, another has from now on.
  package func retire(sink: String, inFavourOf other: String) throws {
    statements.moveRetries.bind(1, sink)
    statements.moveRetries.bind(2, other)
    try statements.moveRetries.run()
    statements.deleteLane.bind(1, sink)
    try statements.deleteLane.run()
  }

  /// The latest number that a notification was given, be it still there or not; 0 if none was.
  package var lastNotification: Int64 { statements.nextNotification - 1 }

  package func savePlace(of sink: String, through notification: Int64) throws {
    statements.upsertLane.bind(1, sink)
    statements.upsertLane.bind(2, notification)
    try statements.upsertLane.run()
  }

  /// The deliveries of notifications after one, at most so many notifications of them, in order.
  ///
  /// - Parameter sink: whose retries and dead letters are left out.
  /// - Returns: the deliveries, and the last notification looked at, or nil if there was none.
  package func deliveries(
    after notification: Int64, limit: Int, butRetriesOf sink: String
  ) throws -> (deliveries: [Delivery], through: Int64?) {
    var deliveries: [Delivery] = []
    var through: Int64?
    let hasRetries = try hasRetries(sink)
    statements.deliveriesAfter.bind(1, notification)
    statements.deliveriesAfter.bind(2, Int64(limit))
    try statements.deliveriesAfter.rows { columns in
      through = columns.integer(0)
      guard columns.integer(3) == Int64(Outcome.delivered.rawValue) else { return }
      let channels = ChannelSet(rawValue: UInt8(truncatingIfNeeded: columns.integer(4)))
      for channel in channels.channels {
        guard try !hasRetries || !hasRetry(sink, columns.integer(0), channel) else { continue }
        deliveries.append(delivery(columns, channel))
      }
    }
    return (deliveries, through)
  }

  private func hasRetries(_ sink: String) throws -> Bool {
    statements.hasRetries.bind(1, sink)
    return try statements.hasRetries.first { _ in true } ?? false
  }

  private func hasRetry(
    _ sink: String, _ notification: Int64, _ channel: Channel
  ) throws -> Bool {
    statements.hasRetry.bind(1, sink)
    statements.hasRetry.bind(2, notification)
    statements.hasRetry.bind(3, Int64(channel.rawValue))
    return try statements.hasRetry.first { _ in true } ?? false
  }

  func delivery(_ columns: HotStatement, _ channel: Channel) -> Delivery {
    let manner = columns.integer(5)
    var delivery = Delivery(
      instance: statements.instance, notification: columns.integer(0),
      row: UInt32(truncatingIfNeeded: columns.integer(1)), recipient: columns.text(2),
      channel: channel, isSilent: manner & 1 != 0,
      planned: Instant(milliseconds: columns.integer(6)),
      at: Instant(milliseconds: columns.integer(7)),
      expiry: Instant(milliseconds: columns.integer(8)), caption: caption(columns))
    delivery.hints = Hints(rawValue: UInt8(truncatingIfNeeded: manner >> 1))
    return delivery
  }

  /// The message of a row, which begins at a column.
  func caption(_ columns: HotStatement, from first: Int32 = 9) -> Caption {
    Caption(
      reminder: columns.text(first), category: columns.text(first + 1),
      title: columns.text(first + 2), body: columns.text(first + 3),
      details: columns.text(first + 4),
      members: columns.text(first + 5).split(separator: ",").map(String.init))
  }

  // MARK: - Retries

  /// Keeps a delivery to be attempted again; a dead letter if it is not due any more.
  package func saveRetry(_ retry: Retry, due: Instant?, reason: String) throws {
    let insert = statements.insertRetry
    insert.bind(1, retry.sink)
    insert.bind(2, retry.delivery.notification)
    insert.bind(3, Int64(retry.delivery.channel.rawValue))
    insert.bind(4, Int64(retry.attempts))
    insert.bind(5, due?.milliseconds)
    insert.bind(6, reason)
    try insert.run()
  }

  package func deleteRetry(sink: String, _ delivery: Delivery) throws {
    statements.deleteRetry.bind(1, sink)
    statements.deleteRetry.bind(2, delivery.notification)
    statements.deleteRetry.bind(3, Int64(delivery.channel.rawValue))
    try statements.deleteRetry.run()
  }

  package func dueRetries(of sink: String, now: Instant, limit: Int) throws -> [Retry] {
    var retries: [Retry] = []
    statements.dueRetries.bind(3, sink)
    statements.dueRetries.bind(1, now.milliseconds)
    statements.dueRetries.bind(2, Int64(limit))
    try statements.dueRetries.rows { columns in
      guard let channel = Channel(rawValue: UInt8(truncatingIfNeeded: columns.integer(16))) else {
        return
      }
      retries.append(
        Retry(
          sink: columns.text(15), delivery: delivery(columns, channel),
          attempts: Int(columns.integer(17))))
    }
    return retries
  }

  /// Lets every retry be due so much earlier.
  package func shiftRetries(by span: TimeSpan) throws {
    statements.shiftRetries.bind(1, span.milliseconds)
    try statements.shiftRetries.run()
  }

  /// When the next retry of a sink is due.
  package func nextRetry(of sink: String) throws -> Instant? {
    statements.nextRetry.bind(1, sink)
    let due = try statements.nextRetry.first { $0.optionalInteger(0) } ?? nil
    return due.map { Instant(milliseconds: $0) }
  }

  package func retryCount(of sink: String) throws -> Int {
    statements.countRetries.bind(1, sink)
    return try statements.countRetries.first { Int($0.integer(0)) } ?? 0
  }
}
