import CivilTime
package import Reminders
package import Store

/// The stored data of a notification, and of its recipient until it was decided.
package struct History: Sendable {
  package var recipient: Recipient
  package var notification: PastNotification
  /// The events received until then, in the order of arrival; nil if planning has changed since, or
  /// if there are too many.
  package var events: [KeptEvent]?
  package var deliveries: [DeliveryState]
  /// The id of the digest that contains the notification.
  package var digest: String?
  /// The members, if the notification is a digest.
  package var members: [Member] = []

  /// A member of a digest.
  package struct Member: Hashable, Sendable {
    /// The name by `Catalog.name(of:)`.
    package var reminder: String
    package var key: Int64

    package init(reminder: String, key: Int64) {
      (self.reminder, self.key) = (reminder, key)
    }
  }

  package init(
    recipient: Recipient, notification: PastNotification, events: [KeptEvent]?,
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

extension EngineCore {
  /// Records that planning has other inputs from `now` on.
  func keepPlanStart(_ now: Instant, in transaction: any StoreWriter) throws {
    try transaction.saveNote(PlanNotes.since, "\(now.milliseconds)")
  }
}

/// Keys of the store's notes about planning.
enum PlanNotes {
  /// The start of planning with the current inputs, for all recipients.
  static let since = "plan since"
}

extension Questions {
  /// The maximum number of events read, which bounds the query.
  private static let eventsMax = 10_000

  func history(of name: String, _ identifier: String) throws(StoreError) -> HistoryAnswer {
    let row = number(of: identifier)
    return try readers.read { transaction in
      guard let stored = try transaction.recipient(named: name) else { return .unknownRecipient }
      guard let row, let found = try transaction.notifications([row])[row],
        found.row == stored.row
      else { return .unknownNotification }
      let past = found.past
      return .found(
        History(
          recipient: stored.recipient, notification: past,
          events: try events(of: stored, until: past, in: transaction),
          deliveries: try deliveries(of: past, row, in: transaction),
          digest: try digest(of: past, row: stored.row, in: transaction),
          members: try members(of: past, row, of: stored, in: transaction)))
    }
  }

  /// Returns the deliveries of a notification. A dropped one has deliveries only if it was dropped
  /// after an attempt.
  private func deliveries(
    of past: PastNotification, _ row: Int64, in transaction: any StoreReader
  ) throws -> [DeliveryState] {
    guard past.outcome != .bundled else { return [] }
    let states = try transaction.deliveryStates(of: [row])[row] ?? []
    return past.outcome == .delivered ? states : states.filter { !$0.attempts.isEmpty }
  }

  private func events(
    of stored: StoredRecipient, until past: PastNotification,
    in transaction: any StoreReader
  ) throws -> [KeptEvent]? {
    let since = try transaction.note(PlanNotes.since).flatMap { Int64($0) }
    let view = published.view
    // The snapshot may be older or newer than the published view.
    guard let since, view.stale == 0, past.at.milliseconds >= since,
      try transaction.plan() == view.planner.fingerprint
    else { return nil }
    // An event takes effect at its own time, up to a minute before it is received (rule T8).
    return try transaction.events(
      through: stored.lastEvent, receivedBy: past.at + Recipient.punctuality,
      limit: Self.eventsMax)
  }

  /// How many notifications are searched for the members of a digest, which were recorded with it.
  private static let membersMax = 1_000

  private func members(
    of past: PastNotification, _ number: Int64, of stored: StoredRecipient,
    in transaction: any StoreReader
  ) throws -> [History.Member] {
    guard past.reminder == Digest.symbol else { return [] }
    let chain = try transaction.chain(
      of: stored.row, from: number, downTo: 0, limit: Self.membersMax)
    let found = try transaction.notifications(chain.numbers)
    let parts = chain.numbers.dropFirst().map { found[$0]?.past }
      .prefix { $0?.at == past.at }.compactMap { $0 }
    return parts.reversed().filter { part in
      part.trace.word(for: .bundling) != nil && past.message.members.contains(part.message.reminder)
    }.map { part in
      let reminder = planner.catalog.reminder(part.reminder).map(planner.catalog.name)
      return History.Member(reminder: reminder ?? part.message.reminder, key: part.key)
    }
  }

  private func digest(
    of past: PastNotification, row: UInt32, in transaction: any StoreReader
  ) throws -> String? {
    guard past.outcome == .bundled else { return nil }
    // A notification may be in the digest on some of its channels only.
    let channels = (UInt8(1)..<8).map(ChannelSet.init(rawValue:)).filter {
      !$0.isDisjoint(with: past.channels)
    }
    let digests = channels.map {
      OccurrenceKey(Digest.symbol, Digest.key(at: past.at, $0), row: row, .interrupting)
    }
    return try transaction.notifications(of: digests).compactMap { $0 }.first.map(identifier)
  }
}

/// A page of a recipient's data (rule H4). Pages keep each query short.
package struct ExportPage: Sendable {
  /// The start of a page.
  package enum Place: Sendable {
    /// The events from one on, newest first; nil starts at the newest.
    case events(from: Int64?, atMost: Int = ExportPage.length)
    case notifications(after: Int64)
    case refused(after: Int64)
  }

  /// The default number of items of a page.
  package static let length = 500
  /// The total size of rejected events in bytes at which a page ends.
  static let refusedBytes = 8 << 20

  package var events: [PastEvent] = []
  package var notifications: [KeptNotification] = []
  /// Rejected submissions of apps; after the notifications.
  package var refused: [RefusedSubmission] = []
  /// The next page; nil after the last one.
  package var next: Place?

  package init(
    events: [PastEvent] = [], notifications: [KeptNotification] = [],
    refused: [RefusedSubmission] = [], next: Place? = nil
  ) {
    self.events = events
    self.notifications = notifications
    self.refused = refused
    self.next = next
  }
}

extension Questions {
  /// Returns nil for an unknown recipient.
  func export(_ name: String, _ place: ExportPage.Place) throws(StoreError) -> ExportPage? {
    try readers.read { transaction in
      guard let stored = try transaction.recipient(named: name) else { return nil }
      switch place {
      case .events(let first, let limit):
        let (events, next) = try transaction.events(
          of: stored.row, from: first ?? stored.lastEvent, limit: limit)
        let place: ExportPage.Place =
          next == 0 ? .notifications(after: 0) : .events(from: next, atMost: limit)
        return ExportPage(events: events, next: place)
      case .notifications(let number):
        let (notifications, last) = try transaction.notifications(
          of: stored.row, after: number, limit: ExportPage.length)
        let rest = notifications.count < ExportPage.length ? nil : last
        return ExportPage(
          notifications: notifications,
          next: rest.map { .notifications(after: $0) } ?? .refused(after: 0))
      case .refused(let number):
        let refused = try transaction.refusedSubmissions(
          of: name, after: number, bytes: ExportPage.refusedBytes)
        return ExportPage(
          refused: refused, next: refused.last.map { .refused(after: $0.number) })
      }
    }
  }
}
