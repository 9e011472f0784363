import Access
import CivilTime
import Engine
import HTTPTypes
import HummingbirdCore
import JSON
import NIOCore
import Outbox

/// Accepts events: one, a batch, or a stream of lines (rules E1 to E4).
struct EventRoute: Sendable {
  let intake: EventIntake
  let limits: APILimits
  let audit: (any AuditLog)?
  let refusals: RefusalCounts
  /// Limits how many large bodies are processed at once, because a parsed batch takes many times
  /// the memory of its text (rule H3).
  let largeBodies: AsyncSemaphore
  /// Limits the events that recipients' own tokens send.
  let eventLimiter: EventLimiter
  let now: @Sendable () -> Instant

  static let path = "/v1/events"

  var route: Route { Route(.post, Self.path, .sendEvents, answer: .caller(answer)) }

  private func answer(_ call: Call, _ caller: Caller) async throws -> Response {
    do {
      let reporter = try EventReporter(caller, audit: audit)
      let format = try EventFormat(call.request.headers)
      if case .lines = format {
        return try await EventLineStream(
          intake: intake, reporter: reporter, limits: limits, refusals: refusals,
          eventLimiter: eventLimiter,
          now: now
        ).response(to: call)
      }
      // Recipients' own devices need no large batches.
      guard format.mayBeBatch, reporter.scope.recipient == nil,
        call.mayBeLonger(than: limits.body)
      else { return try await answer(call, format, reporter, upTo: limits.body) }
      return try await largeBodies.withPermit {
        try await answer(call, format, reporter, upTo: limits.batch)
      }
    } catch let problem as Problem {
      refusals.count(problem, of: nil)
      throw problem
    }
  }

  /// The advice to the sender of a body that is too long.
  private static let remedy =
    "send smaller batches, or lines of JSON as application/x-ndjson, which have no limit"

  private func answer(
    _ call: Call, _ format: EventFormat, _ reporter: EventReporter, upTo length: Int
  ) async throws -> Response {
    let body = try await call.body(within: limits, upTo: length, remedy: Self.remedy)
    let group = try read(call.request.headers, body, format, reporter)
    let answers = try await eventLimiter.submit(
      group, to: intake, for: reporter.caller, from: call.scope.origin)
    return Response(Self.response(.success(answers), of: group))
  }

  /// Reads the events of a complete body; returns nil if the body is a stream of lines.
  func group(
    _ headers: HTTPFields, _ body: ByteBuffer, _ caller: Caller
  ) throws(Problem) -> EventGroup? {
    let format = try EventFormat(headers)
    if case .lines = format { return nil }
    return try read(headers, body, format, EventReporter(caller, audit: audit))
  }

  private func read(
    _ headers: HTTPFields, _ body: ByteBuffer, _ format: EventFormat, _ reporter: EventReporter
  ) throws(Problem) -> EventGroup {
    var group = EventGroup(
      planner: intake.service.planner, reporter: reporter, now: reporter.caller.arrival ?? now(),
      refusals: refusals, mayBeForwarded: intake.forwarding != nil)
    if case .binary = format {
      let event = try BinaryEvent(headers, data: body, JSONParser(maximumBytes: limits.body))
      group.isSingle = true
      group.add(event.value, at: 0)
      return group
    }
    switch (format, try document(body)) {
    case (.batch, .array(let values)), (.singleOrBatch, .array(let values)):
      for (index, value) in values.enumerated() { group.add(value, at: index) }
    case (.batch, let value):
      throw Problem(.malformedText, "a batch is an array of events; this is \(value.kind)")
    case (.single, .array):
      throw Problem(
        .malformedText, "this is an array; send a batch as application/cloudevents-batch+json")
    case (_, let value):
      guard body.readableBytes <= limits.body else {
        throw Call.tooLarge(limits.body, Self.remedy)
      }
      group.isSingle = true
      group.add(value, at: 0)
    }
    return group
  }

  private func document(_ body: ByteBuffer) throws(Problem) -> JSONValue {
    switch body.withUnsafeReadableBytes(JSONParser(maximumBytes: limits.batch).result) {
    case .success(let value): return value
    case .failure(let error): throw Problem(error)
    }
  }

  /// The status of a batch of which some events were refused (RFC 4918, section 11.1).
  static let multiStatus = HTTPResponse.Status(code: 207, reasonPhrase: "Multi-Status")

  /// The response to a group of events.
  static func response(
    _ result: Result<[EventAnswer], ServiceUnavailable>, of group: EventGroup
  ) -> WholeResponse {
    switch result {
    case .success(let answers):
      guard group.isSingle, let answer = answers.first else {
        let noneRefused = answers.allSatisfy {
          if case .refused = $0.result { false } else { true }
        }
        return WholeResponse(
          EventsAnswerPayload.self, EventsAnswerPayload.Value(answers),
          status: noneRefused ? .ok : Self.multiStatus)
      }
      return response(answer)
    case .failure(let error): return WholeResponse(Problem(error))
    }
  }

  /// An accepted event is answered 202, a duplicate 200.
  private static func response(_ answer: EventAnswer) -> WholeResponse {
    switch answer.result {
    case .accepted: WholeResponse(EventAnswerPayload.self, answer, status: .accepted)
    case .duplicate: WholeResponse(EventAnswerPayload.self, answer)
    case .refused(let problem): WholeResponse(problem)
    }
  }
}

extension Call {
  /// Whether the body may have more bytes than `count`, by the Content-Length header; true if the
  /// request lacks the header.
  fileprivate func mayBeLonger(than count: Int) -> Bool {
    request.headers[.contentLength].flatMap { Int($0) }.map { $0 > count } ?? true
  }
}

/// The caller that sends events. The audit log records erasures by events under the caller's name.
struct EventReporter: Sendable {
  let caller: Caller
  private let audit: (any AuditLog)?

  /// - Throws: a refusal if the caller may report no events at all.
  init(_ caller: Caller, audit: (any AuditLog)?) throws(Problem) {
    if caller.scope == .observer { throw Problem(caller.scope, lacks: .support) }
    self.caller = caller
    self.audit = audit
  }

  var scope: AccessScope { caller.scope }

  func auditErasure(of recipient: String) {
    audit?.record(
      AuditEntry(
        actor: caller.name, action: Operation.erase.identifier, recipient: recipient,
        subject: "by an event"))
  }
}
