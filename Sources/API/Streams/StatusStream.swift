import Access
import Engine
import HTTPTypes
import HummingbirdCore
import NIOCore

/// Streams the service's status when it changes, so that clients need not poll.
struct StatusStreamRoute: Sendable {
  let service: any ReminderService
  let admission: StreamAdmission

  var route: Route {
    Route(.get, "/v1/status/stream", .statusStream, answer: .observer(answer))
  }

  private func answer(_ call: Call) async throws -> Response {
    let stream = try admission.open(call, every: admission.limits.statusPause) {
      $0.scope.has(.observation)
    }
    let watch = service.watchStatus(signal: stream.signal)
    let status = StatusStream(service: service, stream: stream, watch: watch)
    return .events { writer in
      let opening = ServerSentEvents.opening(retry: stream.limits.reconnection)
      try await stream.run(opening, to: &writer) { try await status.follow(&$0) }
    }
  }
}

/// Sends the status when it may have changed, with a pause between two events, and also
/// periodically, because ages grow without a change.
struct StatusStream: Sendable {
  let service: any ReminderService
  let stream: OpenStream
  /// Signals changes of the status; nil if changes cannot be watched.
  let watch: ViewWatch?

  /// The number of pauses after which the status is sent even without a change.
  private static let pausesMax = 5

  /// - Returns: why the stream ends; nil if the client has disconnected.
  func follow(_ writer: inout any ResponseBodyWriter) async throws -> StreamEnd? {
    defer { withExtendedLifetime(watch) {} }
    while true {
      do {
        let status = try await service.answer(StatusQuery())
        try await writer.write(
          ServerSentEvents.event("status") { StatusPayload.write(status, to: &$0) })
      } catch is ServiceUnavailable {
        return .stopping
      }
      if let ending = await waitForChange() { return ending.reason }
    }
  }

  /// Waits until the status may have changed and at least one pause has passed, or until
  /// `pausesMax` pauses have passed.
  ///
  /// - Returns: how the stream ends; nil if it continues.
  private func waitForChange() async -> OpenStream.Conclusion? {
    var pauses = 0
    while pauses < Self.pausesMax {
      // A change during the first pause waits for the pause to end; otherwise a busy engine would
      // cause an event per cycle.
      let news = await stream.signal.next(ignoring: pauses == 0 ? .deliveries : [])
      if let ending = stream.ending(by: news) { return ending }
      if news.contains(.deliveries) { return nil }
      pauses += 1
    }
    return nil
  }
}

extension Operation {
  static let statusStream = Operation(
    identifier: "statusStream", summary: "Stream the status when it changes",
    details: """
      Server-sent events. Each event "status" has the response of /v1/status: at the beginning, \
      after changes but at most once a second, and at least every 5 seconds. Treat a stream that \
      is silent for much longer as broken. The events have no ids: after a reconnection the stream \
      begins with the current status. If the service ends a stream, the last event is "end", as in \
      a recipient's stream.
      """,
    answers: [
      Answer(
        "The events, until either side ends the stream",
        Schema.text.described("Blocks of lines; the data of each is a Status"),
        type: ServerSentEvents.contentType)
    ])
}
