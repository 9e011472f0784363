import Engine
import HTTPTypes
import HummingbirdCore
import NIOCore

/// The service in numbers, for Prometheus (rule H2).
struct MetricsRoute: Sendable {
  let service: any ReminderService
  let connections: ConnectionCounts

  var route: Route { Route(.get, "/metrics", .metrics, answer: .observer(answer)) }

  private func answer(_ call: Call) async throws -> Response {
    let metrics: ServiceMetrics
    do {
      metrics = try await service.metrics()
    } catch {
      throw Problem(error)
    }
    return Response(
      status: .ok, headers: [.contentType: MetricsWriter.contentType],
      body: ResponseBody(byteBuffer: ByteBuffer(string: metrics.text + connections.text)))
  }
}
