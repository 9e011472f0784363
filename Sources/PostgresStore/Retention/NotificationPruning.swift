import Reminders
import Store

/// Decides which old notifications to remove (rule H7).
struct NotificationPruning {
  /// The notifications that a step examines, and their related data.
  struct Input {
    /// The notifications in order.
    var rows: [NotificationRow] = []
    /// The recipients of `rows`, by row number.
    var recipients: [UInt32: StoredRecipient] = [:]
    /// Whether the recipient has read the item, for each inbox item of the notifications.
    var items: [InboxItemKey: Bool] = [:]
    /// The notifications that wait for another attempt.
    var retried: Set<Int64> = []
    /// All lanes of the node.
    var lanes: [StoredLane] = []
    /// The previous notifications and the leaders of `rows`, if they are in the store.
    var existing: Set<Int64> = []
  }

  /// The notifications to remove.
  private(set) var removable: [NotificationRow] = []
  /// The recipients of the examined notifications, by row number. The counts of those that lose
  /// notifications are reduced.
  private(set) var recipients: [UInt32: StoredRecipient]
  /// Removed notifications whose previous notifications stay. The recipient's chain has to be
  /// linked past the removed ones.
  private(set) var unchained: [NotificationRow] = []

  /// - Parameter keeps: returns whether a recipient's occurrence, given by reminder and key, must
  ///   stay recorded, so that it is not sent again.
  init(
    _ input: Input, by age: Age, keeping keeps: (StoredRecipient, Symbol, Int64) -> Bool
  ) {
    recipients = input.recipients
    var existing = input.existing.union(input.rows.map(\.number))
    for row in input.rows where age.isOld(row.at) {
      guard var stored = recipients[row.recipient],
        !Self.isNeeded(row, of: stored, input, existing, keeps)
      else { continue }
      Self.uncount(row, of: &stored, input)
      recipients[row.recipient] = stored
      removable.append(row)
      existing.remove(row.number)
      if row.link.previous != 0, existing.contains(row.link.previous) { unchained.append(row) }
    }
  }

  /// Whether a notification must stay, for one of these reasons:
  ///
  /// - It is an unread inbox item, and the recipient has at most `Retention.unreadKeptMax` of them.
  /// - It prevents its occurrence from being sent again.
  /// - A sink has not yet answered it.
  /// - Its leader stays.
  private static func isNeeded(
    _ row: NotificationRow, of stored: StoredRecipient, _ input: Input, _ existing: Set<Int64>,
    _ keeps: (StoredRecipient, Symbol, Int64) -> Bool
  ) -> Bool {
    if row.link.leader != 0, existing.contains(row.link.leader) { return true }
    if row.isDelivered {
      let isAwaited = input.lanes.contains { lane in
        lane.cursor < row.number && !lane.channels.isDisjoint(with: row.channels)
      }
      if isAwaited || input.retried.contains(row.number) { return true }
      if keeps(stored, row.reminder, row.key) { return true }
    }
    guard stored.counts.unread <= Retention.unreadKeptMax else { return false }
    return input.items[InboxItemKey(row: row.recipient, item: row.number)] == false
  }

  /// Subtracts a removed notification from its recipient's counts.
  private static func uncount(
    _ row: NotificationRow, of stored: inout StoredRecipient, _ input: Input
  ) {
    if row.isRecent, row.number > stored.counts.cleared { stored.counts.removeRecent() }
    if let isRead = input.items[InboxItemKey(row: row.recipient, item: row.number)] {
      stored.counts.removeItem(isRead: isRead)
    }
  }
}
