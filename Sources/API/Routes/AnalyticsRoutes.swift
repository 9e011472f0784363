import Engine
import HTTPTypes
import HummingbirdCore
import JSON
import Reminders

/// What changes of preferences and permissions have told (rule M1).
struct AnalyticsRoutes: Sendable {
  let service: any ReminderService

  var routes: [Route] {
    [
      Route(
        .get, "/v1/analytics/events", .analyticsEvents,
        answer: .support { try await events(of: nil, $0) }),
      Route(
        .get, "/v1/recipients/{recipient}/analytics", .recipientAnalytics,
        answer: .recipient { try await events(of: $1, $0) }),
    ]
  }

  private func events(of recipient: String?, _ call: Call) async throws -> Response {
    let query = AnalyticsQuery(
      recipient: recipient, after: try PageBounds.number(after: call.parameters["after"]),
      limit: try PageBounds.limit(call.parameters["limit"]))
    let found: AnalyticsPage?
    do {
      found = try await service.analytics(query)
    } catch {
      throw Problem(error)
    }
    guard let page = found else { throw Problem.unknown(recipient: recipient ?? "") }
    return Response(json: page.write)
  }
}
