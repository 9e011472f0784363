package import CivilTime
package import Reminders
import Store

extension Questions {
  /// The maximum number of notifications examined by one query.
  private static let searchMax = 1_000
  /// The number of notifications read at a time: at least, and at most.
  private static let readMin = 16
  private static let readMax = 256

  /// - Returns: an empty inbox for an unknown recipient.
  func inbox(of name: String, offset: Int, limit: Int) throws(StoreError) -> InboxPage {
    try readers.read { transaction in
      guard let stored = try transaction.recipient(named: name) else { return InboxPage() }
      let items = try transaction.inbox(row: stored.row, offset: offset, limit: limit)
      let context = PlanningContext(facts: stored.recipient.facts, planner: planner)
      return InboxPage(
        counts: InboxCounts(stored.counts),
        items: items.map { item in
          InboxPage.Item(
            identifier: identifier(of: item.notification), at: item.at, isRead: item.isRead,
            message: context.upToDate(item.message, told: item.at))
        })
    }
  }

  func arrived(of name: String) throws(StoreError) -> Int {
    try readers.read { transaction in
      guard let stored = try transaction.recipient(named: name) else { return 0 }
      return try arrivedCount(of: stored, in: transaction)
    }
  }

  /// Counts the notifications that arrived on any channel and are not dismissed (rule D6). Beyond
  /// the examined notifications, every sent one counts as arrived.
  private func arrivedCount(
    of stored: StoredRecipient, in reader: any StoreReader
  ) throws -> Int {
    var (unexamined, arrived) = (stored.counts.recent, 0)
    var (remaining, place) = (Self.searchMax, nil as Int64?)
    while unexamined > 0, remaining > 0 {
      let page = try reader.notificationHistory(
        of: stored, after: place, limit: min(remaining, Self.readMax))
      guard let last = page.last else { break }
      (place, remaining) = (last.own.notification, remaining - page.count)
      let candidates = page.filter { past in
        past.own.outcome == .delivered && past.standsForItself && !past.isDismissed
      }
      unexamined -= candidates.count
      arrived += try countArrived(candidates, in: reader)
      if last.previous == 0 { break }
    }
    return arrived + max(0, unexamined)
  }

  /// Returns how many notifications have arrived on some channel.
  private func countArrived(
    _ past: [HistoryNotification], in reader: any StoreReader
  ) throws -> Int {
    let sent = past.map { $0.ways.filter { $0.outcome == .delivered } }
    let states = try reader.deliveryStates(of: sent.joined().map(\.notification))
    return sent.count { ways in
      ways.contains { way in
        way.channels.contains(ChannelSet(.inapp))
          || states[way.notification, default: []].contains { $0.told == .delivered }
      }
    }
  }

  func notificationHistory(
    of name: String, _ question: HistoryQuestion, now: Instant
  ) throws(StoreError) -> NotificationHistory? {
    let planner = planner
    return try readers.read { transaction -> NotificationHistory? in
      guard let stored = try transaction.recipient(named: name) else { return nil }
      let context = PlanningContext(facts: stored.recipient.facts, planner: planner)
      var history = NotificationHistory(
        recipient: name, zone: context.zone, now: now, counts: InboxCounts(stored.counts),
        hasPending: stored.recipient.schedule(in: context).pending > 0, entries: [], next: nil)
      history.isOfRecent = question.isOfRecent
      var place: Int64? = question.after
      var remaining = Self.searchMax
      while remaining > 0, history.entries.count < question.limit {
        let limit = min(remaining, max(Self.readMin, question.limit - history.entries.count))
        let page = try transaction.notificationHistory(of: stored, after: place, limit: limit)
        place = try add(page, to: &history, for: question, in: transaction)
        guard place != nil else { return history }
        remaining -= page.count
      }
      history.next = place
      return history
    }
  }

  /// Adds the selected notifications up to the limit.
  ///
  /// - Returns: the last examined one; nil at the end.
  private func add(
    _ page: [HistoryNotification], to history: inout NotificationHistory,
    for question: HistoryQuestion, in transaction: any StoreReader
  ) throws -> Int64? {
    let entries = page.map { past in
      past.standsForItself
        ? NotificationHistory.Entry(past, identifier: identifier(of: past.own.notification)) : nil
    }
    let wanted = zip(page, entries).filter { $1.map(question.wants) ?? false }.map(\.0)
    let states = try transaction.deliveryStates(of: wanted.flatMap(\.sent))
    for (past, entry) in zip(page, entries) {
      if var entry, question.wants(entry) {
        entry.deliveries = past.deliveries(states)
        entry.state = NotificationState(of: entry.deliveries.map(\.state))
        if question.state.map({ $0 == entry.state }) ?? true { history.entries.append(entry) }
      }
      let isEnough = history.entries.count >= question.limit
      if isEnough { return past.previous == 0 ? nil : past.own.notification }
    }
    return page.last.flatMap { $0.previous == 0 ? nil : $0.own.notification }
  }
}

extension EngineCore {
  /// The maximum number of cleared notifications counted by category.
  private static let clearMax = 10_000

  /// Returns nil for an unknown recipient.
  func perform(
    _ write: InboxWrite, of name: String, _ turn: inout Turn, in transaction: any StoreWriter
  ) throws -> InboxReceipt? {
    guard let person = try person(named: name, &turn, in: transaction) else { return nil }
    try fireDue(&person.stored, &turn, in: transaction)
    let count = try carryOut(write, on: &person.stored, &turn, in: transaction)
    person.isTouched = true
    return InboxReceipt(count: count, counts: InboxCounts(person.stored.counts))
  }

  private func carryOut(
    _ write: InboxWrite, on stored: inout StoredRecipient, _ turn: inout Turn,
    in transaction: any StoreWriter
  ) throws -> Int {
    let now = turn.now
    switch write {
    case .read(let identifiers):
      return try transaction.read(
        Set(identifiers.compactMap(number)).sorted(), of: &stored, now: now)
    case .readAll:
      let count = stored.counts.unread
      try transaction.readAll(of: &stored, now: now)
      return count
    case .dismiss(let identifier):
      guard let notification = number(of: identifier),
        try transaction.dismiss(notification, of: &stored, now: now)
      else { return 0 }
      try count(.dismissed, notification, of: stored, at: now, &turn, in: transaction)
      return 1
    case .clear:
      try countCleared(of: stored, &turn, in: transaction)
      return try transaction.clear(&stored)
    }
  }

  /// Counts cleared notifications as dismissed (rule M2), up to `clearMax`, the newest.
  private func countCleared(
    of stored: StoredRecipient, _ turn: inout Turn, in transaction: any StoreWriter
  ) throws {
    let zone = PlanningContext(facts: stored.recipient.facts, planner: turn.planner).zone
    let hour = LocalHour(turn.now, in: zone)
    for (category, channels) in try transaction.recent(of: stored, most: Self.clearMax) {
      turn.usage.add(.dismissed, category: category, channels: channels, at: hour)
    }
  }

  /// Marks an opened notification as read and counts it as opened (rule M2). A notification of
  /// another recipient is ignored here; only the facts record the event.
  func open(
    _ identifier: String, at time: Instant, _ stored: inout StoredRecipient, _ turn: inout Turn,
    in transaction: any StoreWriter
  ) throws {
    guard let notification = number(of: identifier) else { return }
    try count(.opened, notification, of: stored, at: time, &turn, in: transaction)
    _ = try transaction.read([notification], of: &stored, now: turn.now)
  }

  private func count(
    _ measure: UsageMeasure, _ notification: Int64, of stored: StoredRecipient, at time: Instant,
    _ turn: inout Turn, in transaction: any StoreWriter
  ) throws {
    let found = try transaction.notifications([notification])[notification]
    guard let found, found.row == stored.row else { return }
    let zone = PlanningContext(facts: stored.recipient.facts, planner: turn.planner).zone
    turn.usage.add(
      measure, category: found.past.message.category, channels: found.past.channels,
      at: LocalHour(time, in: zone))
  }
}

extension InboxCounts {
  init(_ counts: NotificationCounts) {
    self.init(items: counts.items, unread: counts.unread, recent: counts.recent)
  }
}

extension NotificationHistory.Entry {
  fileprivate init(_ past: HistoryNotification, identifier: String) {
    self.init(
      identifier: identifier, planned: past.own.planned, at: past.own.at, state: .sending,
      deliveries: [], channels: past.channels, isSilent: past.isSilent, reasons: past.own.reasons,
      isDismissed: past.isDismissed, isRead: past.isRead,
      message: past.message)
  }
}

/// Counts of a recipient's delivered notifications.
package struct InboxCounts: Hashable, Sendable {
  /// The number of items in the inbox, and of unread ones.
  package var items: Int
  package var unread: Int
  /// The number of notifications sent on any channel and not dismissed, arrived or not.
  package var recent: Int

  package init(items: Int = 0, unread: Int = 0, recent: Int = 0) {
    self.items = items
    self.unread = unread
    self.recent = recent
  }
}

/// A page of a recipient's inbox, newest first (rule N1).
package struct InboxPage: Sendable {
  package struct Item: Sendable {
    /// The id of the notification that the item belongs to.
    package var identifier: String
    package var at: Instant
    package var isRead: Bool
    package var message: Message

    package init(identifier: String, at: Instant, isRead: Bool, message: Message) {
      self.identifier = identifier
      self.at = at
      self.isRead = isRead
      self.message = message
    }
  }

  package var counts: InboxCounts
  package var items: [Item]

  package init(counts: InboxCounts = InboxCounts(), items: [Item] = []) {
    self.counts = counts
    self.items = items
  }
}

/// A recipient's action on delivered notifications.
package enum InboxWrite: Sendable {
  /// Notification ids; those of others are ignored (rule N3).
  case read([String])
  case readAll
  case dismiss(String)
  /// Dismisses all delivered notifications; pending ones remain.
  case clear
}

/// The result of an `InboxWrite`.
package struct InboxReceipt: Hashable, Sendable {
  /// The number of notifications affected.
  package var count: Int
  package var counts: InboxCounts

  package init(count: Int, counts: InboxCounts) {
    self.count = count
    self.counts = counts
  }
}
