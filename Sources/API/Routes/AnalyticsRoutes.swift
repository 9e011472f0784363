import CivilTime
import Engine
import HTTPTypes
import HummingbirdCore
import JSON
import Reminders

/// Serves analytics events of changed preferences and permissions (rule M1).
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
      limit: try call.limit())
    guard let page = try await service.result(of: query) else {
      throw Problem.unknown(recipient: recipient ?? "")
    }
    return Response(AnalyticsPagePayload.self, page)
  }
}

/// Serves usage counts, such as delivered notifications, that do not name recipients (rule M2).
struct UsageRoute: Sendable {
  let service: any ReminderService
  let now: @Sendable () -> Instant

  private static let daysDefault = 30
  private static let daysMax = 366

  var route: Route { Route(.get, "/v1/analytics", .usage, answer: .observer(answer)) }

  private func answer(_ call: Call) async throws -> Response {
    let today = service.planner.defaultZone.date(at: now())
    let last = try call.date("to") ?? today
    let first = try call.date("from") ?? last - (Self.daysDefault - 1)
    let days = last - first + 1
    guard (1...Self.daysMax).contains(days) else {
      throw Problem(
        .invalidParameter,
        "from must not be after to, and the range must be at most \(Self.daysMax) days; from is "
          + "\(first), to is \(last)", path: "from")
    }
    let table = try await service.result(of: UsageQuery(from: first, through: last))
    return Response(UsagePayload.self, UsagePayload.Value(first: first, last: last, table: table))
  }
}
