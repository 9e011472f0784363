import CivilTime
import Engine
import JSON
import NIOCore
import Reminders
import Store

/// What of a person a stream tells beside what goes out: whoever shows one of these reads it anew
/// when it is another.
struct PersonState: Hashable, Sendable {
  /// What an app's icon shows; nil where the person wants none.
  var badge: Int?
  var unread: Int
  /// How much was delivered and is not dismissed.
  var recent: Int
  var pending: Int
  /// When something is due next.
  var due: Instant?
  /// The version of the preferences.
  var preferences: Int64

  /// An event of a stream, without an id: it is no place to go on from.
  var event: ByteBuffer {
    ServerSentEvents.event("state") { StatePayload.write(self, to: &$0) }
  }
}

struct StatePayload: Payload {
  typealias Value = PersonState
  static let shape = PayloadShape(Self())

  let badge = Member("badge", orNull: .count) { $0.badge }
  let unread = Member("unread", .count) { $0.unread }
  let recent = Member("recent", .count) { $0.recent }
  let pending = Member("pending", .count) { $0.pending }
  let due = Member("due", orNull: .instant) { $0.due }
  let preferences = Member("preferences", .count) { Int($0.preferences) }
}

extension ReminderService {
  func state(of recipient: String) async throws(Problem) -> PersonState {
    let counts = try await counts(of: recipient)
    let badge = try await badge(of: recipient, counts)
    let preferences = try await known(recipient).facts.preferencesVersion
    let listed: ListedRecipient?
    do {
      // Nobody's id comes before their own among those that begin with it.
      listed = try await recipients(RecipientQuestion(prefix: recipient, limit: 1)).recipients.first
    } catch {
      throw Problem(error)
    }
    return PersonState(
      badge: badge, unread: counts.unread, recent: counts.recent, pending: listed?.pending ?? 0,
      due: listed?.due, preferences: preferences)
  }

  /// - Returns: nil where the person wants no badge.
  func badge(of recipient: String, _ counts: InboxCounts) async throws(Problem) -> Int? {
    let facts = try await known(recipient).facts
    let context = PlanningContext(facts: facts, planner: planner)
    let settings = context.settings
    if context.hasMixedBadge { return try await badge(of: recipient, in: context) }
    guard Badge.countsDelivered(settings), counts.recent > 0 else {
      return Badge.count(settings, unread: counts.unread, delivered: 0)
    }
    let delivered = try await arrivedCount(of: recipient)
    return Badge.count(settings, unread: counts.unread, delivered: delivered)
  }

  /// Counts each of the latest notifications as its own catalog says.
  private func badge(
    of recipient: String, in context: PlanningContext
  ) async throws(Problem) -> Int? {
    var question = HistoryQuestion()
    (question.part, question.state, question.limit) = (.all, nil, HistoryQuestion.limitMax)
    do {
      let history = try await notificationHistory(of: recipient, question)
      return history?.entries.count { entry in
        context.isOnBadge(
          entry.message, isUnread: entry.isRead == false,
          isRecent: entry.state == .delivered && !entry.isDismissed)
      }
    } catch {
      throw Problem(error)
    }
  }
}
