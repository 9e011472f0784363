package import CivilTime
package import Reminders
package import Store

/// Selects the records of a notification of a recipient, by the id that its deliveries contain.
package struct NotificationQuery: EngineQuery {
  /// The recipient's name.
  package var recipient: String
  /// The id of the notification.
  package var notification: String

  package init(of recipient: String, _ notification: String) {
    self.recipient = recipient
    self.notification = notification
  }

  package func answer(
    from questions: Questions, now: Instant
  ) throws(StoreError) -> HistoryAnswer {
    try questions.history(of: recipient, notification)
  }
}

/// The stored data of a notification, its recipient, and the events until the notification was
/// decided.
package struct History: Sendable {
  package var recipient: Recipient
  package var notification: PastNotification
  /// The events received until the notification was decided, in the order of arrival. Nil if
  /// planning has changed since, if events were removed, or if there are too many events.
  package var events: [StoredEvent]?
  /// The state of each delivery of the notification.
  package var deliveries: [DeliveryState]
  /// The id of the digest that contains the notification; nil if none does.
  package var digest: String?
  /// The members, if the notification is a digest.
  package var members: [Member] = []

  /// A member of a digest.
  package struct Member: Hashable, Sendable {
    /// The name by `Catalog.name(of:)`.
    package var reminder: String
    /// The key that identifies the occurrence among those of its reminder.
    package var key: Int64

    package init(reminder: String, key: Int64) {
      (self.reminder, self.key) = (reminder, key)
    }
  }

  package init(
    recipient: Recipient, notification: PastNotification, events: [StoredEvent]?,
    deliveries: [DeliveryState], digest: String? = nil, members: [Member] = []
  ) {
    self.members = members
    self.recipient = recipient
    self.notification = notification
    self.events = events
    self.deliveries = deliveries
    self.digest = digest
  }
}

/// The answer to a query about a notification.
package enum HistoryAnswer: Sendable {
  case found(History)
  case unknownRecipient
  /// The recipient is known but has no such notification.
  case unknownNotification
}

extension Questions {
  /// The maximum number of events read, which bounds the query.
  private static let eventsMax = 10_000

  fileprivate func history(
    of name: String, _ identifier: String
  ) throws(StoreError) -> HistoryAnswer {
    let row = number(of: identifier)
    return try readers.read { transaction in
      guard let stored = try transaction.recipient(named: name) else { return .unknownRecipient }
      guard let row, let record = try transaction.notifications([row])[row],
        record.row == stored.row
      else { return .unknownNotification }
      let notification = record.past
      return .found(
        History(
          recipient: stored.recipient, notification: notification,
          events: try events(of: stored, until: notification, in: transaction),
          deliveries: try deliveries(of: notification, row, in: transaction),
          digest: try digest(of: notification, row: stored.row, in: transaction),
          members: try members(of: notification, row, of: stored, in: transaction)))
    }
  }

  /// Returns the deliveries of a notification. A dropped one has deliveries only if it was dropped
  /// after an attempt.
  private func deliveries(
    of notification: PastNotification, _ row: Int64, in transaction: any StoreReader
  ) throws -> [DeliveryState] {
    guard notification.outcome != .bundled else { return [] }
    let states = try transaction.deliveryStates(of: [row])[row] ?? []
    return notification.outcome == .delivered ? states : states.filter { !$0.attempts.isEmpty }
  }

  /// Returns the events received until a notification was decided. Returns nil if planning has
  /// changed since, if events were removed, or if there are too many events.
  private func events(
    of stored: StoredRecipient, until notification: PastNotification,
    in transaction: any StoreReader
  ) throws -> [StoredEvent]? {
    let since = try transaction.note(PlanNotes.since).flatMap { Int64($0) }
    let view = published.view
    // The snapshot may be older or newer than the published view.
    guard let since, view.stale == 0, notification.at.milliseconds >= since,
      try transaction.plan() == view.planner.fingerprint
    else { return nil }
    // An event takes effect at its own time, up to a minute before it is received (rule T8).
    let history = try transaction.events(
      through: stored.lastEvent, receivedBy: notification.at + Recipient.countedDelayMax,
      limit: Self.eventsMax)
    return history.flatMap { $0.isComplete ? $0.events : nil }
  }

  private func members(
    of notification: PastNotification, _ number: Int64, of stored: StoredRecipient,
    in transaction: any StoreReader
  ) throws -> [History.Member] {
    guard notification.reminder == Digest.symbol else { return [] }
    let members = try transaction.members(
      ofDigest: number, of: stored.row, at: notification.at, named: notification.message.members,
      on: notification.channels)
    return members.map { _, member in
      let reminder = planner.catalog.reminder(member.reminder).map(planner.catalog.name)
      return History.Member(reminder: reminder ?? member.message.reminder, key: member.key)
    }
  }

  /// Returns the id of the digest that contains a notification; nil if none does.
  private func digest(
    of notification: PastNotification, row: UInt32, in transaction: any StoreReader
  ) throws -> String? {
    guard notification.outcome == .bundled else { return nil }
    // A notification may be in the digest on some of its channels only.
    let channels = (UInt8(1)..<8).map(ChannelSet.init(rawValue:)).filter {
      !$0.isDisjoint(with: notification.channels)
    }
    let digests = channels.map {
      OccurrenceKey(Digest.symbol, Digest.key(at: notification.at, $0), row: row, .interrupting)
    }
    return try transaction.notifications(of: digests).compactMap { $0 }.first.map(identifier)
  }
}
