import Engine
import HTTPTypes
import HummingbirdCore
import JSON
import NIOCore

/// The notifications tab of the rooms app: its own paths, with its own JSON (rules N1 to N3).
struct InboxRoutes: Sendable {
  let service: any ReminderService
  let limits: APILimits

  private static let path = "/api/notifications"
  static let limitMax = 100
  static let pageMax = 1_000_000

  var routes: [Route] {
    [
      Route(.get, Self.path, .inbox, answer: .recipient(page)),
      Route(.get, Self.path + "/unread-count", .unreadCount, answer: .recipient(unreadCount)),
      Route(.put, Self.path + "/read", .markRead, answer: .recipient(markRead)),
      Route(.put, Self.path + "/read-all", .markAllRead, answer: .recipient(markAllRead)),
    ]
  }

  private func page(_ call: Call, _ recipient: String) async throws -> Response {
    let number = try call.number("page", 1...Self.pageMax, usually: 1)
    let limit = try call.number("limit", 1...Self.limitMax, usually: 20)
    let page = try await inbox(of: recipient, offset: (number - 1) * limit, limit: limit)
    return Response(
      InboxPagePayload.self, InboxPagePayload.Value(page: page, number: number, limit: limit))
  }

  private func unreadCount(_ call: Call, _ recipient: String) async throws -> Response {
    let page = try await inbox(of: recipient, offset: 0, limit: 0)
    return Response(UnreadPayload.self, page.counts.unread)
  }

  private func markRead(_ call: Call, _ recipient: String) async throws -> Response {
    let identifiers = try identifiers(await call.body(within: limits))
    let count = try await write(.read(identifiers), of: recipient)
    return Response(ReadPayload.self, count)
  }

  private func markAllRead(_ call: Call, _ recipient: String) async throws -> Response {
    try Self.checkEmpty(await call.body(within: limits))
    _ = try await write(.readAll, of: recipient)
    return Response(AllReadPayload.self, ())
  }

  // MARK: - The service

  private func inbox(
    of recipient: String, offset: Int, limit: Int
  ) async throws(Problem) -> InboxPage {
    do {
      return try await service.inbox(of: recipient, offset: offset, limit: limit)
    } catch {
      throw Problem(error)
    }
  }

  /// Of whom nothing is known, nothing is found.
  private func write(_ write: InboxWrite, of recipient: String) async throws(Problem) -> Int {
    do {
      return try await service.write(write, of: recipient)?.count ?? 0
    } catch {
      throw Problem(error)
    }
  }

  // MARK: - Bodies

  private static let member = "notificationIds"

  private func identifiers(_ body: ByteBuffer) throws(Problem) -> [String] {
    let object = try JSONObject(body, within: limits, known: [Self.member])
    guard let values = object[Self.member]?.arrayValue else {
      throw Problem(
        .invalidBody, "must be a list of the notifications' ids", path: Self.member)
    }
    var identifiers: [String] = []
    for (index, value) in values.enumerated() {
      guard let identifier = value.stringValue else {
        throw Problem(
          .invalidBody, "must be a text; it is \(value.kind)", path: "\(Self.member)[\(index)]")
      }
      identifiers.append(identifier)
    }
    return identifiers
  }

  /// An app may send an empty object where nothing is needed.
  private static func checkEmpty(_ body: ByteBuffer) throws(Problem) {
    guard body.readableBytes > 0 else { return }
    _ = try JSONObject(body, within: APILimits(), known: [])
  }
}

extension JSONObject {
  /// The object that a body is, with no members but these.
  init(_ body: ByteBuffer, within limits: APILimits, known: [String]) throws(Problem) {
    switch body.withUnsafeReadableBytes(JSONParser(maximumBytes: limits.body).result) {
    case .success(.object(let object)): self = object
    case .success(let value):
      throw Problem(.invalidBody, "the body must be an object; it is \(value.kind)")
    case .failure(let error): throw Problem(error)
    }
    for member in self where !known.contains(member.key) {
      let rest =
        known.isEmpty ? "there is none" : "there is \(known.joined(separator: ", "))"
      throw Problem(.invalidBody, "is not known; \(rest)", path: member.key)
    }
  }
}
