package import Reminders

/// The links of a notification to others of its recipient. All stores use this type.
package struct NotificationLink: Hashable, Sendable {
  /// The number of the recipient's previous notification; 0 for the first.
  package var previous: Int64 = 0
  /// The first notification of the same occurrence or batch: a notification of another channel
  /// group, or the one that opened the batch. 0 if this notification is the first.
  package var leader: Int64 = 0

  package init(previous: Int64 = 0, leader: Int64 = 0) {
    self.previous = previous
    self.leader = leader
  }
}

extension NotificationLink {
  /// Returns, for each notification, the index of its recipient in `batch`.
  ///
  /// - Parameter batch: the recipients of the notifications.
  package static func recipientIndices(
    of notifications: [NotificationRecord], in batch: [StoredRecipient]
  ) -> [Int] {
    var index = 0
    return notifications.map { notification in
      while index < batch.count, batch[index].row < notification.row { index += 1 }
      if index == batch.count || batch[index].row != notification.row {
        index = batch.firstIndex { $0.row == notification.row } ?? 0
      }
      return index
    }
  }

  /// Returns the links of notifications that are recorded together.
  ///
  /// - Parameters:
  ///   - numbers: the numbers of the notifications; nil for one that is not recorded.
  ///   - recipientIndices: the indices of the notifications' recipients in `batch`.
  ///   - firstDelivered: returns the first stored notification of an occurrence in a round; without
  ///     a round, in the occurrence's latest round.
  package static func links(
    of notifications: [NotificationRecord], _ numbers: [Int64?], _ recipientIndices: [Int],
    _ batch: [StoredRecipient],
    firstDelivered: (_ key: Int64, _ reminder: Symbol, _ row: UInt32, _ round: Int64?) throws
      -> Int64?
  ) rethrows -> [NotificationLink] {
    var heads: [Int: Int64] = [:]
    var links: [NotificationLink] = []
    links.reserveCapacity(notifications.count)
    var (batchIndex, head) = (-1, Int64(0))
    for (index, number) in numbers.enumerated() {
      if recipientIndices[index] != batchIndex {
        heads[batchIndex] = head
        batchIndex = recipientIndices[index]
        head = heads[batchIndex] ?? batch[batchIndex].counts.head
      }
      var link = NotificationLink()
      link.leader = try leader(of: index, in: notifications, numbers, links, firstDelivered) ?? 0
      if let number { (link.previous, head) = (head, number) }
      links.append(link)
    }
    return links
  }

  /// Returns the leader of a notification: an earlier one of the same records, or a stored one; nil
  /// if there is none.
  private static func leader(
    of index: Int, in notifications: [NotificationRecord], _ numbers: [Int64?],
    _ links: [NotificationLink], _ firstDelivered: (Int64, Symbol, UInt32, Int64?) throws -> Int64?
  ) rethrows -> Int64? {
    let notification = notifications[index]
    guard notification.isDelivered, notification.opener != nil || notification.hasOtherGroups else {
      return nil
    }
    let key = notification.opener ?? notification.key
    let round = notification.opener == nil ? notification.round : nil
    var earlier = index - 1
    while earlier >= 0, notifications[earlier].row == notification.row {
      let other = notifications[earlier]
      if let number = numbers[earlier], other.isDelivered, other.reminder == notification.reminder,
        other.key == key, round.map({ $0 == other.round }) ?? true
      {
        return links[earlier].leader == 0 ? number : links[earlier].leader
      }
      earlier -= 1
    }
    return try firstDelivered(key, notification.reminder, notification.row, round)
  }
}
