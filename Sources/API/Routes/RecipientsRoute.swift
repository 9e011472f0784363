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
      limit: try PageBounds.limit(call.parameters["limit"]))
    do {
      let page = try await service.recipients(question)
      return Response(json: page.write)
    } catch {
      throw Problem(error)
    }
  }
}

extension RecipientPage {
  fileprivate func write(to writer: inout JSONWriter) {
    writer.beginObject()
    writer.key(constant: "recipients")
    writer.beginArray()
    for recipient in recipients { recipient.write(to: &writer) }
    writer.endArray()
    writer.member("next", next.map { .string($0) } ?? .null)
    writer.endObject()
  }
}

extension ListedRecipient {
  fileprivate func write(to writer: inout JSONWriter) {
    writer.beginObject()
    writer.member("recipient", name)
    writer.member("pending", pending)
    writer.member("due", due.map { .string($0.description) } ?? .null)
    writer.endObject()
  }
}
