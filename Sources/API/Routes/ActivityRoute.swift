import CivilTime
import Engine
import HTTPTypes
import HummingbirdCore
import JSON

/// What the service and its sinks have done of late, minute by minute, in numbers.
struct ActivityRoute: Sendable {
  let service: any ReminderService

  var route: Route { Route(.get, "/v1/activity", .activity, answer: .observer(answer)) }

  private func answer(_ call: Call) async throws -> Response {
    let hours = try call.number("hours", 1...24, usually: 24)
    let minutes = try call.number("minutes", 1...60, usually: 15)
    do {
      let activity = try await service.activity(
        ActivityQuestion(span: .hours(hours), part: .minutes(minutes)))
      return Response(json: activity.write)
    } catch {
      throw Problem(error)
    }
  }
}

extension Activity {
  fileprivate func write(to writer: inout JSONWriter) {
    writer.beginObject()
    writer.member("now", now.description)
    writer.member("first", first.description)
    writer.member("minutes", part.milliseconds / 60_000)
    for kind in Kind.allCases { writer.member(kind.rawValue, service[kind] ?? []) }
    writer.key(constant: "sinks")
    writer.beginArray()
    for (name, counts) in sinks.sorted(by: { $0.key < $1.key }) {
      writer.beginObject()
      writer.member("sink", name)
      for (kind, counts) in zip(SinkKind.allCases, counts) {
        writer.member(kind.rawValue, counts)
      }
      writer.endObject()
    }
    writer.endArray()
    writer.endObject()
  }
}

extension JSONWriter {
  /// A member that is a list of numbers.
  mutating func member(_ key: String, _ counts: [Int]) {
    self.key(key)
    beginArray()
    for count in counts { value(count) }
    endArray()
  }
}

extension Operation {
  static let activity = Operation(
    identifier: "activity", summary: "What the service and its sinks have done of late, in numbers",
    details: """
      Each list has a number for each part, the oldest first; the last part is not over yet. It is \
      kept in memory, by the minute: what was before the start of the service is 0.
      """,
    parameters: [
      .query("hours", .integer(1...24), "How many hours; 24 unless given"),
      .query("minutes", .integer(1...60), "How long a part is; 15 unless given"),
    ],
    answers: [
      Answer(
        "The parts, in order",
        .object(
          [
            .init("now", .instant), .init("first", Schema.instant.described("Of the first part")),
            .init("minutes", .count),
          ] + Activity.Kind.allCases.map { .init($0.rawValue, .list(.count)) } + [
            .init("sinks", .list(sink))
          ]))
    ])

  private static let sink = Schema.object(
    [.init("sink", .text)]
      + Activity.SinkKind.allCases.map { .init($0.rawValue, .list(.count)) })
}
