import Engine
import HTTPTypes
import HummingbirdCore
import JSON

/// Pauses, resumes and tests sinks.
struct SinkRoutes: Sendable {
  let service: any ReminderService
  let limits: APILimits

  var routes: [Route] {
    [
      Route(
        .post, "/v1/sinks/{sink}/pause", .pauseSink,
        answer: .administrator { try await setPaused(true, $0) }),
      Route(
        .post, "/v1/sinks/{sink}/resume", .resumeSink,
        answer: .administrator { try await setPaused(false, $0) }),
      SinkTestRoute(service: service, limits: limits).route,
    ]
  }

  private func setPaused(_ isPaused: Bool, _ call: Call) async throws -> Response {
    let name = call.segments[0]
    let isKnown: Bool
    do {
      isKnown = try await service.setPaused(isPaused, sink: name)
    } catch {
      throw Problem(error)
    }
    guard isKnown else { throw Problem.unknown(sink: name) }
    return Response(PausingPayload.self, PausingPayload.Value(sink: name, isPaused: isPaused))
  }
}

package struct PausingPayload: Payload {
  package struct Value {
    let sink: String
    let isPaused: Bool
  }

  package static let shape = PayloadShape(Self())

  package let sink = Member("sink", .text) { $0.sink }
  package let paused = Member("paused", .boolean) { $0.isPaused }
}

extension Problem {
  static func unknown(sink name: String) -> Problem {
    Problem(
      .unknownSink,
      "there is no sink \"\(name.shortened)\"; GET /v1/status lists them under lanes")
  }
}
