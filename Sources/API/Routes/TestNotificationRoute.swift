import Access
import CivilTime
import Engine
import HTTPTypes
import HummingbirdCore
import JSON
import NIOCore
import Reminders
import ServiceLifecycle

/// Sends a test notification and reports each step on a line as it happens (rule D5). The response
/// ends when the notification has arrived or failed, or when the wait is over. Recipients' own
/// tokens may not use this route: the caller chooses the text, and such tokens may not request
/// notifications (rule E7).
struct TestNotificationRoute: Sendable {
  let service: any ReminderService
  let limits: APILimits

  /// The allowed times to wait for the test's end, in seconds.
  static let waits: ClosedRange<Int64> = 0...50
  /// The default time to wait, in seconds.
  private static let waitDefault = 15

  var route: Route {
    Route(.post, "/v1/recipients/{recipient}/test", .test, answer: .person(.support, send))
  }

  private func send(_ call: Call, _ recipient: String) async throws -> Response {
    let wait = try call.number("wait", default: Self.waitDefault)
    let parameters = try Self.parameters(await call.body(TestBody.self, within: limits))
    let (steps, continuation) = AsyncStream<TestStep>.makeStream()
    let receipt: TestReceipt?
    do {
      receipt = try await service.sendTest(recipient, parameters) { continuation.yield($0) }
    } catch {
      throw Problem(error)
    }
    guard let receipt else { throw Problem.unknown(recipient: recipient) }
    if receipt.obstacle != nil || receipt.sinks.isEmpty { continuation.finish() }
    return Response(
      status: .ok, headers: [.contentType: "application/x-ndjson"],
      body: ResponseBody { writer in
        try await writer.write(Self.line(.beginning(receipt, parameters)))
        let timer = call.scope.channel.eventLoop.scheduleTask(in: .seconds(Int64(wait))) {
          continuation.finish()
        }
        defer { timer.cancel() }
        try await writeSteps(steps, continuation, of: receipt, &writer)
        try await writer.finish(nil)
      })
  }

  private func writeSteps(
    _ steps: AsyncStream<TestStep>, _ continuation: AsyncStream<TestStep>.Continuation,
    of receipt: TestReceipt, _ writer: inout any ResponseBodyWriter
  ) async throws {
    defer { service.forgetTest(receipt.notification) }
    guard receipt.obstacle == nil else { return }
    try await withGracefulShutdownHandler {
      for await step in steps {
        try await writer.write(Self.line(TestLine(step)))
        if step.isLast { return }
      }
      try await writer.write(Self.line(.end(receipt)))
    } onGracefulShutdown: {
      continuation.finish()
    }
  }

  private static func line(_ line: TestLine) -> ByteBuffer {
    var writer = JSONWriter()
    TestLinePayload.write(line, to: &writer)
    writer.endLine()
    return ByteBuffer(bytes: writer.bytes)
  }

  private static func parameters(
    _ body: ReceivedBody<TestBody>
  ) throws(Problem) -> TestParameters {
    TestParameters(
      channel: try body.channel, title: try body.title ?? TestText.title,
      body: try body.body ?? TestText.body)
  }
}

struct TestBody: RequestPayload {
  static let shape = BodyShape(Self())

  let channel = Member("channel", .channel)
  let title = Member("title", optional: .text(TestText.titleLengths))
  let body = Member("body", optional: .text(TestText.bodyLengths))
}

/// The default texts of tests, and the allowed lengths in characters.
enum TestText {
  static let title = "Test"
  static let body = "This is a test; nothing needs to be done."
  static let titleLengths = 0...1_024
  static let bodyLengths = 0...4_096
}
