import CivilTime
import Reminders
import Store

/// Changes of recipients' inboxes (rule N3).
extension Ingestion {
  /// The maximum number of notifications that one `clear` counts as dismissed.
  private static let clearMax = 10_000

  /// The reasons of withdrawals after changes of the inbox.
  private static let (readCause, dismissalCause) = ("read in the inbox", "dismissed")

  /// Changes a recipient's inbox; returns nil for an unknown recipient.
  func perform(
    _ write: InboxWrite, of name: String, _ turn: inout Turn
  ) throws -> InboxReceipt? {
    guard let person = try person(named: name, &turn) else { return nil }
    try firing.fireDue(&person.stored, &turn)
    let count = try carryOut(write, on: &person.stored, &turn)
    person.isTouched = true
    return InboxReceipt(count: count, counts: InboxCounts(person.stored.counts))
  }

  private func carryOut(
    _ write: InboxWrite, on stored: inout StoredRecipient, _ turn: inout Turn
  ) throws -> Int {
    let now = turn.now
    switch write {
    case .read(let identifiers):
      let numbers = Set(identifiers.compactMap(number)).sorted()
      try noteSeen(numbers, by: stored, because: Self.readCause, &turn)
      return try turn.transaction.markAsRead(
        numbers, of: &stored, now: now)
    case .readAll:
      let count = stored.counts.unread
      try noteLatestSeen(by: stored, because: Self.readCause, &turn)
      try turn.transaction.markAllAsRead(of: &stored, now: now)
      return count
    case .dismiss(let identifier):
      guard let notification = number(of: identifier),
        try turn.transaction.dismiss(notification, of: &stored, now: now)
      else { return 0 }
      try record(.dismissed, notification, of: stored, at: now, &turn)
      try noteSeen([notification], by: stored, because: Self.dismissalCause, &turn)
      return 1
    case .clear:
      try countCleared(of: stored, &turn)
      try noteLatestSeen(by: stored, because: Self.dismissalCause, &turn)
      return try turn.transaction.clear(&stored)
    }
  }

  /// Counts the newest `clearMax` of the cleared notifications as dismissed (rule M2).
  private func countCleared(of stored: StoredRecipient, _ turn: inout Turn) throws {
    let zone = PlanningContext(facts: stored.recipient.facts, planner: turn.planner).zone
    let hour = LocalHour(turn.now, in: zone)
    for (category, channels) in try turn.transaction.recent(of: stored, limit: Self.clearMax) {
      turn.effects.usage.add(.dismissed, category: category, channels: channels, at: hour)
    }
  }

  /// Withdraws notifications that the recipient has seen in the inbox (rule D16), and ends their
  /// waits for a receipt (rule D13).
  private func noteSeen(
    _ numbers: [Int64], by stored: StoredRecipient, because cause: String, _ turn: inout Turn
  ) throws {
    try withdrawRead(numbers, of: stored, because: cause, &turn)
    guard turn.planner.catalog.hasConfirmations else { return }
    let zone = PlanningContext(facts: stored.recipient.facts, planner: turn.planner).zone
    let notifications = try turn.transaction.notifications(numbers)
    for number in numbers {
      guard let notification = notifications[number], notification.row == stored.row else {
        continue
      }
      try endWait(for: notification, number, in: zone, &turn)
      try recordReceipt(ofSeen: notification, number, at: turn.now, by: stored, &turn)
    }
  }

  /// Does the same for the recipient's latest notifications, because all were read or dismissed.
  private func noteLatestSeen(
    by stored: StoredRecipient, because cause: String, _ turn: inout Turn
  ) throws {
    let catalog = turn.planner.catalog
    guard catalog.hasWithdrawals || catalog.hasConfirmations else { return }
    try noteSeen(latest(of: stored, turn), by: stored, because: cause, &turn)
  }

  /// Marks an opened notification as read and counts it as opened (rule M2). A notification of
  /// another recipient is neither marked nor counted; the event only stays in this recipient's
  /// facts.
  ///
  /// - Parameter action: the action by which the recipient answered; nil for a mere opening.
  func recordOpening(
    _ identifier: String, by action: String?, at time: Instant, _ stored: inout StoredRecipient,
    _ turn: inout Turn
  ) throws {
    guard let notification = number(of: identifier) else { return }
    try record(.opened, notification, by: action, of: stored, at: time, &turn)
    _ = try turn.transaction.markAsRead([notification], of: &stored, now: turn.now)
  }

  /// Counts that a recipient has opened or dismissed a notification. An opening is also recorded as
  /// an outcome, and ends the wait for a receipt. Does nothing for a notification of another
  /// recipient.
  private func record(
    _ measure: UsageMeasure, _ notification: Int64, by action: String? = nil,
    of stored: StoredRecipient, at time: Instant, _ turn: inout Turn
  ) throws {
    let storedNotification = try turn.transaction.notifications([notification])[notification]
    guard let storedNotification, storedNotification.row == stored.row else { return }
    let zone = PlanningContext(facts: stored.recipient.facts, planner: turn.planner).zone
    turn.effects.usage.add(
      measure, category: storedNotification.past.message.category,
      channels: storedNotification.past.channels,
      at: LocalHour(time, in: zone))
    guard measure == .opened else { return }
    try withdrawRead([notification], of: stored, because: "opened", &turn)
    let channels = storedNotification.past.channels
    log(.opened, storedNotification, on: channels, at: time, &turn)
    if let action {
      log(.acted, storedNotification, on: channels, by: action, at: time, &turn)
    }
    try endWait(for: storedNotification, notification, in: zone, &turn)
    try recordReceipt(
      ofSeen: storedNotification, notification, at: time, by: stored, &turn)
  }
}
