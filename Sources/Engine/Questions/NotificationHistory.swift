package import CivilTime
package import Reminders

/// Selects notifications of a recipient (rule N6).
package struct HistoryQuestion: Sendable {
  package enum Part: String, CaseIterable, Sendable {
    /// Notifications that are not dismissed.
    case recent
    case dismissed
    case all
  }

  package var part = Part.recent
  /// Words that title or body must contain, ignoring case.
  package var words: [String] = []
  /// Whether bodies are searched too; not for callers that may not read them (rule H11).
  package var searchesBodies = true
  package var category: String?
  package var channel: Channel?
  /// Nil selects all states.
  package var state: NotificationState? = .delivered
  package var from: Instant?
  package var to: Instant?
  /// The cursor: `next` of the previous page.
  package var after: Int64?
  package var limit = 100

  package init() {}

  /// Whether exactly the recent notifications are selected.
  package var isOfRecent: Bool {
    part == .recent && words.isEmpty && category == nil && channel == nil && state == .delivered
      && from == nil && to == nil && after == nil
  }

  /// Whether an entry matches, apart from its state.
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

/// A page of a recipient's notifications, newest first.
package struct NotificationHistory: Sendable {
  package struct Entry: Sendable {
    package var identifier: String
    package var planned: Instant
    package var at: Instant
    /// The state of all channels together, and of each.
    package var state: NotificationState
    package var deliveries: [DeliveryHistory]
    package var channels: ChannelSet
    package var isSilent: Bool
    /// The gates that held or dropped the notification.
    package var reasons: [String]
    package var isDismissed: Bool
    /// Whether its inbox item is read; nil without one.
    package var isRead: Bool?
    package var message: Message
  }

  package var recipient: String
  package var zone: Zone
  package var now: Instant
  package var counts: InboxCounts
  /// Whether an occurrence is pending.
  package var hasPending: Bool
  package var entries: [Entry]
  /// The cursor of the next page; nil at the end. A page may be shorter than its limit, because the
  /// search is bounded.
  package var next: Int64?
  /// Whether the query selected exactly the recent notifications.
  package var isOfRecent = false

  /// Whether nothing is pending and nothing recent (rule N6).
  package var isCaughtUp: Bool {
    !hasPending && (counts.recent == 0 || isOfRecent && entries.isEmpty && next == nil)
  }
}
