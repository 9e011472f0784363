import CivilTime
import Reminders
import Store

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
