import Access
import CivilTime
import Reminders
import Store

/// The content of a memory store. It is a value, so a copy is a snapshot, and a failed unit of work
/// leaves nothing behind.
struct MemoryState: Sendable {
  struct StoredEvent: Sendable {
    var event: Event
    var row: UInt32
    var previous: Int64
    var received: Instant
  }

  struct Notification: Sendable {
    let number: Int64
    var record: NotificationRecord
    var link: NotificationLink
    var dismissed: Instant?
    var fallback: ChannelSet = []

    var channels: ChannelSet { record.channels.union(fallback) }
  }

  struct Item: Sendable {
    var at: Instant
    var isRead = false
    var message: Message
  }

  struct StoredRetry: Sendable {
    var sink: String
    var attempts = 0
    var due: Instant?
    var reason = ""
    /// Whether the retry is in flight. After a crash the flag stays set until the next start takes
    /// the orphans.
    var isInFlight = false
    var deaths = 0
    /// When it was decided to withdraw the delivery.
    var withdrawn: Instant?
  }

  var notes: [String: String] = [:]
  var tokens: [String: TokenRecord] = [:]
  var analytics: [(number: Int64, row: UInt32, event: AnalyticsEvent)] = []
  var usage: [UsageKey: Int] = [:]
  var nextAnalytics: Int64 = 1

  var recipients: [UInt32: StoredRecipient] = [:]
  var rows: [ExactText: UInt32] = [:]
  /// Recipients that are admitted and not yet saved.
  var admitted: [UInt32: String] = [:]
  var nextRecipient: UInt32 = 1
  /// The telephone number by which each recipient is found.
  var phones: [UInt32: PhoneNumber] = [:]
  var events: [Int64: StoredEvent] = [:]
  var identities: [EventIdentity: Int64] = [:]
  var nextEvent: Int64 = 1
  /// The remains of erased recipients, as salted hashes of their events and names.
  var erasedIdentities: Set<Int> = []
  var erasures: [Int: Instant] = [:]
  /// The instant of the first erasure since the last cleaning, and the number of all erasures.
  var erasureOpen: Instant?
  var erasureCount = 0

  var notifications: [Int64: Notification] = [:]
  var occurrences: [OccurrenceKey: Int64] = [:]
  var nextNotification: Int64 = 1
  var prunedThrough: Int64 = 0
  var inbox: [UInt32: [Int64: Item]] = [:]

  var lanes: [String: StoredLane] = [:]
  var retries: [DeliveryChanges.Key: StoredRetry] = [:]
  /// The attempts of each delivery, in order.
  var attempts: [DeliveryChanges.Key: [Attempt]] = [:]
  /// The report about each delivery that has one.
  var reports: [DeliveryChanges.Key: Attempt] = [:]
  /// The steps of each delivery's withdrawal, by their numbers.
  var withdrawals: [DeliveryChanges.Key: [Int64: Attempt]] = [:]
}

extension MemoryState {
  /// A notification's attempts and reports in order of time.
  func attempts(of notification: Int64) -> [Attempt] {
    Channel.allCases.map { Self.key(notification, $0) }
      .flatMap { key in
        let steps = withdrawals[key, default: [:]].sorted { $0.key < $1.key }.map(\.value)
        return steps + [reports[key]].compactMap(\.self) + (attempts[key] ?? [])
      }
      .enumerated().sorted { ($0.element.at, $0.offset) < ($1.element.at, $1.offset) }
      .map(\.element)
  }

  static func key(_ notification: Int64, _ channel: Channel) -> DeliveryChanges.Key {
    DeliveryChanges.Key(notification: notification, channel: channel)
  }

  /// Returns the numbers of the notifications after a number, in order.
  func numbers(after number: Int64, through last: Int64 = .max) -> [Int64] {
    notifications.keys.filter { $0 > number && $0 <= last }.sorted()
  }

  mutating func removeNotification(_ number: Int64) {
    guard let removed = notifications.removeValue(forKey: number) else { return }
    occurrences[removed.record.occurrence] = nil
    for channel in Channel.allCases {
      retries[Self.key(number, channel)] = nil
      attempts[Self.key(number, channel)] = nil
      reports[Self.key(number, channel)] = nil
      withdrawals[Self.key(number, channel)] = nil
    }
  }
}

extension NotificationRecord {
  var occurrence: OccurrenceKey {
    OccurrenceKey(reminder, key, row: row, channelGroup, round: round)
  }
}
