import Engine
import HTTPTypes
import HummingbirdCore
import NIOCore

/// The service in numbers, for Prometheus (rule H2).
struct MetricsRoute: Sendable {
  let service: any ReminderService
  let connections: ConnectionCounts
  let responses: ResponseCounts
  let refusals: RefusalCounts

  var route: Route { Route(.get, "/metrics", .metrics, answer: .observer(answer)) }

  private func answer(_ call: Call) async throws -> Response {
    let metrics: ServiceMetrics
    do {
      metrics = try await service.metrics()
    } catch {
      throw Problem(error)
    }
    let texts = [
      metrics.text, connections.text, responses.text, refusals.text, ProcessMetrics.text,
    ]
    return Response(
      status: .ok, headers: [.contentType: MetricsWriter.contentType],
      body: ResponseBody(byteBuffer: ByteBuffer(string: texts.joined())))
  }
}
