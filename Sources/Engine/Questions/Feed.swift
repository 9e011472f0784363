package import CivilTime
package import Reminders
package import Store

/// Selects notifications of all recipients, including those that were not sent.
package struct FeedQuery: EngineQuery {
  /// The reminder of the selected notifications; nil selects all reminders.
  package var reminder: String?
  /// The category of the selected notifications; nil selects all categories.
  package var category: String?
  /// A channel of the selected notifications; nil selects all channels.
  package var channel: Channel?
  /// The states of the selected notifications; nil selects all states.
  package var states: Set<NotificationState>?
  /// The current or last sink of a delivery; nil selects all sinks.
  package var sink: String?
  /// The cursor: `next` of the previous page.
  package var after: Int64?
  package var limit = 100

  package init() {}

  package func answer(from questions: Questions, now: Instant) throws(StoreError) -> FeedPage {
    try questions.feed(self)
  }

  /// Whether an entry may match, before its deliveries are known.
  fileprivate func mayMatch(_ entry: FeedNotification) -> Bool {
    if let reminder, entry.reminder != reminder { return false }
    if let category, entry.category != category { return false }
    if let channel, !entry.groupRecord.channels.contains(ChannelSet(channel)) { return false }
    guard let states else { return true }
    switch entry.groupRecord.outcome {
    case .delivered: return states != [.bundled]
    case .dropped: return states.contains(.dropped)
    case .bundled: return states.contains(.bundled)
    }
  }

  /// Whether an entry that may match does so by its state and its sinks.
  fileprivate func matches(_ entry: FeedPage.Entry) -> Bool {
    if let states, !states.contains(entry.state) { return false }
    if let sink, !entry.deliveries.contains(where: { $0.sink == sink }) { return false }
    return true
  }
}

/// A page of the notifications of all recipients, newest first, including those not sent; without
/// texts.
package struct FeedPage: Sendable {
  package struct Entry: Sendable {
    /// The id of the notification.
    package var identifier: String
    package var notification: FeedNotification
    /// The state of all channels together.
    package var state: NotificationState
    /// The deliveries by channel, each with its current or last sink; nil if it has had no sink.
    package var deliveries: [(history: DeliveryHistory, sink: String?)]
  }

  package var entries: [Entry]
  /// The cursor of the next page; nil at the end. A page may be shorter than its limit, because the
  /// search is bounded.
  package var next: Int64?

  package init(entries: [Entry] = [], next: Int64? = nil) {
    self.entries = entries
    self.next = next
  }
}

extension Questions {
  /// The maximum number of notifications examined by one query, and per read.
  private static let searchMax = 1_000
  private static let readMax = 256

  fileprivate func feed(_ query: FeedQuery) throws(StoreError) -> FeedPage {
    try readers.read { reader in
      var page = FeedPage(next: query.after)
      var remaining = Self.searchMax
      while remaining > 0 {
        let limit = min(remaining, Self.readMax)
        let examined = try reader.feed(before: page.next, limit: limit)
        let candidates = examined.filter(query.mayMatch)
        let states = try reader.deliveryStates(
          of: candidates.filter { $0.groupRecord.outcome != .bundled }.map(
            \.groupRecord.notification))
        for notification in candidates {
          let entry = entry(notification, states[notification.groupRecord.notification] ?? [])
          guard query.matches(entry) else { continue }
          page.entries.append(entry)
          page.next = notification.groupRecord.notification
          if page.entries.count == query.limit { return page }
        }
        page.next = examined.last?.groupRecord.notification
        if examined.count < limit {
          page.next = nil
          return page
        }
        remaining -= examined.count
      }
      return page
    }
  }

  private func entry(_ notification: FeedNotification, _ states: [DeliveryState]) -> FeedPage.Entry
  {
    let history = notification.groupRecord.deliveries(states)
    return FeedPage.Entry(
      identifier: identifier(of: notification.groupRecord.notification), notification: notification,
      state: NotificationState(of: history.map(\.state)),
      deliveries: history.map { delivery in
        (delivery, states.first { $0.channel == delivery.channel }?.sink)
      })
  }
}
