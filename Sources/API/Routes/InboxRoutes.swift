import Engine
import HTTPTypes
import HummingbirdCore
import JSON
import NIOCore

/// Serves a recipient's inbox: lists, counts, reads and dismisses its items (rule N11).
struct InboxRoutes: Sendable {
  let notifications: NotificationRoutes
  let limits: APILimits

  private static let path = "/v1/recipients/{recipient}/inbox"

  private var service: any ReminderService { notifications.service }

  var routes: [Route] {
    [
      Route(.get, Self.path, .inbox, answer: .recipient(show)),
      Route(.get, Self.path + "/count", .inboxCount, answer: .recipient(count)),
      Route(.post, Self.path + "/read", .readInbox, answer: .recipient(readAll)),
      Route(.post, Self.path + "/{notification}/read", .readInboxItem, answer: .recipient(read)),
      Route(.delete, Self.path, .clearInbox, answer: .recipient(notifications.clear)),
      Route(
        .delete, Self.path + "/{notification}", .dismissInboxItem,
        answer: .recipient(notifications.dismiss)),
    ]
  }

  // MARK: - Reading

  private func show(_ call: Call, _ recipient: String) async throws -> Response {
    var query = InboxQuery(of: recipient, limit: try call.limit())
    query.after = try call.cursor("after")
    query.isOnlyUnread = try call.isSet("unread")
    let page = try await page(query)
    return Response(
      InboxPagePayload.self, InboxPagePayload.Value(recipient: recipient, page: page))
  }

  private func count(_ call: Call, _ recipient: String) async throws -> Response {
    try await response(page(InboxQuery(of: recipient, limit: 0)).counts, of: recipient)
  }

  private func page(_ query: InboxQuery) async throws(Problem) -> InboxPage {
    guard let page = try await service.result(of: query) else {
      throw Problem.unknown(recipient: query.recipient)
    }
    return page
  }

  // MARK: - Marking as read

  private func read(_ call: Call, _ recipient: String) async throws -> Response {
    try await call.checkBodyIsEmpty(within: limits)
    let receipt = try await notifications.carryOut(.read([call.segments[0]]), of: recipient)
    guard receipt.count > 0 else {
      throw Problem(
        .unknownNotification,
        "\"\(call.segments[0].shortened)\" is not the id of an item in this recipient's inbox")
    }
    return try await response(receipt.counts, of: recipient)
  }

  private func readAll(_ call: Call, _ recipient: String) async throws -> Response {
    try await call.checkBodyIsEmpty(within: limits)
    return try await response(
      notifications.carryOut(.readAll, of: recipient).counts, of: recipient)
  }

  private func response(_ counts: InboxCounts, of recipient: String) async throws -> Response {
    let badge = try await service.badge(of: recipient, counts)
    return Response(
      InboxCountPayload.self, InboxCountPayload.Value(counts: counts, badge: badge))
  }
}

/// An empty object, which apps may send where no body is needed.
private struct EmptyBody: RequestPayload {
  static let shape = BodyShape(Self())
}

extension Call {
  /// Throws for a body that is neither empty nor an empty object.
  func checkBodyIsEmpty(within limits: APILimits) async throws(Problem) {
    let body = try await body(within: limits)
    if body.readableBytes > 0 {
      _ = try ReceivedBody<EmptyBody>(JSONObject(body, within: limits))
    }
  }
}
