import Engine
import HTTPTypes
import HummingbirdCore
import JSON

/// What is pending for a recipient, a page at a time (rules N4, H3).
struct PendingRoute: Sendable {
  let service: any ReminderService

  var route: Route {
    Route(.get, "/v1/recipients/{recipient}/pending", .pending, answer: .recipient(answer))
  }

  private func answer(_ call: Call, _ recipient: String) async throws -> Response {
    let limit = try PageBounds.limit(call.parameters["limit"])
    let cursor = try call.parameters["after"].map(Self.cursor)
    let agenda = try await agenda(of: recipient)
    let start = cursor?.next(in: agenda.entries) ?? 0
    let page = agenda.entries[start...].prefix(limit)
    let isLast = page.endIndex == agenda.entries.endIndex
    return Response { writer in
      agenda.write(page: page, next: isLast ? nil : page.last.map(PageCursor.init), to: &writer)
    }
  }

  func agenda(of recipient: String) async throws(Problem) -> Agenda {
    let found: Agenda?
    do {
      found = try await service.agenda(of: recipient)
    } catch {
      throw Problem(error)
    }
    if let found { return found }
    throw Problem.unknown(recipient: recipient)
  }

  static func cursor(_ text: String) throws(Problem) -> PageCursor {
    if let cursor = PageCursor(text) { return cursor }
    throw Problem(
      .invalidParameter,
      "after must be the \"next\" of the page before; it is "
        + "\"\(text.shortened)\"", path: "after")
  }
}
