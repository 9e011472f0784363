import Reminders
import Store

/// What becomes of outcomes that are recorded together, decided from what is there of the same
/// occurrences.
struct Recording {
  /// Of one occurrence on one way out there is one outcome.
  private struct Place: Hashable {
    let occurrence: Occurrence
    let channelGroup: Int64
  }

  let notifications: [NotificationRecord]
  /// Of those that are recorded.
  private(set) var numbers: [Int64?]
  private(set) var links: [NotificationLink] = []
  /// The place of each one's recipient in the batch.
  let places: [Int]
  /// The outcomes whose places others take.
  private(set) var replaced: [NotificationRow] = []

  /// What went out of each occurrence: the leader, or 0, and the number.
  private var told: [Occurrence: [(leader: Int64, number: Int64)]] = [:]

  /// - Parameters:
  ///   - first: the number of the first of the notifications; the others follow.
  ///   - known: all outcomes of the notifications' `occurrences`; of those that do not go on with
  ///     anything they may be missing, if the server refuses what has an outcome.
  init(
    _ notifications: [NotificationRecord], of batch: [StoredRecipient], from first: Int64,
    known: [NotificationRow]
  ) {
    self.notifications = notifications
    places = NotificationLink.places(of: notifications, in: batch)
    numbers = notifications.map { _ in nil }
    decide(first, known)
    for row in known where row.isDelivered {
      told[row.occurrence, default: []].append((row.link.leader, row.number))
    }
    let standing = self.standing
    links = NotificationLink.links(of: notifications, numbers, places, heads(of: batch)) {
      standing(Occurrence(reminder: $1, key: $0, row: $2), $3)
    }
    for (index, number) in numbers.enumerated() {
      guard let number, notifications[index].isDelivered else { continue }
      told[notifications[index].occurrence, default: []].append((links[index].leader, number))
    }
  }

  private mutating func decide(_ first: Int64, _ known: [NotificationRow]) {
    var taken: [Place: Int] = [:]
    var before: [Place: NotificationRow] = [:]
    for row in known {
      before[Place(occurrence: row.occurrence, channelGroup: row.channelGroup)] = row
    }
    for (index, notification) in notifications.enumerated() {
      let place = Place(
        occurrence: notification.occurrence, channelGroup: Int64(notification.channelGroup.place))
      if let other = taken[place] {
        guard notification.outcome.replaces(notifications[other].outcome) else { continue }
        numbers[other] = nil
      } else if let row = before[place] {
        guard notification.outcome.replaces(row.outcome) else { continue }
        replaced.append(row)
      }
      taken[place] = index
      numbers[index] = first + Int64(index)
    }
  }

  /// The recipients as they are when what is replaced is gone.
  private func heads(of batch: [StoredRecipient]) -> [StoredRecipient] {
    guard !replaced.isEmpty else { return batch }
    var batch = batch
    for index in batch.indices { batch[index].unchain(replaced) }
    return batch
  }

  /// The notification that stands for an occurrence that was told of, on whichever way out.
  ///
  /// - Parameter round: nil for the latest.
  func standing(_ occurrence: Occurrence, _ round: Int64?) -> Int64? {
    var occurrence = occurrence
    occurrence.round = round ?? told.keys.filter(occurrence.isAnyRound).map(\.round).max() ?? 0
    let first = told[occurrence]?.min { ($0.leader, $0.number) < ($1.leader, $1.number) }
    return first.map { $0.leader == 0 ? $0.number : $0.leader }
  }
}

extension Occurrence {
  fileprivate func isAnyRound(of other: Occurrence) -> Bool {
    reminder == other.reminder && key == other.key && row == other.row
  }
}

extension StoredRecipient {
  /// Lets the chain of notifications begin behind those that are gone, which may stand one behind
  /// the other.
  mutating func unchain(_ gone: [NotificationRow]) {
    while let first = gone.first(where: { $0.number == counts.head && $0.recipient == row }) {
      counts.head = first.link.previous
    }
  }
}

extension NotificationRecord {
  /// Whether what was said before may be part of what it says.
  var goesOn: Bool { isPaired || opener != nil || !replaced.isEmpty }

  /// Of which it has to be known what was said: its own, the one that opened its batch, and those
  /// that it replaces.
  var occurrences: [Occurrence] {
    var keys = [occurrence]
    if let opener { keys.append(Occurrence(reminder: reminder, key: opener, row: row)) }
    keys += replaced.map { Occurrence(reminder: $0, key: key, row: row) }
    return keys
  }
}
