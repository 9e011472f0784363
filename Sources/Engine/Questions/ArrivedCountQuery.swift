package import CivilTime
import Reminders
package import Store

/// Selects the number of delivered notifications that a recipient has not dismissed (rule D6); the
/// answer is 0 if the recipient is unknown.
package struct ArrivedCountQuery: EngineQuery {
  /// The recipient's name.
  package var recipient: String

  package init(of recipient: String) {
    self.recipient = recipient
  }

  /// The maximum number of notifications that one query examines.
  private static let searchMax = 1_000
  /// The maximum number of notifications that are read at once.
  private static let readMax = 256

  package func answer(from questions: Questions, now: Instant) throws(StoreError) -> Int {
    try questions.readers.read { transaction in
      guard let stored = try transaction.recipient(named: recipient) else { return 0 }
      return try arrivedCount(of: stored, in: transaction)
    }
  }

  /// Counts the notifications that arrived on any channel and are not dismissed (rule D6). Only the
  /// latest `searchMax` notifications are examined; every earlier one that was sent counts as
  /// arrived.
  private func arrivedCount(
    of stored: StoredRecipient, in reader: any StoreReader
  ) throws -> Int {
    var (unexamined, arrived) = (stored.counts.recent, 0)
    var (remaining, cursor) = (Self.searchMax, nil as Int64?)
    while unexamined > 0, remaining > 0 {
      let page = try reader.notificationHistory(
        of: stored, after: cursor, limit: min(remaining, Self.readMax))
      guard let last = page.last else { break }
      (cursor, remaining) = (last.own.notification, remaining - page.count)
      let candidates = page.filter { past in
        past.own.outcome == .delivered && past.isLeader && !past.isDismissed
          && !past.channels.isEmpty
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
    let sent = past.map { $0.groupRecords.filter { $0.outcome == .delivered } }
    let states = try reader.deliveryStates(of: sent.joined().map(\.notification))
    return sent.count { groupRecords in
      groupRecords.contains { groupRecord in
        groupRecord.channels.contains(ChannelSet(.inapp))
          || states[groupRecord.notification, default: []]
            .contains(where: \.publicState.isDelivered)
      }
    }
  }
}
