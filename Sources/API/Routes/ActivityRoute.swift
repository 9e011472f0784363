import CivilTime
import Engine
import HTTPTypes
import HummingbirdCore
import JSON

/// Serves the recent activity of the service and its sinks: one count for every few minutes.
struct ActivityRoute: Sendable {
  let service: any ReminderService

  var route: Route { Route(.get, "/v1/activity", .activity, answer: .observer(answer)) }

  private func answer(_ call: Call) async throws -> Response {
    let hours = try call.number("hours", default: 24)
    let minutes = try call.number("minutes", default: 15)
    let activity = try await service.result(
      of: ActivityQuery(span: .hours(hours), part: .minutes(minutes)))
    return Response(ActivityPayload.self, activity)
  }
}

struct ActivityPayload: Payload {
  typealias Value = Activity
  static let shape = PayloadShape(Self())

  let now = Member("now", .instant) { $0.now }
  let first = Member("first", .instant, "The start of the oldest part") { $0.first }
  let minutes = Member("minutes", .count) { Int($0.part.milliseconds / 60_000) }
  let service = PayloadWords<Activity>(
    Activity.Kind.allCases, named: \.rawValue, .list(.count), areRequired: true
  ) { $0.service[$1] ?? [] }
  let sinks = Member("sinks", .list(.payload(SinkActivityPayload.self))) { activity in
    activity.sinks.sorted { $0.key < $1.key }.map {
      SinkActivityPayload.Value(sink: $0.key, counts: $0.value)
    }
  }
}

struct SinkActivityPayload: Payload {
  struct Value {
    let sink: String
    /// The counts of each kind, in the order of the kinds: one count for each part of the span.
    let counts: [[Int]]
  }

  static let shape = PayloadShape(Self())

  let sink = Member("sink", .text) { $0.sink }
  let counts = PayloadWords<Value>(
    Array(zip(Activity.SinkKind.allCases, 0...)), named: \.0.rawValue, .list(.count),
    areRequired: true
  ) { $1.1 < $0.counts.count ? $0.counts[$1.1] : nil }
}

extension Operation {
  static let activity = Operation(
    identifier: "activity", summary: "Recent activity of the service and its sinks",
    details: """
      Each list has one count for each part of the span, the oldest first; the last part has not \
      ended yet. The counts are kept in memory, so they are 0 for the time before the service \
      started.
      """,
    parameters: [
      .query("hours", .integer(1...24), "The span in hours; default: 24"),
      .query("minutes", .integer(1...60), "The length of a part in minutes; default: 15"),
    ],
    answers: [
      Answer("The parts, in order", .of(ActivityPayload.self))
    ])
}
