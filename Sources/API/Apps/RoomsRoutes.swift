import Engine
import HTTPTypes
import HummingbirdCore
import JSON
import NIOCore
import Reminders

/// Serves the notifications tab of the rooms app, with its own paths and JSON (rules N1 to N3).
struct RoomsRoutes: Sendable {
  let service: any ReminderService
  let limits: APILimits

  private static let path = "/api/notifications"
  static let limitMax = 100
  static let pageMax = 1_000_000

  var routes: [Route] {
    [
      Route(.get, Self.path, .roomsInbox, answer: .recipient(page)),
      Route(.get, Self.path + "/unread-count", .unreadCount, answer: .recipient(unreadCount)),
      Route(.put, Self.path + "/read", .markRead, answer: .recipient(markRead)),
      Route(.put, Self.path + "/read-all", .markAllRead, answer: .recipient(markAllRead)),
    ]
  }

  private func page(_ call: Call, _ recipient: String) async throws -> Response {
    let number = try call.number("page", default: 1)
    let limit = try call.number("limit", default: 20)
    let page = try await service.result(
      of: InboxQuery(of: recipient, offset: (number - 1) * limit, limit: limit))
    return Response(
      RoomsPagePayload.self,
      RoomsPagePayload.Value(
        page: page ?? InboxPage(zone: service.planner.defaultZone), number: number, limit: limit))
  }

  private func unreadCount(_ call: Call, _ recipient: String) async throws -> Response {
    let counts = try await service.counts(of: recipient)
    return Response(UnreadPayload.self, counts.unread)
  }

  private func markRead(_ call: Call, _ recipient: String) async throws -> Response {
    let identifiers = try await call.body(ReadBody.self, within: limits).notificationIds
    let count = try await write(.read(identifiers), of: recipient)
    return Response(ReadPayload.self, count)
  }

  private func markAllRead(_ call: Call, _ recipient: String) async throws -> Response {
    try await call.checkBodyIsEmpty(within: limits)
    _ = try await write(.readAll, of: recipient)
    return Response(AllReadPayload.self, ())
  }

  // MARK: - The service

  /// Writes to the inbox; returns 0 for an unknown recipient.
  private func write(_ write: InboxWrite, of recipient: String) async throws(Problem) -> Int {
    do {
      return try await service.write(write, of: recipient)?.count ?? 0
    } catch {
      throw Problem(error)
    }
  }
}

struct ReadBody: RequestPayload {
  static let shape = BodyShape(Self())

  let notificationIds = Member("notificationIds", .list(.text, of: "the notifications' ids"))
}
