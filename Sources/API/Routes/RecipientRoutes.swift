import Access
import CivilTime
import Engine
import HTTPTypes
import HummingbirdCore
import JSON
import Reminders
import Store

/// Shows a recipient's profile and events, and records when support staff read the recipient's
/// texts.
struct RecipientRoutes: Sendable {
  let service: any ReminderService
  let views: TextViews
  let now: @Sendable () -> Instant

  private static let path = "/v1/recipients/{recipient}"

  var routes: [Route] {
    [
      Route(.get, Self.path, .recipient, answer: .recipient(show)),
      Route(.get, Self.path + "/events", .recipientEvents, answer: .recipient(events)),
      Route(
        .post, Self.path + "/text-views", .recordTextView, answer: .person(.support, recordTextView)
      ),
    ]
  }

  private func show(_ call: Call, _ name: String) async throws -> Response {
    let recipient = try await service.recipient(named: name)
    let context = PlanningContext(facts: recipient.facts, planner: service.planner)
    return Response(
      ProfilePayload.self, ProfilePayload.Value(recipient: recipient, context: context, now: now()))
  }

  /// Lists the recipient's events, the latest arrival first.
  private func events(_ call: Call, _ name: String) async throws -> Response {
    let limit = min(try call.limit(), ExportPage.length)
    let start = try PageBounds.number(after: call.parameters["after"])
    let query = ExportQuery(of: name, .events(from: start == 0 ? nil : start, atMost: limit))
    guard let page = try await service.result(of: query) else {
      throw Problem.unknown(recipient: name)
    }
    var next: Int64?
    if case .events(let cursor, _)? = page.next { next = cursor }
    return Response(EventPagePayload.self, EventPagePayload.Value(events: page.events, next: next))
  }

  /// Lets the caller read the recipient's texts for 12 hours. The journal records this request, as
  /// it does all changes by support.
  private func recordTextView(_ call: Call, _ name: String) async throws -> Response {
    _ = try await service.recipient(named: name)
    if let caller = call.caller { views.record(caller, of: name, at: now()) }
    return Response(status: .noContent)
  }
}

/// Lists recipients by the prefix of their ids, or by a text in their ids and profiles.
struct RecipientListRoute: Sendable {
  static let path = "/v1/recipients"

  let service: any ReminderService

  var route: Route { Route(.get, Self.path, .recipients, answer: .support(list)) }

  private func list(_ call: Call) async throws -> Response {
    if let text = call.parameters["search"] { return try await search(text, call) }
    let query = RecipientsQuery(
      prefix: call.parameters["prefix"] ?? "", after: call.parameters["after"],
      limit: try call.limit())
    let page = try await service.result(of: query)
    return Response(RecipientPagePayload.self, page)
  }

  private func search(_ text: String, _ call: Call) async throws -> Response {
    guard call.parameters["prefix"] == nil else {
      throw Problem(.invalidParameter, "search and prefix exclude each other", path: "search")
    }
    guard !text.isEmpty else {
      throw Problem(.invalidParameter, "search must be a text; it is empty", path: "search")
    }
    var query = RecipientSearchQuery(text: text, limit: try call.limit())
    if let after = call.parameters["after"] {
      guard let cursor = RecipientSearchQuery.Cursor(after) else {
        throw PageBounds.invalid(after)
      }
      query.cursor = cursor
    }
    let page = try await service.result(of: query)
    return Response(RecipientPagePayload.self, page)
  }
}
