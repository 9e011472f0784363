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
  /// Its rows: its own, and those of its other ways out.
  var ways: [NotificationRow]
  package var isDismissed: Bool
  /// Whether its item of the inbox is read; nil if it has none.
  package var isRead: Bool?
  package var caption: Message
}

extension StoreTransaction {
  /// Goes through what a recipient was told, the latest first.
  ///
  /// - Parameters:
  ///   - start: the notification to begin behind; nil for the latest.
  ///   - most: how many are looked at.
  ///   - isEnough: told of each; true ends it.
  /// - Returns: the last one looked at, if there are more behind it.
  package func forEachPastNotification(
    of stored: StoredRecipient, after start: Int64?, most: Int,
    until isEnough: (ToldNotification) throws -> Bool
  ) throws -> Int64? {
    var last: Int64?
    var current = try start.map { try previous($0, of: stored) } ?? stored.counts.head
    for _ in 0..<most {
      guard current != 0, let said = try past(current, of: stored) else { return nil }
      let isLast = try said.standsForItself && isEnough(said.past)
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
    let found = try said.first { columns -> (NotificationRow, InboxRow?, Message)? in
      let row = try NotificationRow(columns)
      guard row.recipient == stored.row else { return nil }
      let (item, message) = (
        NotificationRow.columnCount, NotificationRow.columnCount + InboxRow.columnCount
      )
      let inbox = columns.optionalInteger(item) == nil ? nil : try InboxRow(columns, from: item)
      let caption = try MessageRow.caption(
        columns, from: message, number: inbox?.message ?? row.message)
      return (row, inbox, caption)
    }
    guard let (row, inbox, caption) = found ?? nil else { return nil }
    let ways = try ways(of: row)
    let past = ToldNotification(
      notification: notification, planned: row.planned, at: row.at, outcome: row.outcome,
      channels: ways.reduce(into: []) { $0.formUnion($1.allChannels) }, isSilent: row.isSilent,
      reasons: row.trace.reasons, ways: ways,
      isDismissed: row.dismissed != nil || notification <= stored.counts.cleared,
      isRead: inbox?.isRead, caption: caption)
    return Said(
      past: past, previous: row.link.previous, standsForItself: row.link.leader == 0)
  }

  /// With those of its other ways out.
  func ways(of row: NotificationRow) throws -> [NotificationRow] {
    var ways = [row]
    let select = statements.inbox.otherWays
    select.bind(1, Int64(row.reminder.code))
    select.bind(2, row.key)
    select.bind(3, Int64(row.recipient))
    select.bind(4, row.number)
    try select.rows { ways.append(try NotificationRow($0)) }
    return ways
  }

  /// What has become of it on each of its channels, with the times and reasons of its own way out
  /// (rule D6). Cost: a few look-ups for each way.
  package func deliveries(of told: ToldNotification) throws -> [DeliveryHistory] {
    try told.ways.flatMap { way -> [DeliveryHistory] in
      let states = way.outcome == .bundled ? [] : try deliveryStates(of: way.number)
      return way.allChannels.channels.map { channel in
        delivery(way, on: channel, states.first { $0.channel == channel })
      }
    }
  }

  private func delivery(
    _ way: NotificationRow, on channel: Channel, _ state: DeliveryState?
  ) -> DeliveryHistory {
    let told: NotificationState =
      switch way.outcome {
      case .bundled: .bundled
      case .dropped: .dropped
      case .delivered: channel == .inapp ? .delivered : state?.told ?? .sending
      }
    let taken = told == .delivered ? state?.attempts.last { $0.verdict == .delivered }?.at : nil
    return DeliveryHistory(
      channel: channel, state: told, planned: way.planned, at: taken ?? way.at,
      reasons: way.trace.reasons, obstacle: told == .bundled ? nil : state?.obstacle)
  }
}
