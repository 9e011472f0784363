package import CivilTime
package import Engine
import HTTPTypes
import HummingbirdCore
import JSON
import Store

/// Counts the data that retention is going to remove (rule H7).
struct RetentionRoute: Sendable {
  let service: any ReminderService

  var route: Route { Route(.get, "/v1/retention", .retention, answer: .observer(answer)) }

  private func answer(_ call: Call) async throws -> Response {
    let query = PruningQuery(
      try Self.part(call.parameters["part"]),
      after: try PageBounds.number(after: call.parameters["after"]))
    let forecast = try await service.result(of: query)
    return Response(RetentionPayload.self, forecast)
  }

  private static func part(_ text: String?) throws(Problem) -> RetentionPart {
    if let part = text.flatMap(RetentionPart.init) { return part }
    let partNames = RetentionPayload.parts.joined(separator: ", ")
    throw Problem(.invalidParameter, "part must be one of \(partNames)", path: "part")
  }
}

package struct RetentionPayload: Payload {
  package typealias Value = PruningForecast
  package static let shape = PayloadShape(Self())
  /// The values of `part`.
  package static let parts = RetentionPart.allCases.map(\.rawValue)

  package let part = Member("part", .text) { $0.part.rawValue }
  package let kept = Member(
    "kept", orNull: .text(.duration), "How long the service keeps the data; null if unlimited"
  ) {
    $0.retention.map { $0.iso8601 }
  }
  package let count = Member("count", .count) { Int($0.found.count) }
  package let oldest = Member("oldest", orNull: .instant) { $0.found.oldest }
  package let next = Member("next", orNull: .text) { $0.found.cursor.map { "\($0)" } }
}
