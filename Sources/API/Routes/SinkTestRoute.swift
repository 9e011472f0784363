import CivilTime
import Engine
import HTTPTypes
import HummingbirdCore
import JSON
import NIOCore
import Outbox
import Reminders

/// Hands one delivery to one sink and shows what it says, as it came (rule D5).
struct SinkTestRoute: Sendable {
  let service: any ReminderService
  let limits: APILimits

  private static let waits = 1...50
  private static let usualWait = 15
  private static let members = ["channel", "recipient", "title", "body"]

  var route: Route {
    Route(.post, "/v1/sinks/{sink}/test", .testSink, answer: .administrator(test))
  }

  private func test(_ call: Call) async throws -> Response {
    let order = try order(call, await call.body(within: limits))
    call.audit.add([order.sink, order.recipient].compactMap(\.self).joined(separator: " for "))
    let receipt: SinkTestReceipt
    do {
      receipt = try await service.trySink(order)
    } catch {
      throw Problem(error)
    }
    let result = try result(of: receipt, order)
    return Response { result.write(order, to: &$0) }
  }

  private func order(_ call: Call, _ body: ByteBuffer) throws(Problem) -> SinkTestOrder {
    let object = try JSONObject(body, within: limits, known: Self.members)
    var channel: Reminders.Channel?
    if let name = object["channel"] { channel = try TestText.channel(name) }
    let wait = try call.number("wait", Self.waits, usually: Self.usualWait)
    return SinkTestOrder(
      sink: call.segments[0], channel: channel,
      recipient: try TestText.text(object["recipient"], "recipient", limit: 128),
      title: try TestText.title(object), body: try TestText.body(object),
      patience: .seconds(wait))
  }

  private func result(
    of receipt: SinkTestReceipt, _ order: SinkTestOrder
  ) throws(Problem) -> SinkTestResult {
    switch receipt {
    case .done(let result): return result
    case .unknownSink: throw Problem.unknown(sink: order.sink)
    case .unknownRecipient: throw Problem.unknown(recipient: order.recipient ?? "")
    case .recipientWanted:
      throw Problem(
        .invalidBody,
        "the sink \"\(order.sink.shortened)\" sends to people's own addresses; name whose, such as "
          + "yours", path: "recipient")
    case .busy:
      throw Problem(
        .tooManyRequests,
        "the sink has not come back from the test before; nothing was handed to it; try again soon",
        headers: [.retryAfter: "5"])
    }
  }
}

extension SinkTestResult {
  fileprivate func write(_ order: SinkTestOrder, to writer: inout JSONWriter) {
    writer.beginObject()
    writer.member("sink", order.sink)
    writer.member("id", delivery.identifier)
    writer.member("channel", delivery.channel.name)
    writer.member("at", delivery.at.description)
    switch answer {
    case .failure(let outage):
      writer.member("verdict", "outage")
      writer.member("reason", outage.description)
    case .success(let answer): answer.write(to: &writer)
    }
    writer.endObject()
  }
}

extension SinkAnswer {
  /// Some members.
  fileprivate func write(to writer: inout JSONWriter) {
    switch verdict {
    case .delivered: writer.member("verdict", "delivered")
    case .retry(let span, let reason):
      writer.member("verdict", "retry")
      writer.member("reason", reason)
      if let span { writer.member("retryAfter", span.description) }
    case .rejected(let reason):
      writer.member("verdict", "rejected")
      writer.member("reason", reason)
    }
    guard let response else { return }
    writer.member("status", response.status)
    if !response.excerpt.isEmpty { writer.member("excerpt", response.excerpt) }
    writer.member("milliseconds", response.duration.milliseconds)
  }
}
