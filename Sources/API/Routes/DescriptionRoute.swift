import Engine
import HTTPTypes
import HummingbirdCore
import JSON
import Reminders

/// Describes the whole interface to whoever writes a client (rule H2).
struct DescriptionRoute: Sendable {
  let service: any ReminderService
  /// All but this one.
  let routes: [Route]

  var route: Route { Route(.get, "/openapi.json", .describe, answer: .everyone(answer)) }

  /// Made anew each time: a catalog may have been loaded since.
  private func answer(_ call: Call) async throws -> Response {
    let document = OpenAPIDocument(routes: routes + [route], catalog: service.planner.catalog)
    return Response { $0.value(.object(document.json)) }
  }
}
