import Reminders

/// Where a notification stands among the others of its recipient.
struct Link {
  /// The one before it; 0 for the first.
  var previous: Int64 = 0
  /// The notification that told of the same thing before: its other way out, or the one that opened
  /// its batch; 0 if it stands for itself.
  var leader: Int64 = 0
}

extension StoreTransaction {
  /// The place of each notification's recipient in the batch.
  static func places(
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

  /// - Parameter rows: nil for a notification that is not there.
  func links(
    of notifications: [NotificationRecord], _ rows: [Int64?], _ places: [Int],
    _ batch: [StoredRecipient]
  ) throws -> [Link] {
    var heads: [Int: Int64] = [:]
    var links: [Link] = []
    links.reserveCapacity(notifications.count)
    var (place, head) = (-1, Int64(0))
    for (index, row) in rows.enumerated() {
      if places[index] != place {
        heads[place] = head
        place = places[index]
        head = heads[place] ?? batch[place].counts.head
      }
      var link = Link()
      link.leader = try leader(of: index, in: notifications, rows, links) ?? 0
      if let row { (link.previous, head) = (head, row) }
      links.append(link)
    }
    return links
  }

  private func leader(
    of index: Int, in notifications: [NotificationRecord], _ rows: [Int64?], _ links: [Link]
  ) throws -> Int64? {
    let notification = notifications[index]
    guard notification.isDelivered, notification.opener != nil || notification.isPaired else {
      return nil
    }
    let key = notification.opener ?? notification.key
    var before = index - 1
    while before >= 0, notifications[before].row == notification.row {
      let other = notifications[before]
      if let row = rows[before], other.isDelivered, other.reminder == notification.reminder,
        other.key == key
      {
        return links[before].leader == 0 ? row : links[before].leader
      }
      before -= 1
    }
    // The later ones of these, and itself, may be on disk already.
    return try standing(
      for: key, of: notification.reminder, row: notification.row,
      before: statements.nextNotification)
  }

  /// The notification that stands for an occurrence that was told of, on whichever way out.
  func standing(
    for key: Int64, of reminder: Symbol, row: UInt32, before end: Int64 = .max
  ) throws -> Int64? {
    let look = statements.inbox.standing
    look.bind(1, Int64(reminder.code))
    look.bind(2, key)
    look.bind(3, Int64(row))
    look.bind(4, Int64(Outcome.delivered.rawValue))
    look.bind(5, end)
    return try look.first { $0.integer(0) }
  }

  func relink(_ row: Int64, _ link: Link) throws {
    try change(row) { $0.link = link }
  }

  /// Takes a notification out of the chain. Cost: the length of the chain up to it; it happens only
  /// after a clock was set back, and then it is near the head.
  func unchain(_ row: Int64, to previous: Int64, of stored: inout StoredRecipient) throws {
    guard stored.counts.head != row else {
      stored.counts.head = previous
      return
    }
    var current = stored.counts.head
    while current > row {
      let next = try self.row(of: current)?.link.previous ?? 0
      if next == row { return try change(current) { $0.link.previous = previous } }
      current = next
    }
  }
}
