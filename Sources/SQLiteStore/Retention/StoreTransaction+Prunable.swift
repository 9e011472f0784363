import CivilTime
import Reminders
import Store

/// What `prune` would remove: the same decisions, and nothing is changed.
extension StoreTransaction {
  func prunable(
    _ part: KeptPart, before end: Instant, after place: Int64, limit: Int,
    keeping keeps: (StoredRecipient, Symbol, Int64) -> Bool
  ) throws -> Prunable {
    switch part {
    case .attempts: try prunableAttempts(before: end, after: place, limit)
    case .events: try prunableEvents(before: end, after: place, limit)
    case .notifications: try prunableNotifications(before: end, after: place, limit, keeps)
    }
  }

  private func prunableAttempts(
    before end: Instant, after place: Int64, _ limit: Int
  ) throws -> Prunable {
    var found = Prunable()
    for notification in try numbers(statements.retention.attempted, after: place, limit) {
      found.place = nil
      guard let old = try oldAttempts(of: notification, before: end) else { break }
      found.place = notification
      for attempt in old.flatMap(\.superfluous) { found.add(attempt.at) }
    }
    return found
  }

  private func prunableEvents(
    before end: Instant, after place: Int64, _ limit: Int
  ) throws -> Prunable {
    var found = Prunable()
    for event in try oldEvents(after: place, limit) {
      found.place = nil
      guard event.isErased || event.received < end else { break }
      found.place = event.number
      if try isSuperfluous(event) { found.add(event.received) }
    }
    return found
  }

  private func prunableNotifications(
    before end: Instant, after place: Int64, _ limit: Int,
    _ keeps: (StoredRecipient, Symbol, Int64) -> Bool
  ) throws -> Prunable {
    var found = Prunable()
    // What would have gone before, and how many unread items of that, by recipient.
    var gone: Set<Int64> = []
    var unread: [UInt32: Int] = [:]
    for number in try numbers(statements.retention.notifications, after: place, limit) {
      guard let row = try row(of: number) else { continue }
      found.place = nil
      guard row.at < end else { break }
      found.place = number
      let goes = try goes(row, before: end, unread[row.recipient] ?? 0, keeps) { leader in
        leader > place ? !gone.contains(leader) : nil
      }
      guard goes else { continue }
      found.add(row.at)
      gone.insert(number)
      let item = try inboxRow(number, of: Int64(row.recipient))
      if item.map({ !$0.isRead }) ?? false { unread[row.recipient, default: 0] += 1 }
    }
    return found
  }

  /// - Parameters:
  ///   - unread: how many of the recipient's unread items would have gone before.
  ///   - stays: whether something older would be there still; nil if that is not known yet.
  private func goes(
    _ row: NotificationRow, before end: Instant, _ unread: Int,
    _ keeps: (StoredRecipient, Symbol, Int64) -> Bool, stays: (Int64) -> Bool?
  ) throws -> Bool {
    guard row.at < end, var stored = try recipient(row: row.recipient) else { return false }
    stored.counts.unread -= unread
    return try !isNeeded(row, of: stored, keeps) { leader in
      guard let older = try self.row(of: leader) else { return false }
      return try stays(leader) ?? !goes(older, before: end, 0, keeps, stays: stays)
    }
  }
}
