import Engine
import HTTPTypes
import HummingbirdCore
import JSON

/// How the service is, for people and for those who watch over it.
struct StatusRoutes: Sendable {
  let service: any ReminderService

  var routes: [Route] {
    [
      Route(.get, "/v1/status", .status, answer: .observer(status)),
      Route(.get, "/healthz", .health, answer: .everyone(health)),
      Route(.get, "/readyz", .readiness, answer: .everyone(readiness)),
    ]
  }

  private func status(_ call: Call) async throws -> Response {
    let status = try await current()
    return Response(json: status.write)
  }

  /// Says no more than that the process lives and answers.
  private func health(_ call: Call) async throws -> Response {
    Response(json: Self.word("ok"))
  }

  /// Whether the service would answer; 503 when it would not.
  private func readiness(_ call: Call) async throws -> Response {
    _ = try await current()
    return Response(json: Self.word("ready"))
  }

  private func current() async throws(Problem) -> ServiceStatus {
    do {
      return try await service.status()
    } catch {
      throw Problem(error)
    }
  }

  private static func word(_ word: String) -> (inout JSONWriter) -> Void {
    { writer in
      writer.beginObject()
      writer.member("status", word)
      writer.endObject()
    }
  }
}
