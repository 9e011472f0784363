import CivilTime
import Engine
import HTTPTypes
import HummingbirdCore
import JSON
import Store

/// Who is known to the service, by the beginning of their ids.
struct RecipientsRoute: Sendable {
  static let path = "/v1/recipients"

  let service: any ReminderService

  var route: Route { Route(.get, Self.path, .recipients, answer: .support(list)) }

  private func list(_ call: Call) async throws -> Response {
    let question = RecipientQuestion(
      prefix: call.parameters["prefix"] ?? "", after: call.parameters["after"],
      limit: try call.limit())
    do {
      let page = try await service.recipients(question)
      return Response(RecipientPagePayload.self, page)
    } catch {
      throw Problem(error)
    }
  }
}
