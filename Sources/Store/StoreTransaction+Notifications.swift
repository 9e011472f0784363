package import CivilTime
package import Reminders

/// An occurrence's outcome, as it is recorded before any sink sees it (rule D1).
package struct NotificationRecord: Sendable {
  package var row: UInt32
  package var reminder: Symbol
  package var key: Int64
  package var planned: Instant
  package var at: Instant
  package var outcome: Outcome
  package var channels: ChannelSet
  package var trace: GateTrace
  package var title: String
  package var body: String

  package init(
    row: UInt32, reminder: Symbol, key: Int64, planned: Instant, at: Instant, outcome: Outcome,
    channels: ChannelSet, trace: GateTrace, title: String, body: String
  ) {
    self.row = row
    self.reminder = reminder
    self.key = key
    self.planned = planned
    self.at = at
    self.outcome = outcome
    self.channels = channels
    self.trace = trace
    self.title = title
    self.body = body
  }
}

extension StoreTransaction {
  /// Records an outcome.
  ///
  /// - Returns: the notification's row, or nil if the occurrence has an outcome already: then it
  ///   must not go out again. A delivery takes the place of a drop.
  package func record(_ notification: NotificationRecord) throws -> Int64? {
    let message = try intern(title: notification.title, body: notification.body)
    let insert = statements.insertNotification
    insert.bind(1, statements.nextNotification)
    insert.bind(2, Int64(notification.row))
    insert.bind(3, Int64(notification.reminder.code))
    insert.bind(4, notification.key)
    insert.bind(5, notification.planned.milliseconds)
    insert.bind(6, notification.at.milliseconds)
    insert.bind(7, Int64(notification.outcome.rawValue))
    insert.bind(8, Int64(notification.channels.rawValue))
    insert.bind(9, Int64(notification.trace.rawValue))
    insert.bind(10, message)
    try insert.run()
    if !insert.hasChanged {
      guard notification.outcome == .delivered, try forgetDrop(of: notification) else { return nil }
      try insert.run()
    }
    defer { statements.nextNotification += 1 }
    return statements.nextNotification
  }

  /// Only what went out is final: a clock that ran ahead may have dropped what is due now
  /// (rule T6).
  private func forgetDrop(of notification: NotificationRecord) throws -> Bool {
    for statement in [statements.forgetRetries, statements.forgetDrop] {
      statement.bind(1, Int64(notification.reminder.code))
      statement.bind(2, notification.key)
      statement.bind(3, Int64(notification.row))
      statement.bind(4, Int64(Outcome.dropped.rawValue))
      try statement.run()
    }
    return statements.forgetDrop.hasChanged
  }

  /// Changes what became of a notification that no sink has taken.
  package func settle(_ notification: Int64, outcome: Outcome, trace: GateTrace) throws {
    statements.settleNotification.bind(1, notification)
    statements.settleNotification.bind(2, Int64(outcome.rawValue))
    statements.settleNotification.bind(3, Int64(trace.rawValue))
    try statements.settleNotification.run()
  }

  /// Texts are kept once: a herd says the same few things to everyone.
  private func intern(title: String, body: String) throws -> Int64 {
    let identity = Int64(bitPattern: mixed(stableHash(title)) ^ stableHash(body))
    guard statements.meets(identity) else { return identity }
    statements.insertMessage.bind(1, identity)
    statements.insertMessage.bind(2, title)
    statements.insertMessage.bind(3, body)
    try statements.insertMessage.run()
    return identity
  }

  /// Keeps what the catalog calls its reminders, so that the past can be read without it.
  package func nameReminders(of catalog: Catalog) throws {
    for reminder in catalog.reminders {
      statements.insertReminder.bind(1, Int64(reminder.symbol.code))
      statements.insertReminder.bind(2, reminder.identifier)
      statements.insertReminder.bind(3, catalog.categories[reminder.category].name)
      try statements.insertReminder.run()
    }
  }
}
