import Engine
import HTTPTypes
import HummingbirdCore
import JSON
import NIOCore
import Reminders

/// Serves the status, health and readiness of the service.
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
    let status = try await service.result(of: StatusQuery())
    return Response(StatusPayload.self, status)
  }

  /// Shows only that the process responds.
  private func health(_ call: Call) async throws -> Response {
    Response(WordPayload.self, "ok")
  }

  /// Responds 503 if the engine does not answer, or if a part supervised by the watchdog has made
  /// no progress for half of the watchdog's interval. Unavailable sinks are listed but do not make
  /// the service unready, because everything else works.
  private func readiness(_ call: Call) async throws -> Response {
    let status = try await service.result(of: StatusQuery())
    if let part = status.parts.first(where: \.isSlow) {
      throw Problem(
        .unavailable,
        "\(part.name) has made no progress for \(Int(part.secondsWithoutProgress)) s; the watchdog "
          + "restarts the service at \(Int(part.allowance)) s", headers: [.retryAfter: "5"])
    }
    return Response(ReadinessPayload.self, status)
  }
}

extension ServiceStatus.Part {
  /// Whether the part has made no progress for half of the watchdog's interval; `allowance` is
  /// three quarters of the interval.
  fileprivate var isSlow: Bool { isVital && secondsWithoutProgress > allowance * 2 / 3 }
}

struct WordPayload: Payload {
  typealias Value = String
  static let shape = PayloadShape(Self(), as: .word)

  let status = Member("status", .text) { $0 }
}

struct ReadinessPayload: Payload {
  typealias Value = ServiceStatus
  static let shape = PayloadShape(Self())

  let status = Member("status", .text(.constant("ready"))) { _ in "ready" }
  let unavailable = Member(
    "unavailable", optional: .list(.text),
    "Sinks that could not be created, with the reasons, such as a missing secret; a reload tries "
      + "again"
  ) { status in
    let sinks = status.lanes.filter(\.isUnavailable)
    return sinks.isEmpty ? nil : sinks.map { "\($0.sink): \($0.failure ?? "")" }
  }
  let outdated = Member(
    "outdated", optional: .list(.text),
    "Sinks that continue with their former settings, because the last reload could not create them "
      + "with the new ones; a sentence each"
  ) { $0.outdatedSinks.isEmpty ? nil : $0.outdatedSinks }
}

/// Serves metrics for Prometheus (rule H2).
struct MetricsRoute: Sendable {
  let service: any ReminderService
  let connections: ConnectionCounts
  let responses: ResponseCounts
  let refusals: RefusalCounts
  let linkRefusals: LinkRefusals
  let receipts: ReceiptCounts
  let replies: ReplyCounts

  var route: Route { Route(.get, "/metrics", .metrics, answer: .observer(answer)) }

  private func answer(_ call: Call) async throws -> Response {
    let metrics = try await service.result(of: MetricsQuery())
    let texts = [
      metrics.text, connections.text, responses.text, refusals.text, linkRefusals.text,
      receipts.text, replies.text, ProcessMetrics.text,
    ]
    return Response(
      status: .ok, headers: [.contentType: MetricsWriter.contentType],
      body: ResponseBody(byteBuffer: ByteBuffer(string: texts.joined())))
  }
}

/// Serves the OpenAPI document of the whole interface (rule H2).
struct OpenAPIRoute: Sendable {
  let service: any ReminderService
  /// All routes except this one.
  let routes: [Route]

  var route: Route { Route(.get, "/openapi.json", .describe, answer: .everyone(answer)) }

  /// Creates the document for each request, because a reload may change the catalogs.
  private func answer(_ call: Call) async throws -> Response {
    let document = OpenAPIDocument(routes: routes + [route], catalog: service.planner.catalog)
    return Response { $0.value(.object(document.json)) }
  }
}
