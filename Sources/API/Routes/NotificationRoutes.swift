import CivilTime
import Engine
import HTTPTypes
import HummingbirdCore
import JSON
import Reminders

/// Lists a recipient's recent, dismissed or all notifications, and searches them (rule N6).
struct NotificationRoutes: Sendable {
  let service: any ReminderService

  private static let path = "/v1/recipients/{recipient}/notifications"

  var routes: [Route] {
    [
      Route(.get, Self.path, .notifications, answer: .recipient(show)),
      Route(.delete, Self.path, .clearNotifications, answer: .recipient(clear)),
      Route(
        .delete, Self.path + "/{notification}", .dismissNotification, answer: .recipient(dismiss)),
      Route(.get, "/v1/recipients/{recipient}/badge", .badge, answer: .recipient(badge)),
    ]
  }

  private func show(_ call: Call, _ recipient: String) async throws -> Response {
    let query = try NotificationHistoryQuery(
      of: recipient, call, service.planner.catalog, in: try await zone(of: recipient, for: call))
    guard let history = try await service.result(of: query) else {
      throw Problem.unknown(recipient: recipient)
    }
    return Response(NotificationPagePayload.self, history)
  }

  /// Returns the recipient's zone if the query has dates. Without dates no zone is needed, and the
  /// default zone is returned without reading the recipient.
  private func zone(of recipient: String, for call: Call) async throws(Problem) -> Zone {
    guard ["from", "to"].contains(where: { LocalDate(call.parameters[$0] ?? "") != nil }) else {
      return service.planner.defaultZone
    }
    let recipient = try await service.recipient(named: recipient)
    return PlanningContext(facts: recipient.facts, planner: service.planner).zone
  }

  // MARK: - Dismissing

  func dismiss(_ call: Call, _ recipient: String) async throws -> Response {
    let receipt = try await carryOut(.dismiss(call.segments[0]), of: recipient)
    try Self.check(receipt, of: call.segments[0])
    return try await response(receipt, of: recipient)
  }

  /// Throws if a request has not dismissed its notification.
  private static func check(
    _ receipt: InboxReceipt, of notification: String
  ) throws(Problem) {
    guard receipt.count == 0 else { return }
    throw Problem(notRecent: notification)
  }

  func clear(_ call: Call, _ recipient: String) async throws -> Response {
    let receipt = try await carryOut(.clear, of: recipient)
    return try await response(receipt, of: recipient)
  }

  func carryOut(
    _ write: InboxWrite, of recipient: String
  ) async throws(Problem) -> InboxReceipt {
    let receipt: InboxReceipt?
    do {
      receipt = try await service.write(write, of: recipient)
    } catch {
      throw Problem(error)
    }
    if let receipt { return receipt }
    throw Problem.unknown(recipient: recipient)
  }

  private func response(
    _ receipt: InboxReceipt, of recipient: String
  ) async throws -> Response {
    let badge = try await service.badge(of: recipient, receipt.counts)
    return Response(
      DismissedPayload.self, DismissedPayload.Value(count: receipt.count, badge: badge))
  }

  // MARK: - Badge

  private func badge(_ call: Call, _ recipient: String) async throws -> Response {
    let counts = try await service.counts(of: recipient)
    guard let badge = try await service.badge(of: recipient, counts) else {
      return Response(status: .noContent)
    }
    return Response(BadgePayload.self, badge)
  }
}

extension Problem {
  /// Creates the problem for a notification that was not delivered to the recipient, or is
  /// dismissed.
  init(notRecent notification: String) {
    self.init(
      .unknownNotification,
      "\"\(notification.shortened)\" is not the id of a recent notification of this recipient")
  }
}

extension ReminderService {
  /// The counts of a recipient's inbox; zeros for an unknown recipient.
  func counts(of recipient: String) async throws(Problem) -> InboxCounts {
    try await result(of: InboxQuery(of: recipient, limit: 0))?.counts ?? InboxCounts()
  }
}

extension NotificationHistoryQuery {
  static let limitMax = 1_000
  /// The value of the parameter `outcome` that matches every outcome.
  static let anyOutcome = "any"

  fileprivate init(
    of recipient: String, _ call: Call, _ catalog: Catalog, in zone: Zone
  ) throws(Problem) {
    self.init(of: recipient)
    limit = try call.number("limit", default: 100)
    words = (call.parameters["q"] ?? "").split(separator: " ").map(String.init)
    // Searching hidden texts would reveal them.
    searchesBodies = !Texts.areHidden
    category = try call.category(of: catalog)
    channel = try call.channel()
    part = try call.enumValue("part") ?? .recent
    if call.parameters["outcome"] != nil { states = try call.states("outcome") }
    from = try call.instantOrDate("from") { zone.instant(of: $0, at: .midnight) }
    to = try call.instantOrDate("to") { zone.instant(of: $0 + 1, at: .midnight) }
    after = try call.cursor("after")
  }
}

extension NotificationState {
  /// The value of the parameter `outcome` that matches the states of delivered notifications.
  private static let deliveredWord = "delivered"

  /// The values of the parameter `outcome`.
  static let words = allCases.map(\.rawValue) + [deliveredWord]

  /// Returns the states that a value of the parameter `outcome` matches.
  fileprivate static func states(_ word: String) -> Set<NotificationState>? {
    word == deliveredWord ? delivered : NotificationState(rawValue: word).map { [$0] }
  }
}

extension Call {
  /// The states that a parameter selects; nil for all states.
  func states(_ name: String) throws(Problem) -> Set<NotificationState>? {
    try value(name, NotificationState.states)
  }

  fileprivate func category(of catalog: Catalog) throws(Problem) -> String? {
    let names = catalog.categories.map(\.name)
    guard let name = parameters["category"], !names.contains(name) else {
      return parameters["category"]
    }
    throw Problem(
      .invalidParameter, "category must be one of \(names.joined(separator: ", "))",
      path: "category")
  }

  /// Returns the cursor in a parameter; nil if the parameter is missing, for the first page.
  func cursor(_ name: String) throws(Problem) -> Int64? {
    guard let text = parameters[name] else { return nil }
    if let number = Int64(text), number > 0 { return number }
    throw Problem(
      .invalidParameter, "\(name) must be the \"next\" of the previous page", path: name)
  }
}
