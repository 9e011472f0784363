import Access
import CivilTime
import Engine
import HTTPTypes
import HummingbirdCore
import JSON
import NIOCore
import Outbox
import Reminders

/// Accepts the replies of people to text messages (rules D14, D15). The meaning of a reply becomes
/// an event about the sender. The text of the reply is not stored.
struct ReplyRoute: Sendable {
  let intake: EventIntake
  let readers: CurrentServiceReaders
  let requests: ServiceRequestReader
  let refusals: RefusalCounts
  let counts: ReplyCounts
  let turns: SenderTurns
  let now: @Sendable () -> Instant

  private static let path = "/v1/replies/{sink}"

  var route: Route {
    Route(
      .post, Self.path, .receiveReplies, answer: .everyone(receive), isOpenToOtherSites: true)
  }

  private func receive(_ call: Call) async throws -> Response {
    let sink = call.segments[0]
    guard let reader = readers.value.replies[sink] else {
      throw Problem(
        .unknownSink, "no sink of this name has replies; set the key replies of the sink")
    }
    let request = try await requests.request(of: call)
    let reply: ServiceReply
    do {
      reply = try reader.reader.reply(in: request)
    } catch {
      counts.count(.refused, of: sink)
      throw requests.problem(error, call)
    }
    let outcome = try await settle(reply, of: sink)
    counts.count(outcome, of: sink)
    let answer = reader.reader.answer(outcome == .help ? reader.help : nil)
    return Response(
      status: .ok, headers: [.contentType: answer.contentType],
      body: ResponseBody(byteBuffer: ByteBuffer(string: answer.body)))
  }

  /// Reports the meaning of a reply. A reply without a meaning is no error, because the delivery
  /// service would send the reply again after an error.
  private func settle(_ reply: ServiceReply, of sink: String) async throws -> ReplyOutcome {
    guard let number = Self.number(reply.sender) else { return .unknown }
    return try await turns.withTurn(of: number) { try await settle(reply, from: number, of: sink) }
  }

  private func settle(
    _ reply: ServiceReply, from number: PhoneNumber, of sink: String
  ) async throws -> ReplyOutcome {
    let command = Reply(reply.text).command
    let subjects = try await intake.service.result(
      of: ReplySubjectsQuery(number, readsNotifications: command == nil))
    let decision = ReplyDecision(
      reply, command, from: subjects, by: sink, planner: intake.service.planner, now: now())
    if let answer = decision.answer, try await !canAccept(answer) {
      if let unmatched = decision.unmatched { _ = try await submit([unmatched], of: sink) }
      return .unmatched
    }
    let isPossible = try await submit(
      decision.events, of: sink, optional: decision.opening == nil ? 0 : 1)
    guard isPossible else {
      if let refusal = decision.refusal { _ = try await submit([refusal], of: sink) }
      return .unmatched
    }
    return decision.outcome
  }

  /// Returns whether the recipient can accept the event of an answer now.
  private func canAccept(_ answer: JSONValue) async throws -> Bool {
    let reader = EventReader(planner: intake.service.planner)
    guard let event = try? reader.event(answer, now: now()) else { return false }
    return try await intake.service.result(of: AcceptanceQuery(of: event))
  }

  /// Returns the sender's number. Some services leave out the plus sign before the country code.
  private static func number(_ sender: String) -> PhoneNumber? {
    PhoneNumber(sender) ?? PhoneNumber("+" + sender)
  }

  /// Submits events, and returns whether none was refused for its content. An answer that was given
  /// before does not count as refused. If the service cannot accept an event now, the request
  /// fails, so that the delivery service sends the reply again.
  ///
  /// - Parameter optionalCount: how many of the last events may be refused.
  private func submit(
    _ events: [JSONValue], of sink: String, optional optionalCount: Int = 0
  ) async throws -> Bool {
    let caller = Caller(
      scope: .administrator, name: "the service of the sink \(sink)", isLocal: false, bearer: nil)
    var group = EventGroup(
      planner: intake.service.planner, reporter: try EventReporter(caller, audit: nil), now: now(),
      refusals: refusals, mayBeForwarded: intake.forwarding != nil)
    for (position, event) in events.enumerated() { group.add(event, at: position) }
    let answers: [EventAnswer]
    do {
      answers = try await group.submit(to: intake)
    } catch {
      throw Problem(error)
    }
    var isPossible = true
    for (position, answer) in answers.enumerated() {
      guard case .refused(let problem) = answer.result else { continue }
      if problem.isServiceFault { throw problem }
      // The same answer was given before at another time, by a link or by a reply.
      if problem.kind == .conflictingEvent || position >= events.count - optionalCount { continue }
      isPossible = false
    }
    return isPossible
  }
}

extension Operation {
  static let receiveReplies = Operation(
    identifier: "receiveReplies", summary: "Replies of people to text messages",
    details: """
      The sink's service forwards replies to this address. The key "replies" of the sink names the \
      service, whose format the body has: JSON, or for Twilio a form. STOP and START switch the \
      person's text messages off and on. Any other text may choose an action of the latest text \
      message. The response is in the format of the service.
      """,
    body: Body(
      Content(schema: .object, example: ["id": "m1", "from": "+3221234567", "text": "taken"])),
    answers: [replyAnswer],
    problems: [.unknownSink, .unauthenticated, .malformedText, .tooManyRequests])

  private static var replyAnswer: Answer {
    var answer = Answer(
      "The reply's meaning is on disk; the body is in the service's format", .text,
      type: "text/xml")
    answer.contents.append(Content(schema: .object, example: ["answer": "Call us."]))
    return answer
  }
}
