package import CivilTime
package import Reminders

/// What a recipient was told, or was not, and why (rule N4).
package struct ToldNotification: Sendable {
  package var notification: Int64
  package var planned: Instant
  package var at: Instant
  package var outcome: Outcome
  package var channels: ChannelSet
  package var isSilent: Bool
  package var reasons: [String]
  package var isDismissed: Bool
  /// Whether its item of the inbox is read; nil if it has none.
  package var isRead: Bool?
  package var caption: Caption
}

extension StoreTransaction {
  /// Goes through what a recipient was told, the latest first.
  ///
  /// - Parameters:
  ///   - start: the notification to begin behind; nil for the latest.
  ///   - most: how many are looked at.
  ///   - isEnough: told of each; true ends it.
  /// - Returns: the last one looked at, if there are more behind it.
  package func forEachTold(
    of stored: StoredRecipient, after start: Int64?, most: Int,
    until isEnough: (ToldNotification) -> Bool
  ) throws -> Int64? {
    var last: Int64?
    var current = try start.map { try previous($0, of: stored) } ?? stored.ledger.head
    for _ in 0..<most {
      guard current != 0, let said = try past(current, of: stored) else { return nil }
      let isLast = said.standsForItself && isEnough(said.past)
      if said.previous == 0 { return nil }
      last = current
      if isLast { break }
      current = said.previous
    }
    return last
  }

  private struct Said {
    var past: ToldNotification
    var previous: Int64
    /// Whether nothing had told of the same thing before.
    var standsForItself: Bool
  }

  /// Of a number that is not in the recipient's chain there is nothing behind.
  private func previous(_ notification: Int64, of stored: StoredRecipient) throws -> Int64 {
    try past(notification, of: stored)?.previous ?? 0
  }

  private func past(_ notification: Int64, of stored: StoredRecipient) throws -> Said? {
    let said = statements.inbox.said
    said.bind(1, notification)
    let found = try said.first { columns -> Said? in
      guard columns.integer(0) == Int64(stored.row) else { return nil }
      let channels = UInt8(truncatingIfNeeded: columns.integer(5) | columns.integer(11))
      let trace = GateTrace(rawValue: UInt64(bitPattern: columns.integer(7)))
      let past = ToldNotification(
        notification: notification, planned: Instant(milliseconds: columns.integer(2)),
        at: Instant(milliseconds: columns.integer(3)),
        outcome: Outcome(rawValue: UInt8(truncatingIfNeeded: columns.integer(4))) ?? .dropped,
        channels: ChannelSet(rawValue: channels), isSilent: columns.integer(6) & 1 != 0,
        reasons: trace.reasons,
        isDismissed: columns.optionalInteger(8) != nil || notification <= stored.ledger.cleared,
        isRead: columns.optionalInteger(9).map { _ in columns.optionalInteger(10) != nil },
        caption: caption(columns, from: 12))
      return Said(
        past: past, previous: columns.integer(1), standsForItself: columns.integer(18) == 0)
    }
    return found ?? nil
  }
}
