import Engine
import HTTPTypes
import HummingbirdCore
import Reminders

/// Lists a recipient's pending occurrences in pages (rules N4, H3).
struct PendingRoute: Sendable {
  let service: any ReminderService

  var route: Route {
    Route(.get, "/v1/recipients/{recipient}/pending", .pending, answer: .recipient(answer))
  }

  private func answer(_ call: Call, _ recipient: String) async throws -> Response {
    let limit = try call.limit()
    let cursor = try call.parameters["after"].map(Self.cursor)
    let agenda = try await agenda(of: recipient)
    return Response(
      PendingPagePayload.self, AgendaPage(agenda, agenda.entries, after: cursor, limit: limit))
  }

  func agenda(
    of recipient: String, _ part: ScheduledPart = .pending
  ) async throws(Problem) -> Agenda {
    let agenda =
      switch part {
      case .pending: try await service.result(of: AgendaQuery(of: recipient))
      case .cancelled: try await service.result(of: CancelledAgendaQuery(of: recipient))
      }
    if let agenda { return agenda }
    throw Problem.unknown(recipient: recipient)
  }

  static func cursor(_ text: String) throws(Problem) -> PageCursor {
    if let cursor = PageCursor(text) { return cursor }
    throw Problem(
      .invalidParameter,
      "after must be the \"next\" of the previous page; it is "
        + "\"\(text.shortened)\"", path: "after")
  }
}
