import CivilTime
import Reminders
import Store

extension MemoryTransaction {
  func notifications(_ numbers: [Int64]) -> [Int64: StoredNotification] {
    var found: [Int64: StoredNotification] = [:]
    for number in numbers {
      guard let record = state.notifications[number]?.record else { continue }
      var past = PastNotification(
        identifier: identifier(of: number), reminder: record.reminder, key: record.key,
        round: record.round, channelGroup: record.channelGroup, planned: record.planned,
        at: record.at, expiry: record.expiry, outcome: record.outcome, channels: record.channels,
        isSilent: record.isSilent, trace: record.trace, message: record.message)
      past.hints = record.hints
      found[number] = StoredNotification(past, row: record.row)
    }
    return found
  }

  func notifications(of occurrences: [OccurrenceKey]) -> [Int64?] {
    occurrences.map { state.occurrences[$0] }
  }

  func notifications(of reminder: Symbol, key: Int64, row: UInt32) -> [Int64] {
    state.numbers(after: 0).filter { number in
      guard let record = state.notifications[number]?.record else { return false }
      return record.reminder == reminder && record.key == key && record.row == row
        && record.outcome != .dropped
    }
  }

  func notifications(
    of recipient: UInt32, after number: Int64, limit: Int
  ) -> (notifications: [RecordedNotification], last: Int64?) {
    let chain = chain(of: recipient, from: nil, downTo: number, limit: .max)
    let numbers = chain.numbers.filter { state.notifications[$0]?.record.row == recipient }
      .reversed().prefix(limit)
    return (numbers.compactMap(recordedNotification), numbers.last)
  }

  private func recordedNotification(_ number: Int64) -> RecordedNotification? {
    guard let record = state.notifications[number]?.record else { return nil }
    var entry = RecordedNotification(
      identifier: identifier(of: number), planned: record.planned, at: record.at,
      expiry: record.expiry, outcome: record.outcome, channels: record.channels,
      isSilent: record.isSilent, trace: record.trace, message: record.message,
      retries: retries(of: number))
    entry.attempts = state.attempts(of: number)
    return entry
  }

  private func retries(of number: Int64) -> [RecordedNotification.Retry] {
    Channel.allCases.compactMap { channel in
      guard let entry = state.retries[MemoryState.key(number, channel)], entry.withdrawn == nil
      else { return nil }
      return RecordedNotification.Retry(
        sink: entry.sink, channel: channel, attempts: entry.attempts, due: entry.due,
        reason: entry.reason)
    }
  }

  func deliveryStates(of notifications: [Int64]) -> [Int64: [DeliveryState]] {
    var states: [Int64: [DeliveryState]] = [:]
    for number in notifications {
      let trail = DeliveryTrail(
        notification: number, channels: state.notifications[number]?.channels ?? [],
        retries: retries(of: number), attempts: state.attempts(of: number))
      states[number] = trail.states(state.lanes)
    }
    return states
  }

  func notificationHistory(
    of stored: StoredRecipient, after start: Int64?, limit: Int
  ) -> [HistoryNotification] {
    let first = start.map { notification($0, of: stored)?.link.previous ?? 0 } ?? stored.counts.head
    return chain(of: stored.row, from: first, downTo: 0, limit: limit).numbers.compactMap {
      number in
      notification(number, of: stored).map { historyNotification($0, of: stored) }
    }
  }

  private func historyNotification(
    _ entry: MemoryState.Notification, of stored: StoredRecipient
  ) -> HistoryNotification {
    let record = entry.record
    let others = state.numbers(after: 0).compactMap { state.notifications[$0] }.filter {
      $0.link.leader == entry.number && $0.record.reminder == record.reminder
        && $0.record.key == record.key && $0.record.row == record.row
        && $0.record.round == record.round
    }
    let item = state.inbox[stored.row]?[entry.number]
    return HistoryNotification(
      groupRecords: ([entry] + others).map(\.groupRecord), isSilent: record.isSilent,
      isDismissed: entry.dismissed != nil || entry.number <= stored.counts.cleared,
      isRead: item?.isRead, message: item?.message ?? record.message,
      previous: entry.link.previous, isLeader: entry.link.leader == 0)
  }

  func feed(before number: Int64?, limit: Int) -> [FeedNotification] {
    let numbers = state.numbers(after: 0, through: (number ?? .max) - 1).reversed().prefix(limit)
    return numbers.compactMap { state.notifications[$0] }.compactMap { entry in
      state.recipients[entry.record.row].map { stored in
        FeedNotification(
          recipient: stored.recipient.name, reminder: entry.record.message.reminder,
          category: entry.record.message.category, groupRecord: entry.groupRecord,
          runLength: entry.record.trace.runLength)
      }
    }
  }

  func inbox(row: UInt32, after last: Int64?, offset: Int, limit: Int) -> [InboxItem] {
    state.inbox[row, default: [:]].filter { $0.key < last ?? .max }.sorted { $0.key > $1.key }
      .dropFirst(offset).prefix(limit)
      .map { number, item in
        InboxItem(notification: number, at: item.at, isRead: item.isRead, message: item.message)
      }
  }

  // MARK: - Streams

  func latestNotification() -> Int64 { lastNotification }

  func prunedThrough() -> Int64 { state.prunedThrough }

  func chain(
    of recipient: UInt32, from first: Int64?, downTo end: Int64, limit: Int
  ) -> NotificationChain {
    var numbers: [Int64] = []
    var current = first ?? state.recipients[recipient]?.counts.head ?? 0
    while numbers.count < limit, current > end {
      numbers.append(current)
      guard let entry = state.notifications[current], entry.record.row == recipient else {
        return NotificationChain(numbers: numbers, end: .broken)
      }
      current = entry.link.previous
    }
    return NotificationChain(numbers: numbers, end: .next(current))
  }

  func deliveries(of notifications: [Int64], to recipient: UInt32) -> [Int64: [Delivery]] {
    var found: [Int64: [Delivery]] = [:]
    for number in notifications {
      guard let entry = state.notifications[number], entry.record.row == recipient else { continue }
      found[number] = deliveries(of: entry, on: .all)
    }
    return found
  }

  func deliveries(
    of entry: MemoryState.Notification, on wanted: ChannelSet
  ) -> [Delivery] {
    guard entry.record.isDelivered else { return [] }
    return entry.record.channels.intersection(wanted).channels.compactMap {
      delivery(entry, on: $0)
    }
  }

  func delivery(_ entry: MemoryState.Notification, on channel: Channel) -> Delivery? {
    let record = entry.record
    guard let stored = state.recipients[record.row] else { return nil }
    var delivery = Delivery(
      instance: instance, notification: entry.number, row: record.row,
      recipient: stored.recipient.name, channel: channel, isSilent: record.isSilent,
      planned: record.planned, at: record.at, expiry: record.expiry, message: record.message)
    delivery.hints = record.hints
    delivery.key = record.key
    delivery.round = record.round
    return delivery
  }
}

extension MemoryState.Notification {
  fileprivate var groupRecord: HistoryNotification.GroupRecord {
    HistoryNotification.GroupRecord(
      notification: number, planned: record.planned, at: record.at, outcome: record.outcome,
      channels: channels, reasons: record.trace.reasons)
  }
}
