import Engine
import HTTPTypes
import HummingbirdCore
import JSON

/// Sinks that are paused while something is wrong behind them, and go on.
struct SinkRoutes: Sendable {
  let service: any ReminderService

  var routes: [Route] {
    [
      Route(
        .post, "/v1/sinks/{sink}/pause", .pauseSink,
        answer: .administrator { try await set(true, $0) }),
      Route(
        .post, "/v1/sinks/{sink}/resume", .resumeSink,
        answer: .administrator { try await set(false, $0) }),
    ]
  }

  private func set(_ isPaused: Bool, _ call: Call) async throws -> Response {
    let name = call.segments[0]
    let isThere: Bool
    do {
      isThere = try await service.setPaused(isPaused, sink: name)
    } catch {
      throw Problem(error)
    }
    guard isThere else {
      throw Problem(
        .unknownSink,
        "there is no sink \"\(name.shortened)\"; GET /v1/status lists them under lanes")
    }
    return Response { writer in
      writer.beginObject()
      writer.member("sink", name)
      writer.member("paused", isPaused)
      writer.endObject()
    }
  }
}
