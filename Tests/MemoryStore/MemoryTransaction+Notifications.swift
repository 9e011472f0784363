import CivilTime
import Reminders
import Store

extension MemoryTransaction {
  var lastNotification: Int64 { state.nextNotification - 1 }

  func notificationCount(after notification: Int64) -> Int {
    state.notifications.keys.count { $0 > notification }
  }

  func record(
    _ notifications: [NotificationRecord], of batch: inout [StoredRecipient]
  ) -> [Int64?] {
    let first = state.nextNotification
    let recipientIndices = NotificationLink.recipientIndices(of: notifications, in: batch)
    var numbers: [Int64?] = notifications.map { _ in nil }
    for (index, notification) in notifications.enumerated() {
      let occurrence = notification.occurrence
      if let existing = state.occurrences[occurrence] {
        let isOfThisCall = existing >= first
        let previousOutcome =
          isOfThisCall ? notifications[Int(existing - first)].outcome : outcome(of: existing)
        guard let previousOutcome, notification.outcome.replaces(previousOutcome) else { continue }
        if isOfThisCall {
          numbers[Int(existing - first)] = nil
        } else {
          removeReplaced(existing, of: &batch[recipientIndices[index]])
        }
      }
      numbers[index] = first + Int64(index)
      state.occurrences[occurrence] = numbers[index]
    }
    let links = NotificationLink.links(of: notifications, numbers, recipientIndices, batch) {
      firstDelivered(for: $0, of: $1, row: $2, round: $3)
    }
    for (index, number) in numbers.enumerated() {
      guard let number else { continue }
      state.notifications[number] = MemoryState.Notification(
        number: number, record: notifications[index], link: links[index])
    }
    addToCountersAndInboxes(notifications, numbers, links, recipientIndices, &batch)
    if let last = numbers.last(where: { $0 != nil }) ?? nil { state.nextNotification = last + 1 }
    return numbers
  }

  private func outcome(of number: Int64) -> Outcome? { state.notifications[number]?.record.outcome }

  private func removeReplaced(_ number: Int64, of stored: inout StoredRecipient) {
    guard let replaced = state.notifications[number] else { return }
    state.removeNotification(number)
    unchain(number, to: replaced.link.previous, of: &stored)
  }

  /// Removes a notification from its recipient's chain.
  func unchain(_ number: Int64, to previous: Int64, of stored: inout StoredRecipient) {
    if stored.counts.head == number { stored.counts.head = previous }
    let successor = state.notifications.values.first {
      $0.record.row == stored.row && $0.link.previous == number
    }
    if let successor { state.notifications[successor.number]?.link.previous = previous }
  }

  /// Returns the leader of the notifications that were delivered in one round of an occurrence, on
  /// any channel group; nil if none was delivered.
  ///
  /// - Parameter round: nil for the latest round.
  private func firstDelivered(
    for key: Int64, of reminder: Symbol, row: UInt32, round: Int64? = nil
  ) -> Int64? {
    let delivered = state.notifications.values.filter {
      $0.record.reminder == reminder && $0.record.key == key && $0.record.row == row
        && $0.record.isDelivered
    }
    let round = round ?? delivered.map(\.record.round).max()
    let roundMembers = delivered.filter { $0.record.round == round }
    let first = roundMembers.min { ($0.link.leader, $0.number) < ($1.link.leader, $1.number) }
    return first.map { $0.link.leader == 0 ? $0.number : $0.link.leader }
  }

  /// Updates the counts and inboxes of recipients for newly recorded notifications.
  private func addToCountersAndInboxes(
    _ notifications: [NotificationRecord], _ numbers: [Int64?], _ links: [NotificationLink],
    _ recipientIndices: [Int], _ batch: inout [StoredRecipient]
  ) {
    var newItems: Set<Int64> = []
    for (index, notification) in notifications.enumerated() {
      guard let number = numbers[index] else { continue }
      let (batchIndex, leader) = (recipientIndices[index], links[index].leader)
      batch[batchIndex].counts.record(number, isRecent: notification.isDelivered && leader == 0)
      guard notification.isDelivered else { continue }
      for reminder in notification.replaced {
        let replaced = firstDelivered(for: notification.key, of: reminder, row: notification.row)
        if let replaced { _ = dismiss(replaced, of: &batch[batchIndex], now: notification.at) }
      }
      guard notification.channelGroup == .inapp else { continue }
      let itemNumber = leader == 0 ? number : leader
      if leader != 0, var existing = state.inbox[notification.row]?[itemNumber] {
        existing.message = notification.message
        if newItems.contains(itemNumber) { existing.at = notification.at }
        state.inbox[notification.row]?[itemNumber] = existing
      } else {
        state.inbox[notification.row, default: [:]][itemNumber] = MemoryState.Item(
          at: notification.at, message: notification.message)
        newItems.insert(itemNumber)
        batch[batchIndex].counts.addItem()
      }
    }
  }

  // MARK: - Reading and dismissing

  /// Returns the leader of a notification, or the notification itself if it has no leader; nil if
  /// the notification is not the recipient's.
  private func leader(
    of number: Int64, for stored: StoredRecipient
  ) -> MemoryState.Notification? {
    guard let entry = notification(number, of: stored) else { return nil }
    return entry.link.leader == 0 ? entry : notification(entry.link.leader, of: stored)
  }

  /// Returns a notification; nil if it is missing or another recipient's.
  func notification(_ number: Int64, of stored: StoredRecipient) -> MemoryState.Notification? {
    state.notifications[number].flatMap { $0.record.row == stored.row ? $0 : nil }
  }

  func markAsRead(_ notifications: [Int64], of stored: inout StoredRecipient, now: Instant) -> Int {
    var count = 0
    for number in notifications {
      guard let entry = leader(of: number, for: stored),
        let item = state.inbox[stored.row]?[entry.number]
      else { continue }
      count += 1
      if !item.isRead { stored.counts.readItem() }
      state.inbox[stored.row]?[entry.number]?.isRead = true
      stored.recipient.closeBatch(of: entry.record.reminder, opener: entry.record.key)
    }
    return count
  }

  func markAllAsRead(of stored: inout StoredRecipient, now: Instant) {
    state.inbox[stored.row] = state.inbox[stored.row]?.mapValues { item in
      var item = item
      item.isRead = true
      return item
    }
    stored.counts.unread = 0
    stored.recipient.closeBatches()
  }

  func dismiss(_ notification: Int64, of stored: inout StoredRecipient, now: Instant) -> Bool {
    guard let entry = leader(of: notification, for: stored), entry.record.outcome != .dropped,
      entry.dismissed == nil, entry.number > stored.counts.cleared
    else { return false }
    state.notifications[entry.number]?.dismissed = now
    guard entry.record.isDelivered else { return true }
    stored.counts.removeRecent()
    stored.recipient.closeBatch(of: entry.record.reminder, opener: entry.record.key)
    removeItem(entry.number, of: &stored)
    return true
  }

  func removeItem(_ number: Int64, of stored: inout StoredRecipient) {
    guard let item = state.inbox[stored.row]?.removeValue(forKey: number) else { return }
    stored.counts.removeItem(isRead: item.isRead)
  }

  func clear(_ stored: inout StoredRecipient) -> Int {
    state.inbox[stored.row] = nil
    stored.recipient.closeBatches()
    return stored.counts.clear()
  }

  func recent(
    of stored: StoredRecipient, limit: Int
  ) -> [(category: String, channels: ChannelSet)] {
    let chain = chain(
      of: stored.row, from: stored.counts.head, downTo: stored.counts.cleared, limit: limit)
    return chain.numbers.compactMap { notification($0, of: stored) }
      .filter { $0.record.isDelivered && $0.link.leader == 0 && $0.dismissed == nil }
      .map { ($0.record.message.category, $0.record.channels) }
  }

  func drops(of stored: StoredRecipient, after last: Int64) -> [DroppedOccurrence] {
    chain(of: stored.row, from: stored.counts.head, downTo: last, limit: .max).numbers.reversed()
      .compactMap { notification($0, of: stored)?.record }.filter { $0.outcome == .dropped }
      .map { record in
        DroppedOccurrence(
          reminder: record.reminder, key: record.key,
          channelGroupNumber: UInt8(truncatingIfNeeded: record.channelGroup.number),
          planned: record.planned, round: record.round)
      }
  }
}
