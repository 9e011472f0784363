import Reminders
import Store

/// Which of some notifications go, for they are old and mean nothing any more (rule H7).
struct NotificationPruning {
  /// What is known of the notifications that a step looks at, and of what belongs to them.
  struct Facts {
    /// In order.
    var rows: [NotificationRow] = []
    var recipients: [UInt32: StoredRecipient] = [:]
    /// Whether each item that they stand for is read.
    var items: [ItemKey: Bool] = [:]
    /// Those that wait for another attempt.
    var retried: Set<Int64> = []
    var lanes: [StoredLane] = []
    /// Those before them, and those that told of the same thing before, as far as they are there.
    var others: Set<Int64> = []
  }

  private(set) var gone: [NotificationRow] = []
  /// The recipients who lose something, with their counts brought up to date.
  private(set) var recipients: [UInt32: StoredRecipient]
  /// Those that go though what stands before them stays: the chain has to be mended.
  private(set) var unchained: [NotificationRow] = []

  /// - Parameter keeps: whether an occurrence of a recipient must be known still.
  init(
    _ facts: Facts, by age: Age, keeping keeps: (StoredRecipient, Symbol, Int64) -> Bool
  ) {
    recipients = facts.recipients
    var there = facts.others.union(facts.rows.map(\.number))
    for row in facts.rows where age.isOld(row.at) {
      guard var stored = recipients[row.recipient],
        !Self.isNeeded(row, of: stored, facts, there, keeps)
      else { continue }
      Self.uncount(row, of: &stored, facts)
      recipients[row.recipient] = stored
      gone.append(row)
      there.remove(row.number)
      if row.link.previous != 0, there.contains(row.link.previous) { unchained.append(row) }
    }
  }

  /// What is unread, as long as that is not too much; what must not be said again; what is on its
  /// way; and what belongs to something that stays.
  private static func isNeeded(
    _ row: NotificationRow, of stored: StoredRecipient, _ facts: Facts, _ there: Set<Int64>,
    _ keeps: (StoredRecipient, Symbol, Int64) -> Bool
  ) -> Bool {
    if row.link.leader != 0, there.contains(row.link.leader) { return true }
    if row.isDelivered {
      let isAwaited = facts.lanes.contains { lane in
        lane.place < row.number && !lane.channels.isDisjoint(with: row.channels)
      }
      if isAwaited || facts.retried.contains(row.number) { return true }
      if keeps(stored, row.reminder, row.key) { return true }
    }
    guard stored.counts.unread <= Retention.unreadKept else { return false }
    return facts.items[ItemKey(row: row.recipient, item: row.number)] == false
  }

  private static func uncount(
    _ row: NotificationRow, of stored: inout StoredRecipient, _ facts: Facts
  ) {
    if row.isRecent, row.number > stored.counts.cleared { stored.counts.removeRecent() }
    if let isRead = facts.items[ItemKey(row: row.recipient, item: row.number)] {
      stored.counts.removeItem(isRead: isRead)
    }
  }
}
