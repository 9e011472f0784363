package import CivilTime
import Engine
import HTTPTypes
import HummingbirdCore
import JSON
import Outbox
import Reminders

/// Sends one delivery to one sink and shows the sink's response (rule D5).
struct SinkTestRoute: Sendable {
  let service: any ReminderService
  let limits: APILimits

  /// The default time to wait for the sink's response, in seconds.
  private static let waitDefault = 15

  var route: Route {
    Route(.post, "/v1/sinks/{sink}/test", .testSink, answer: .administrator(test))
  }

  private func test(_ call: Call) async throws -> Response {
    let parameters = try parameters(call, await call.body(SinkTestBody.self, within: limits))
    call.audit.setSubject(
      [parameters.sink, parameters.recipient].compactMap(\.self).joined(separator: " for "))
    let receipt: SinkTestReceipt
    do {
      receipt = try await service.trySink(parameters)
    } catch {
      throw Problem(error)
    }
    return Response(
      SinkTestPayload.self,
      SinkTestPayload.Value(
        sink: parameters.sink, result: try result(of: receipt, parameters)))
  }

  private func parameters(
    _ call: Call, _ body: ReceivedBody<SinkTestBody>
  ) throws(Problem) -> SinkTestParameters {
    let wait = try call.number("wait", default: Self.waitDefault)
    return SinkTestParameters(
      sink: call.segments[0], channel: try body.channel, recipient: try body.recipient,
      title: try body.title ?? TestText.title, body: try body.body ?? TestText.body,
      timeout: .seconds(wait))
  }

  private func result(
    of receipt: SinkTestReceipt, _ parameters: SinkTestParameters
  ) throws(Problem) -> SinkTestResult {
    switch receipt {
    case .done(let result): return result
    case .unknownSink: throw Problem.unknown(sink: parameters.sink)
    case .unknownRecipient: throw Problem.unknown(recipient: parameters.recipient ?? "")
    case .recipientRequired:
      throw Problem(
        .invalidBody,
        "the sink \"\(parameters.sink.shortened)\" sends to recipients' addresses; give a "
          + "recipient, such as your own", path: "recipient")
    case .busy:
      throw Problem(
        .tooManyRequests,
        "the previous test of the sink is still running; nothing was sent to it; try again soon",
        headers: [.retryAfter: "5"])
    }
  }
}

struct SinkTestBody: RequestPayload {
  static let shape = BodyShape(Self())

  let channel = Member(
    "channel", optional: .channel, "The channel; default: the sink's first")
  let recipient = Member("recipient", optional: .recipient, "The recipient whose addresses to use")
  let title = Member("title", optional: .text(TestText.titleLengths))
  let body = Member("body", optional: .text(TestText.bodyLengths))
}

package struct SinkTestPayload: Payload {
  package struct Value {
    let sink: String
    let result: SinkTestResult
  }

  package static let shape = PayloadShape(Self())

  package let sink = Member("sink", .text) { $0.sink }
  package let id = Member("id", .text, "The id sent to the sink") { $0.result.delivery.identifier }
  package let channel = Member("channel", .channel) { $0.result.delivery.channel }
  package let at = Member("at", .instant) { $0.result.delivery.at }
  package let verdict = Member(
    "verdict", .word(["delivered", "retry", "rejected", "outage"]),
    "outage: the sink accepted nothing, or did not answer in time"
  ) { $0.result.fields.verdict }
  package let reason = Member("reason", optional: .text, "Why the sink did not accept the delivery")
  {
    $0.result.fields.reason
  }
  package let retryAfter = Member("retryAfter", optional: .text(.duration)) {
    $0.result.fields.wait.map { "\($0)" }
  }
  package let status = Member("status", optional: .text, "The status in the sink's protocol") {
    $0.result.response?.status
  }
  package let excerpt = Member(
    "excerpt", optional: .text, "The beginning of the response"
  ) { ($0.result.response?.excerpt).flatMap { $0.isEmpty ? nil : $0 } }
  package let milliseconds = Member("milliseconds", optional: .count) {
    ($0.result.response?.duration.milliseconds).map { Int($0) }
  }
}

extension SinkTestResult {
  fileprivate var response: SinkResponse? { (try? answer.get())?.response }

  fileprivate var fields: (verdict: String, reason: String?, wait: TimeSpan?) {
    switch answer.map(\.verdict) {
    case .failure(let outage): ("outage", outage.description, nil)
    case .success(.delivered): ("delivered", nil, nil)
    case .success(.retry(let wait, let reason)): ("retry", reason, wait)
    case .success(.rejected(let reason)): ("rejected", reason, nil)
    }
  }
}
