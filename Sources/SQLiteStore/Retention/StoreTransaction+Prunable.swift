import CivilTime
import Reminders
import Store

/// Finds the data that `prune` would remove, by the same rules, and changes nothing.
extension StoreTransaction {
  func prunable(
    _ part: RetentionPart, by age: Age, after cursor: Int64, limit: Int,
    keeping keeps: (StoredRecipient, Symbol, Int64) -> Bool
  ) throws -> Prunable {
    switch part {
    case .attempts: try prunableAttempts(by: age, after: cursor, limit)
    case .events: try prunableEvents(by: age, after: cursor, limit)
    case .notifications: try prunableNotifications(by: age, after: cursor, limit, keeps)
    case .analytics: try prunableAnalytics(by: age, after: cursor, limit)
    case .usage:
      try oldUsage(by: age, after: cursor).map { Prunable(usage: $0.count, on: $0.date) }
        ?? Prunable()
    }
  }

  private func prunableAnalytics(
    by age: Age, after cursor: Int64, _ limit: Int
  ) throws -> Prunable {
    let step = try oldAnalytics(by: age, after: cursor, limit)
    var result = Prunable(cursor: step.cursor)
    for event in step.removable { result.add(event.time) }
    return result
  }

  private func prunableAttempts(
    by age: Age, after cursor: Int64, _ limit: Int
  ) throws -> Prunable {
    var result = Prunable()
    let (reached, mayContinue) = try notificationsWithAttempts(by: age, after: cursor, limit)
    for notification in reached {
      let old = try oldAttempts(of: notification, by: age)
      for attempt in old.flatMap(\.superfluous) { result.add(attempt.at) }
    }
    result.cursor = mayContinue ? reached.last : nil
    return result
  }

  private func prunableEvents(
    by age: Age, after cursor: Int64, _ limit: Int
  ) throws -> Prunable {
    var result = Prunable()
    let (reached, mayContinue) = try events(by: age, after: cursor, limit)
    for event in reached where try isSuperfluous(event, by: age) { result.add(event.received) }
    result.cursor = mayContinue ? reached.last?.number : nil
    return result
  }

  private func prunableNotifications(
    by age: Age, after cursor: Int64, _ limit: Int,
    _ keeps: (StoredRecipient, Symbol, Int64) -> Bool
  ) throws -> Prunable {
    var result = Prunable()
    // The notifications found so far. For each recipient, how many of them are unread inbox items.
    var removed: Set<Int64> = []
    var unread: [UInt32: Int] = [:]
    let (reached, mayContinue) = try notifications(by: age, after: cursor, limit)
    result.cursor = mayContinue ? reached.last : nil
    for number in reached {
      guard let row = try row(of: number) else { continue }
      let wouldRemove = try wouldRemove(row, by: age, unread[row.recipient] ?? 0, keeps) { leader in
        leader > cursor ? !removed.contains(leader) : nil
      }
      guard wouldRemove else { continue }
      result.add(row.at)
      removed.insert(number)
      let item = try inboxRow(number, of: Int64(row.recipient))
      if item.map({ !$0.isRead }) ?? false { unread[row.recipient, default: 0] += 1 }
    }
    return result
  }

  /// Returns whether `prune` would remove a notification.
  ///
  /// - Parameters:
  ///   - unread: the number of the recipient's unread items that would be removed earlier.
  ///   - stays: returns whether an older notification would still exist; nil if this query does not
  ///     examine that notification.
  private func wouldRemove(
    _ row: NotificationRow, by age: Age, _ unread: Int,
    _ keeps: (StoredRecipient, Symbol, Int64) -> Bool, stays: (Int64) -> Bool?
  ) throws -> Bool {
    guard age.isOld(row.at), var stored = try recipient(row: row.recipient) else { return false }
    stored.counts.unread -= unread
    return try !isNeeded(row, of: stored, keeps) { leader in
      guard let older = try self.row(of: leader) else { return false }
      return try stays(leader) ?? !wouldRemove(older, by: age, 0, keeps, stays: stays)
    }
  }
}
