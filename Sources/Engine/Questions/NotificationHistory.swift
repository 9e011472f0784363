package import CivilTime
package import Reminders

/// What is asked of what a recipient was told (rule N4).
package struct HistoryQuestion: Sendable {
  package enum Part: String, CaseIterable, Sendable {
    /// Not dismissed.
    case recent
    case dismissed
    case all
  }

  package var part = Part.recent
  /// Words of which each is in the title or the body, whatever their case.
  package var words: [String] = []
  /// Whether words are looked for in the body too; not for who may not read it (rule H5).
  package var searchesBodies = true
  package var category: String?
  package var channel: Channel?
  /// Nil for whatever has become of it.
  package var state: NotificationState? = .delivered
  package var from: Instant?
  package var to: Instant?
  /// Where the page before ended.
  package var after: Int64?
  package var limit = 100

  package init() {}

  /// Whether nothing but what arrived of late is asked for.
  package var isOfRecent: Bool {
    part == .recent && words.isEmpty && category == nil && channel == nil && state == .delivered
      && from == nil && to == nil && after == nil
  }

  /// Whether an entry is asked for, whatever has become of it.
  package func wants(_ entry: NotificationHistory.Entry) -> Bool {
    guard part == .all || entry.isDismissed == (part == .dismissed) else { return false }
    if let category, entry.message.category != category { return false }
    if let channel, !entry.channels.contains(ChannelSet(channel)) { return false }
    if let from, entry.at < from { return false }
    if let to, entry.at >= to { return false }
    return words.isEmpty || hasWords(entry.message)
  }

  private func hasWords(_ message: Message) -> Bool {
    let searched = searchesBodies ? message.title + "\n" + message.body : message.title
    let text = searched.lowercased()
    return words.allSatisfy { text.contains($0.lowercased()) }
  }
}

/// A page of what a recipient was told, the latest first.
package struct NotificationHistory: Sendable {
  package struct Entry: Sendable {
    package var identifier: String
    package var planned: Instant
    package var at: Instant
    /// What has become of it on all its channels together, and on each.
    package var state: NotificationState
    package var deliveries: [DeliveryHistory]
    package var channels: ChannelSet
    package var isSilent: Bool
    /// The gates that held or dropped it.
    package var reasons: [String]
    package var isDismissed: Bool
    /// Whether its item of the inbox is read; nil if it has none.
    package var isRead: Bool?
    package var message: Message
  }

  package var recipient: String
  package var zone: Zone
  package var now: Instant
  package var counts: InboxCounts
  /// Whether something is pending.
  package var hasPending: Bool
  package var entries: [Entry]
  /// Where this page ended, if there is more behind it; a page may end before it is full, for a
  /// search looks only so far at a time.
  package var next: Int64?
  /// Whether it is asked for all that is recent.
  package var isOfRecent = false

  /// Whether nothing is scheduled and nothing recent (rule N4).
  package var isCaughtUp: Bool {
    !hasPending && (counts.recent == 0 || isOfRecent && entries.isEmpty && next == nil)
  }
}
