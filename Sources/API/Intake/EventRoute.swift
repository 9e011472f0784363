import Access
import CivilTime
import Engine
import HTTPTypes
import HummingbirdCore
import JSON
import NIOCore

/// Takes events in: one, a batch, or a stream of lines (rules E1 to E4).
struct EventRoute: Sendable {
  let service: any ReminderService
  let limits: APILimits
  let now: @Sendable () -> Instant

  var route: Route { Route(.post, "/v1/events", .sendEvents, answer: .caller(answer)) }

  private func answer(_ call: Call, _ scope: AccessScope) async throws -> Response {
    let format = try EventFormat(call.request.headers)
    if case .lines = format {
      return try await EventStream(service: service, scope: scope, limits: limits, now: now)
        .response(to: call)
    }
    let body = try await call.body(within: limits)
    let (group, isBatch) = try read(body, format, scope)
    let answers: [EventAnswer]
    do {
      answers = try await group.submit(to: service)
    } catch {
      throw Problem(error)
    }
    guard !isBatch, let answer = answers.first else { return Self.response(answers, group.place) }
    return try Self.response(answer)
  }

  private func read(
    _ body: ByteBuffer, _ format: EventFormat, _ scope: AccessScope
  ) throws(Problem) -> (group: EventGroup, isBatch: Bool) {
    var group = EventGroup(
      place: "index", planner: service.planner, scope: scope, now: now())
    switch (format, try document(body)) {
    case (.batch, .array(let values)), (.singleOrBatch, .array(let values)):
      for (index, value) in values.enumerated() { group.add(value, at: index) }
      return (group, true)
    case (.batch, let value):
      throw Problem(.malformedText, "a batch is an array of events; this is \(value.kind)")
    case (.single, .array):
      throw Problem(
        .malformedText, "this is an array; send a batch as application/cloudevents-batch+json")
    case (_, let value):
      group.add(value, at: 0)
      return (group, false)
    }
  }

  private func document(_ body: ByteBuffer) throws(Problem) -> JSONValue {
    switch body.withUnsafeReadableBytes(JSONParser(maximumBytes: limits.body).result) {
    case .success(let value): return value
    case .failure(let error): throw Problem(error)
    }
  }

  /// An event that was taken in is a 202, one that was there before a 200.
  private static func response(_ answer: EventAnswer) throws(Problem) -> Response {
    switch answer.result {
    case .accepted: Response(status: .accepted, json: answer.write(to:))
    case .duplicate: Response(status: .ok, json: answer.write(to:))
    case .refused(let problem): throw problem
    }
  }

  /// A batch is a 200 whatever became of its items.
  private static func response(_ answers: [EventAnswer], _ place: StaticString) -> Response {
    var counts = (accepted: 0, duplicate: 0, refused: 0)
    return Response { writer in
      writer.beginObject()
      writer.key(constant: "items")
      writer.beginArray()
      for answer in answers {
        answer.write(key: place, to: &writer)
        switch answer.result {
        case .accepted: counts.accepted += 1
        case .duplicate: counts.duplicate += 1
        case .refused: counts.refused += 1
        }
      }
      writer.endArray()
      writer.member("accepted", counts.accepted)
      writer.member("duplicate", counts.duplicate)
      writer.member("refused", counts.refused)
      writer.endObject()
    }
  }
}
