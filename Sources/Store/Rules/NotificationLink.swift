package import Reminders

/// Where a notification stands among the others of its recipient. The same for every store.
package struct NotificationLink: Hashable, Sendable {
  /// The one before it; 0 for the first.
  package var previous: Int64 = 0
  /// The notification that told of the same thing before: its other way out, or the one that opened
  /// its batch; 0 if it stands for itself.
  package var leader: Int64 = 0

  package init(previous: Int64 = 0, leader: Int64 = 0) {
    self.previous = previous
    self.leader = leader
  }
}

extension NotificationLink {
  /// The place of each notification's recipient in the batch.
  package static func places(
    of notifications: [NotificationRecord], in batch: [StoredRecipient]
  ) -> [Int] {
    var place = 0
    return notifications.map { notification in
      while place < batch.count, batch[place].row < notification.row { place += 1 }
      if place == batch.count || batch[place].row != notification.row {
        place = batch.firstIndex { $0.row == notification.row } ?? 0
      }
      return place
    }
  }

  /// The links of notifications that are recorded together.
  ///
  /// - Parameters:
  ///   - numbers: nil for a notification that is not there.
  ///   - places: of their recipients in the batch.
  ///   - standing: finds what was recorded before and stands for an occurrence that was told of,
  ///     in its latest round if no round is given.
  package static func links(
    of notifications: [NotificationRecord], _ numbers: [Int64?], _ places: [Int],
    _ batch: [StoredRecipient],
    standing: (_ key: Int64, _ reminder: Symbol, _ row: UInt32, _ round: Int64?) throws -> Int64?
  ) rethrows -> [NotificationLink] {
    var heads: [Int: Int64] = [:]
    var links: [NotificationLink] = []
    links.reserveCapacity(notifications.count)
    var (place, head) = (-1, Int64(0))
    for (index, number) in numbers.enumerated() {
      if places[index] != place {
        heads[place] = head
        place = places[index]
        head = heads[place] ?? batch[place].counts.head
      }
      var link = NotificationLink()
      link.leader = try leader(of: index, in: notifications, numbers, links, standing) ?? 0
      if let number { (link.previous, head) = (head, number) }
      links.append(link)
    }
    return links
  }

  private static func leader(
    of index: Int, in notifications: [NotificationRecord], _ numbers: [Int64?],
    _ links: [NotificationLink], _ standing: (Int64, Symbol, UInt32, Int64?) throws -> Int64?
  ) rethrows -> Int64? {
    let notification = notifications[index]
    guard notification.isDelivered, notification.opener != nil || notification.isPaired else {
      return nil
    }
    let key = notification.opener ?? notification.key
    let round = notification.opener == nil ? notification.round : nil
    var before = index - 1
    while before >= 0, notifications[before].row == notification.row {
      let other = notifications[before]
      if let number = numbers[before], other.isDelivered, other.reminder == notification.reminder,
        other.key == key, round.map({ $0 == other.round }) ?? true
      {
        return links[before].leader == 0 ? number : links[before].leader
      }
      before -= 1
    }
    return try standing(key, notification.reminder, notification.row, round)
  }
}
