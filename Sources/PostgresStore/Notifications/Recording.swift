import Reminders
import Store

/// Decides the outcomes of notifications that are recorded together, given the existing outcomes of
/// the same occurrences.
struct Recording {
  /// An occurrence has one outcome in each channel group.
  private struct OutcomeKey: Hashable {
    let occurrence: Occurrence
    let channelGroup: Int64
  }

  let notifications: [NotificationRecord]
  /// The numbers of the notifications that are recorded; nil for others.
  private(set) var numbers: [Int64?]
  private(set) var links: [NotificationLink] = []
  /// The index in the batch of each notification's recipient.
  let batchIndices: [Int]
  /// The existing outcomes that are replaced.
  private(set) var replaced: [NotificationRow] = []

  /// The delivered notifications of each occurrence: their leader, or 0, and their number.
  private var delivered: [Occurrence: [(leader: Int64, number: Int64)]] = [:]

  /// - Parameters:
  ///   - first: the number of the first notification; the others follow.
  ///   - known: all outcomes of the notifications' `occurrences`. If the server rejects duplicate
  ///     outcomes, only the outcomes for notifications that may continue or replace an earlier one
  ///     are needed.
  init(
    _ notifications: [NotificationRecord], of batch: [StoredRecipient], from first: Int64,
    known: [NotificationRow]
  ) {
    self.notifications = notifications
    batchIndices = NotificationLink.batchIndices(of: notifications, in: batch)
    numbers = notifications.map { _ in nil }
    decide(first, known)
    for row in known where row.isDelivered {
      delivered[row.occurrence, default: []].append((row.link.leader, row.number))
    }
    let firstDelivered = self.firstDelivered
    links = NotificationLink.links(of: notifications, numbers, batchIndices, heads(of: batch)) {
      firstDelivered(Occurrence(reminder: $1, key: $0, row: $2), $3)
    }
    for (index, number) in numbers.enumerated() {
      guard let number, notifications[index].isDelivered else { continue }
      delivered[notifications[index].occurrence, default: []].append((links[index].leader, number))
    }
  }

  private mutating func decide(_ first: Int64, _ known: [NotificationRow]) {
    var taken: [OutcomeKey: Int] = [:]
    var before: [OutcomeKey: NotificationRow] = [:]
    for row in known {
      before[OutcomeKey(occurrence: row.occurrence, channelGroup: row.channelGroup)] = row
    }
    for (index, notification) in notifications.enumerated() {
      let key = OutcomeKey(
        occurrence: notification.occurrence, channelGroup: Int64(notification.channelGroup.number))
      if let other = taken[key] {
        guard notification.outcome.replaces(notifications[other].outcome) else { continue }
        numbers[other] = nil
      } else if let row = before[key] {
        guard notification.outcome.replaces(row.outcome) else { continue }
        replaced.append(row)
      }
      taken[key] = index
      numbers[index] = first + Int64(index)
    }
  }

  /// Returns the recipients, with the heads of their chains moved past the replaced notifications.
  private func heads(of batch: [StoredRecipient]) -> [StoredRecipient] {
    guard !replaced.isEmpty else { return batch }
    var batch = batch
    for index in batch.indices { batch[index].unchain(replaced) }
    return batch
  }

  /// The first delivered notification of an occurrence, in any channel group.
  ///
  /// - Parameter round: the round of the occurrence; nil for the latest round.
  func firstDelivered(_ occurrence: Occurrence, _ round: Int64?) -> Int64? {
    var occurrence = occurrence
    occurrence.round = round ?? delivered.keys.filter(occurrence.isAnyRound).map(\.round).max() ?? 0
    let first = delivered[occurrence]?.min { ($0.leader, $0.number) < ($1.leader, $1.number) }
    return first.map { $0.leader == 0 ? $0.number : $0.leader }
  }
}

extension Occurrence {
  fileprivate func isAnyRound(of other: Occurrence) -> Bool {
    reminder == other.reminder && key == other.key && row == other.row
  }
}

extension StoredRecipient {
  /// Moves the head of the chain past removed notifications, which may be consecutive.
  mutating func unchain(_ gone: [NotificationRow]) {
    while let first = gone.first(where: { $0.number == counts.head && $0.recipient == row }) {
      counts.head = first.link.previous
    }
  }
}

extension NotificationRecord {
  /// Whether the notification may continue or replace an earlier one.
  var mayContinueEarlier: Bool { isPaired || opener != nil || !replaced.isEmpty }

  /// The occurrences whose outcomes must be known: the notification's own, the opener of its batch,
  /// and those that it replaces.
  var occurrences: [Occurrence] {
    var keys = [occurrence]
    if let opener { keys.append(Occurrence(reminder: reminder, key: opener, row: row)) }
    keys += replaced.map { Occurrence(reminder: $0, key: key, row: row) }
    return keys
  }
}
