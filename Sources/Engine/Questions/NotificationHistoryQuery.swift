package import CivilTime
package import Reminders
package import Store

/// Selects notifications of a recipient (rule N6); the answer is nil if the recipient is unknown.
package struct NotificationHistoryQuery: EngineQuery {
  package enum Part: String, CaseIterable, Sendable {
    /// Notifications that are not dismissed.
    case recent
    /// Notifications that are dismissed.
    case dismissed
    case all
  }

  /// The recipient's name.
  package var recipient: String
  package var part = Part.recent
  /// Words that title or body must contain, ignoring case.
  package var words: [String] = []
  /// Whether bodies are searched too; false for callers that may not read bodies (rule H11).
  package var searchesBodies = true
  package var category: String?
  package var channel: Channel?
  /// The states of the selected notifications; nil selects all states.
  package var states: Set<NotificationState>? = NotificationState.delivered
  /// The range of the notifications' instants. It includes `from` and excludes `to`; nil for no
  /// limit.
  package var from: Instant?
  package var to: Instant?
  /// The cursor: `next` of the previous page; nil for the first page.
  package var after: Int64?
  /// The maximum number of notifications of the page.
  package var limit = 100

  package init(of recipient: String) {
    self.recipient = recipient
  }

  package func answer(
    from questions: Questions, now: Instant
  ) throws(StoreError) -> NotificationHistory? {
    try questions.notificationHistory(self, now: now)
  }

  /// Whether exactly the recent notifications are selected.
  package var selectsRecent: Bool {
    part == .recent && words.isEmpty && category == nil && channel == nil
      && states == NotificationState.delivered && from == nil && to == nil && after == nil
  }

  /// Whether an entry matches, apart from its state.
  package func matches(_ entry: NotificationHistory.Entry) -> Bool {
    // A message to other people was not delivered to the recipient (rule G18).
    let isListed = entry.isDismissed == (part == .dismissed) && !entry.channels.isEmpty
    guard part == .all || isListed else { return false }
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

extension Questions {
  /// The maximum number of notifications examined by one query.
  private static let searchMax = 1_000
  /// The minimum number of notifications read at a time.
  private static let readMin = 16

  fileprivate func notificationHistory(
    _ query: NotificationHistoryQuery, now: Instant
  ) throws(StoreError) -> NotificationHistory? {
    let planner = planner
    return try readers.read { transaction -> NotificationHistory? in
      guard let stored = try transaction.recipient(named: query.recipient) else { return nil }
      let context = PlanningContext(facts: stored.recipient.facts, planner: planner)
      var history = NotificationHistory(
        recipient: query.recipient, zone: context.zone, now: now,
        counts: InboxCounts(stored.counts),
        hasPending: stored.recipient.schedule(in: context).pending > 0, entries: [], next: nil)
      history.selectsRecent = query.selectsRecent
      var cursor: Int64? = query.after
      var remaining = Self.searchMax
      while remaining > 0, history.entries.count < query.limit {
        let limit = min(remaining, max(Self.readMin, query.limit - history.entries.count))
        let page = try transaction.notificationHistory(of: stored, after: cursor, limit: limit)
        cursor = try add(page, to: &history, for: query, in: transaction)
        guard cursor != nil else { return history }
        remaining -= page.count
      }
      history.next = cursor
      return history
    }
  }

  /// Adds the selected notifications up to the limit.
  ///
  /// - Returns: the last examined notification, after which the next page begins; nil at the end.
  private func add(
    _ page: [HistoryNotification], to history: inout NotificationHistory,
    for query: NotificationHistoryQuery, in transaction: any StoreReader
  ) throws -> Int64? {
    let entries = page.map { notification in
      notification.isLeader
        ? NotificationHistory.Entry(
          notification, identifier: identifier(of: notification.own.notification)) : nil
    }
    let candidates = zip(page, entries).filter { $1.map(query.matches) ?? false }.map(\.0)
    let states = try transaction.deliveryStates(of: candidates.flatMap(\.sent))
    for (notification, entry) in zip(page, entries) {
      if var entry, query.matches(entry) {
        entry.deliveries = notification.deliveries(states)
        entry.state = notification.state(entry.deliveries)
        if query.states?.contains(entry.state) ?? true { history.entries.append(entry) }
      }
      let isEnough = history.entries.count >= query.limit
      if isEnough { return notification.previous == 0 ? nil : notification.own.notification }
    }
    return page.last.flatMap { $0.previous == 0 ? nil : $0.own.notification }
  }
}

extension HistoryNotification {
  /// Returns the state of all channels together. A message to other people has no deliveries and
  /// counts as accepted.
  fileprivate func state(_ deliveries: [DeliveryHistory]) -> NotificationState {
    let isMessage = channels.isEmpty && own.outcome == .delivered
    return isMessage ? .accepted : NotificationState(of: deliveries.map(\.state))
  }
}

extension NotificationHistory.Entry {
  fileprivate init(_ notification: HistoryNotification, identifier: String) {
    self.init(
      identifier: identifier, planned: notification.own.planned, at: notification.own.at,
      state: .sending,
      deliveries: [], channels: notification.channels, isSilent: notification.isSilent,
      reasons: notification.own.reasons,
      isDismissed: notification.isDismissed, isRead: notification.isRead,
      message: notification.message)
  }
}
