import CivilTime
import Engine
import JSON
import NIOCore
import Reminders
import Store

/// The state of a recipient, which a stream reports if the client has requested it. A client
/// reloads what it shows when a value changes.
struct RecipientState: Hashable, Sendable {
  /// The number on the app's icon; nil if the recipient's badge is off.
  var badge: Int?
  /// The number of unread items of the inbox.
  var unread: Int
  /// How many delivered notifications are not dismissed.
  var recent: Int
  /// The number of pending occurrences.
  var pending: Int
  /// The next due instant.
  var due: Instant?
  /// The version of the preferences.
  var preferences: Int64

  /// The event that reports the state in a stream. The event has no id, because a stream cannot
  /// continue from a state.
  var event: ByteBuffer {
    ServerSentEvents.event("state") { StatePayload.write(self, to: &$0) }
  }
}

struct StatePayload: Payload {
  typealias Value = RecipientState
  static let shape = PayloadShape(Self())

  let badge = Member("badge", orNull: .count) { $0.badge }
  let unread = Member("unread", .count) { $0.unread }
  let recent = Member("recent", .count) { $0.recent }
  let pending = Member("pending", .count) { $0.pending }
  let due = Member("due", orNull: .instant) { $0.due }
  let preferences = Member("preferences", .count) { Int($0.preferences) }
}

extension ReminderService {
  func state(of recipient: String) async throws(Problem) -> RecipientState {
    let counts = try await counts(of: recipient)
    let badge = try await badge(of: recipient, counts)
    let preferences = try await self.recipient(named: recipient).facts.preferencesVersion
    // The recipient is the first of the page: recipients are listed in the order of their ids, and
    // every other id with this prefix is longer.
    let page = try await result(of: RecipientsQuery(prefix: recipient, limit: 1))
    let entry = page.recipients.first
    return RecipientState(
      badge: badge, unread: counts.unread, recent: counts.recent, pending: entry?.pending ?? 0,
      due: entry?.due, preferences: preferences)
  }

  /// Returns the number on the app's icon; nil if the recipient's badge is off.
  func badge(of recipient: String, _ counts: InboxCounts) async throws(Problem) -> Int? {
    let facts = try await self.recipient(named: recipient).facts
    let context = PlanningContext(facts: facts, planner: planner)
    let settings = context.settings
    if context.hasMixedBadge { return try await badge(of: recipient, in: context) }
    guard Badge.countsDelivered(settings), counts.recent > 0 else {
      return Badge.count(settings, unread: counts.unread, delivered: 0)
    }
    let delivered = try await result(of: ArrivedCountQuery(of: recipient))
    return Badge.count(settings, unread: counts.unread, delivered: delivered)
  }

  /// Counts the latest notifications that belong on the badge by the rules of their own catalogs.
  private func badge(
    of recipient: String, in context: PlanningContext
  ) async throws(Problem) -> Int? {
    var query = NotificationHistoryQuery(of: recipient)
    (query.part, query.states, query.limit) = (.all, nil, NotificationHistoryQuery.limitMax)
    return try await result(of: query)?.entries.count { entry in
      context.isOnBadge(
        entry.message, isUnread: entry.isRead == false,
        isRecent: entry.state.isDelivered && !entry.isDismissed)
    }
  }
}
