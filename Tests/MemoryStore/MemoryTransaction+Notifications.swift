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
    let batchIndices = NotificationLink.batchIndices(of: notifications, in: batch)
    var numbers: [Int64?] = notifications.map { _ in nil }
    for (index, notification) in notifications.enumerated() {
      let occurrence = notification.occurrence
      if let taken = state.occurrences[occurrence] {
        let isHere = taken >= first
        let before = isHere ? notifications[Int(taken - first)].outcome : outcome(of: taken)
        guard let before, notification.outcome.replaces(before) else { continue }
        if isHere {
          numbers[Int(taken - first)] = nil
        } else {
          takeOut(taken, of: &batch[batchIndices[index]])
        }
      }
      numbers[index] = first + Int64(index)
      state.occurrences[occurrence] = numbers[index]
    }
    let links = NotificationLink.links(of: notifications, numbers, batchIndices, batch) {
      standing(for: $0, of: $1, row: $2, round: $3)
    }
    for (index, number) in numbers.enumerated() {
      guard let number else { continue }
      state.notifications[number] = MemoryState.Notification(
        number: number, record: notifications[index], link: links[index])
    }
    enter(notifications, numbers, links, batchIndices, &batch)
    if let last = numbers.last(where: { $0 != nil }) ?? nil { state.nextNotification = last + 1 }
    return numbers
  }

  private func outcome(of number: Int64) -> Outcome? { state.notifications[number]?.record.outcome }

  private func takeOut(_ number: Int64, of stored: inout StoredRecipient) {
    guard let gone = state.notifications[number] else { return }
    state.removeNotification(number)
    unchain(number, to: gone.link.previous, of: &stored)
  }

  /// Removes a notification from its recipient's chain.
  func unchain(_ number: Int64, to previous: Int64, of stored: inout StoredRecipient) {
    if stored.counts.head == number { stored.counts.head = previous }
    let behind = state.notifications.values.first {
      $0.record.row == stored.row && $0.link.previous == number
    }
    if let behind { state.notifications[behind.number]?.link.previous = previous }
  }

  /// The notification that represents a recorded occurrence, on any channel group.
  ///
  /// - Parameter round: nil for the latest.
  private func standing(
    for key: Int64, of reminder: Symbol, row: UInt32, round: Int64? = nil
  ) -> Int64? {
    let rounds = state.notifications.values.filter {
      $0.record.reminder == reminder && $0.record.key == key && $0.record.row == row
        && $0.record.isDelivered
    }
    let latest = round ?? rounds.map(\.record.round).max()
    let told = rounds.filter { $0.record.round == latest }
    let first = told.min { ($0.link.leader, $0.number) < ($1.link.leader, $1.number) }
    return first.map { $0.link.leader == 0 ? $0.number : $0.link.leader }
  }

  private func enter(
    _ notifications: [NotificationRecord], _ numbers: [Int64?], _ links: [NotificationLink],
    _ batchIndices: [Int], _ batch: inout [StoredRecipient]
  ) {
    var fresh: Set<Int64> = []
    for (index, notification) in notifications.enumerated() {
      guard let number = numbers[index] else { continue }
      let (batchIndex, leader) = (batchIndices[index], links[index].leader)
      batch[batchIndex].counts.record(number, isRecent: notification.isDelivered && leader == 0)
      guard notification.isDelivered else { continue }
      for reminder in notification.replaced {
        let standing = standing(for: notification.key, of: reminder, row: notification.row)
        if let standing { _ = dismiss(standing, of: &batch[batchIndex], now: notification.at) }
      }
      guard notification.channelGroup == .inapp else { continue }
      let item = leader == 0 ? number : leader
      if leader != 0, var known = state.inbox[notification.row]?[item] {
        known.message = notification.message
        if fresh.contains(item) { known.at = notification.at }
        state.inbox[notification.row]?[item] = known
      } else {
        state.inbox[notification.row, default: [:]][item] = MemoryState.Item(
          at: notification.at, message: notification.message)
        fresh.insert(item)
        batch[batchIndex].counts.addItem()
      }
    }
  }

  // MARK: - Reading and dismissing

  /// Returns the leader of a notification, or the notification itself if it has no leader; nil if
  /// the notification is not the recipient's.
  private func standing(
    for number: Int64, of stored: StoredRecipient
  ) -> MemoryState.Notification? {
    guard let kept = own(number, of: stored) else { return nil }
    return kept.link.leader == 0 ? kept : own(kept.link.leader, of: stored)
  }

  func own(_ number: Int64, of stored: StoredRecipient) -> MemoryState.Notification? {
    state.notifications[number].flatMap { $0.record.row == stored.row ? $0 : nil }
  }

  func read(_ notifications: [Int64], of stored: inout StoredRecipient, now: Instant) -> Int {
    var count = 0
    for number in notifications {
      guard let kept = standing(for: number, of: stored),
        let item = state.inbox[stored.row]?[kept.number]
      else { continue }
      count += 1
      if !item.isRead { stored.counts.readItem() }
      state.inbox[stored.row]?[kept.number]?.isRead = true
      stored.recipient.closeBatch(of: kept.record.reminder, opener: kept.record.key)
    }
    return count
  }

  func readAll(of stored: inout StoredRecipient, now: Instant) {
    state.inbox[stored.row] = state.inbox[stored.row]?.mapValues { item in
      var item = item
      item.isRead = true
      return item
    }
    stored.counts.unread = 0
    stored.recipient.closeBatches()
  }

  func dismiss(_ notification: Int64, of stored: inout StoredRecipient, now: Instant) -> Bool {
    guard let kept = standing(for: notification, of: stored), kept.record.outcome != .dropped,
      kept.dismissed == nil, kept.number > stored.counts.cleared
    else { return false }
    state.notifications[kept.number]?.dismissed = now
    guard kept.record.isDelivered else { return true }
    stored.counts.removeRecent()
    stored.recipient.closeBatch(of: kept.record.reminder, opener: kept.record.key)
    removeItem(kept.number, of: &stored)
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
    of stored: StoredRecipient, most: Int
  ) -> [(category: String, channels: ChannelSet)] {
    let chain = chain(
      of: stored.row, from: stored.counts.head, downTo: stored.counts.cleared, limit: most)
    return chain.numbers.compactMap { own($0, of: stored) }
      .filter { $0.record.isDelivered && $0.link.leader == 0 && $0.dismissed == nil }
      .map { ($0.record.message.category, $0.record.channels) }
  }

  func drops(of stored: StoredRecipient, after last: Int64) -> [DroppedOccurrence] {
    chain(of: stored.row, from: stored.counts.head, downTo: last, limit: .max).numbers.reversed()
      .compactMap { own($0, of: stored)?.record }.filter { $0.outcome == .dropped }
      .map { record in
        DroppedOccurrence(
          reminder: record.reminder, key: record.key,
          channelGroupNumber: UInt8(truncatingIfNeeded: record.channelGroup.number),
          planned: record.planned, round: record.round)
      }
  }
}
