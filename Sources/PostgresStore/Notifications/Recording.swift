import Reminders
import Store

/// Decides which of the given notifications are recorded, and how they are linked. The decisions
/// depend on the existing outcomes of the same occurrences.
struct Recording {
  /// The key of an outcome: an occurrence has one in each channel group.
  private struct OutcomeKey: Hashable {
    let occurrence: Occurrence
    let channelGroup: Int64
  }

  let notifications: [NotificationRecord]
  /// The numbers of the notifications that are recorded; nil for others.
  private(set) var numbers: [Int64?]
  private(set) var links: [NotificationLink] = []
  /// For each notification, the index of its recipient among the given recipients.
  let recipientIndices: [Int]
  /// The existing outcomes that are replaced.
  private(set) var replaced: [NotificationRow] = []

  /// The delivered notifications of each occurrence. Each has its own number and that of its
  /// leader, which is 0 if it has none. The leader is the first notification of the occurrence or
  /// batch.
  private var delivered: [Occurrence: [(leader: Int64, number: Int64)]] = [:]

  /// - Parameters:
  ///   - first: the number of the first notification; the others follow.
  ///   - existing: all outcomes of the notifications' `occurrences`. A caller that lets the server
  ///     reject second outcomes passes only those outcomes that a notification may continue or
  ///     replace.
  init(
    _ notifications: [NotificationRecord], of recipients: [StoredRecipient], from first: Int64,
    existing: [NotificationRow]
  ) {
    self.notifications = notifications
    recipientIndices = NotificationLink.recipientIndices(of: notifications, in: recipients)
    numbers = notifications.map { _ in nil }
    assignNumbers(from: first, existing)
    for row in existing where row.isDelivered {
      delivered[row.occurrence, default: []].append((row.link.leader, row.number))
    }
    let firstDelivered = self.firstDelivered
    links = NotificationLink.links(
      of: notifications, numbers, recipientIndices, withoutReplaced(recipients)
    ) {
      firstDelivered(Occurrence(reminder: $1, key: $0, row: $2), $3)
    }
    for (index, number) in numbers.enumerated() {
      guard let number, notifications[index].isDelivered else { continue }
      delivered[notifications[index].occurrence, default: []].append((links[index].leader, number))
    }
  }

  /// Assigns numbers to the notifications that are recorded, and finds the outcomes they replace.
  private mutating func assignNumbers(from first: Int64, _ existing: [NotificationRow]) {
    var recordedIndices: [OutcomeKey: Int] = [:]
    var existingRows: [OutcomeKey: NotificationRow] = [:]
    for row in existing {
      existingRows[OutcomeKey(occurrence: row.occurrence, channelGroup: row.channelGroup)] = row
    }
    for (index, notification) in notifications.enumerated() {
      let key = OutcomeKey(
        occurrence: notification.occurrence, channelGroup: Int64(notification.channelGroup.number))
      if let other = recordedIndices[key] {
        guard notification.outcome.replaces(notifications[other].outcome) else { continue }
        numbers[other] = nil
      } else if let row = existingRows[key] {
        guard notification.outcome.replaces(row.outcome) else { continue }
        replaced.append(row)
      }
      recordedIndices[key] = index
      numbers[index] = first + Int64(index)
    }
  }

  /// Returns the recipients, each with the head of its chain of notifications moved past those that
  /// are replaced.
  private func withoutReplaced(_ recipients: [StoredRecipient]) -> [StoredRecipient] {
    guard !replaced.isEmpty else { return recipients }
    var recipients = recipients
    for index in recipients.indices { recipients[index].unchain(replaced) }
    return recipients
  }

  /// Returns the first delivered notification of an occurrence, in any channel group; nil if there
  /// is none.
  ///
  /// - Parameter round: the round of the occurrence; nil for the latest round. A snooze, for
  ///   example, begins another round.
  func firstDelivered(_ occurrence: Occurrence, _ round: Int64?) -> Int64? {
    var occurrence = occurrence
    occurrence.round =
      round ?? delivered.keys.filter(occurrence.differsOnlyInRound).map(\.round).max() ?? 0
    let first = delivered[occurrence]?.min { ($0.leader, $0.number) < ($1.leader, $1.number) }
    return first.map { $0.leader == 0 ? $0.number : $0.leader }
  }
}

extension Occurrence {
  fileprivate func differsOnlyInRound(from other: Occurrence) -> Bool {
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
  var mayContinueEarlier: Bool { hasOtherGroups || opener != nil || !replaced.isEmpty }

  /// The occurrences whose outcomes must be known: the notification's own, the one that opened its
  /// batch, and those that it replaces. Notifications that share an inbox item are a batch.
  var occurrences: [Occurrence] {
    var keys = [occurrence]
    if let opener { keys.append(Occurrence(reminder: reminder, key: opener, row: row)) }
    keys += replaced.map { Occurrence(reminder: $0, key: key, row: row) }
    return keys
  }
}
