import Access
import CivilTime
import Reminders
import Store

/// The content of a memory store. It is a value, so a copy is a snapshot, and a failed unit of work
/// leaves nothing behind.
struct MemoryState: Sendable {
  struct StoredEvent: Sendable {
    var event: Event
    /// The row of the recipient.
    var row: UInt32
    /// The number of the recipient's previous event; 0 for the first.
    var previous: Int64
    /// When the event arrived.
    var received: Instant
  }

  struct Notification: Sendable {
    let number: Int64
    var record: NotificationRecord
    var link: NotificationLink
    /// When the recipient dismissed the notification; nil if that has not happened.
    var dismissed: Instant?
    /// The channels that were added as fallbacks.
    var fallback: ChannelSet = []

    /// All channels, including fallbacks.
    var channels: ChannelSet { record.channels.union(fallback) }
  }

  /// An item of an inbox.
  struct Item: Sendable {
    /// When the item arrived.
    var at: Instant
    var isRead = false
    var message: Message
  }

  struct StoredRetry: Sendable {
    var sink: String
    /// The number of attempts so far.
    var attempts = 0
    /// When the next attempt is due; nil for a dead letter.
    var due: Instant?
    /// The reason why the last attempt failed.
    var reason = ""
    /// Whether the retry is in flight. After a crash the flag stays set until the next start takes
    /// the orphans.
    var isInFlight = false
    /// The number of deaths of the process while the retry was in flight.
    var deaths = 0
    /// When it was decided to withdraw the delivery.
    var withdrawn: Instant?
  }

  /// Small values of the service, by name.
  var notes: [String: String] = [:]
  /// The adoptions by their instants, and the texts of their catalogs.
  var adoptions: [Instant: Adoption] = [:]
  var adoptedTexts: [String: String] = [:]
  /// The tokens by their identifiers.
  var tokens: [String: TokenRecord] = [:]
  var analytics: [(number: Int64, row: UInt32, event: AnalyticsEvent)] = []
  var usage: [UsageKey: Int] = [:]
  var nextAnalytics: Int64 = 1

  var recipients: [UInt32: StoredRecipient] = [:]
  /// The row of each recipient, by name.
  var rows: [ExactText: UInt32] = [:]
  /// Recipients that are admitted and not yet saved.
  var admitted: [UInt32: String] = [:]
  var nextRecipient: UInt32 = 1
  /// The telephone number by which each recipient is found.
  var phones: [UInt32: PhoneNumber] = [:]
  /// The bases of the facts of recipients with pruned events, by row.
  var bases: [UInt32: FactBase] = [:]
  var events: [Int64: StoredEvent] = [:]
  /// The number of each event, by identity.
  var identities: [EventIdentity: Int64] = [:]
  var nextEvent: Int64 = 1
  /// The salted hashes of the identities of erased recipients' events.
  var erasedIdentities: Set<Int> = []
  /// The latest erasure of each erased recipient, by a salted hash of the name.
  var erasures: [Int: Instant] = [:]
  /// The instant of the first erasure since the last cleaning, and the number of all erasures.
  var erasureOpen: Instant?
  var erasureCount = 0

  var notifications: [Int64: Notification] = [:]
  /// The number of each occurrence's notification.
  var occurrences: [OccurrenceKey: Int64] = [:]
  var nextNotification: Int64 = 1
  /// The highest number of a pruned notification; 0 if none was pruned.
  var prunedThrough: Int64 = 0
  /// The items by the recipient's row and the notification's number.
  var inbox: [UInt32: [Int64: Item]] = [:]

  /// The lanes by the names of their sinks.
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
