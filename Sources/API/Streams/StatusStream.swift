import Access
import Engine
import HTTPTypes
import HummingbirdCore
import NIOCore

/// How the service is, as it changes: who watches it need not ask again and again.
struct StatusStreamRoute: Sendable {
  let service: any ReminderService
  let gate: StreamGate

  var route: Route {
    Route(.get, "/v1/status/stream", .statusStream, answer: .observer(answer))
  }

  private func answer(_ call: Call) async throws -> Response {
    let stream = try gate.open(call, every: gate.limits.statusPause) { $0.scope.has(.observation) }
    let watch = service.watchStatus(telling: stream.signal)
    let status = StatusStream(service: service, stream: stream, watch: watch)
    return .events { writer in
      let opening = ServerSentEvents.opening(retry: stream.limits.reconnection)
      try await stream.run(opening, to: &writer) { try await status.follow(&$0) }
    }
  }
}

/// Tells the status whenever it may be another, but with a pause in between; and now and then all
/// the same, for ages grow without anything happening.
struct StatusStream: Sendable {
  let service: any ReminderService
  let stream: OpenStream
  /// Nil where nobody can tell that something has changed.
  let watch: ViewWatch?

  /// After how many pauses the status is told in any case.
  private static let pausesMax = 5

  /// - Returns: why the stream has to end; nil if the client has gone.
  func follow(_ writer: inout any ResponseBodyWriter) async throws -> StreamEnd? {
    defer { withExtendedLifetime(watch) {} }
    while true {
      do {
        let status = try await service.status()
        try await writer.write(
          ServerSentEvents.event("status") { StatusPayload.write(status, to: &$0) })
      } catch is ServiceUnavailable {
        return .stopping
      }
      if let ending = await rest() { return ending.reason }
    }
  }

  /// Returns when there is something new and a pause is over, or when there were enough pauses.
  private func rest() async -> OpenStream.Ending? {
    var pauses = 0
    while pauses < Self.pausesMax {
      // Who is told of each turn of a busy engine would do nothing else.
      let news = await stream.signal.next(besides: pauses == 0 ? .deliveries : [])
      if let ending = stream.ending(by: news) { return ending }
      if news.contains(.deliveries) { return nil }
      pauses += 1
    }
    return nil
  }
}

extension Operation {
  static let statusStream = Operation(
    identifier: "statusStream", summary: "How the service is, as it changes",
    details: """
      Server-sent events. Each event "status" has the whole of what /v1/status answers: at the \
      beginning, when something has happened, though at most once a second, and at least every 5 \
      seconds; take a stream that is silent for much longer for broken. The events have no ids: \
      whoever connects again is told the status of then. The last event of a stream that the \
      service ends is "end", as of a person's stream.
      """,
    answers: [
      Answer(
        "The events, until either side ends the stream",
        Schema.text.described("Blocks of lines; the data of each is a Status"),
        type: ServerSentEvents.contentType)
    ])
}
