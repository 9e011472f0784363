import Access
import Engine
import HTTPTypes
import HummingbirdCore
import NIOCore
import ServiceLifecycle

/// What every stream of events has around it: its seat, heartbeats, the end of either side, and
/// whether who asked for it may still have it.
struct OpenStream: Sendable {
  let signal: StreamSignal
  let limits: APILimits
  let scope: RequestScope
  /// Kept for as long as the stream is.
  let seat: StreamPermit
  let isAdmitted: @Sendable () -> Bool
  /// How often the signal tells of silence.
  var beat: Duration

  /// Follows something until the client has gone, or until it has to end, which it is told.
  ///
  /// - Parameters:
  ///   - opening: what the stream begins with.
  ///   - follow: returns why the stream ends; nil if the client has gone.
  func run(
    _ opening: ByteBuffer, to writer: inout any ResponseBodyWriter,
    _ follow: (inout any ResponseBodyWriter) async throws -> StreamEnd?
  ) async throws {
    defer { withExtendedLifetime(seat) {} }
    let beat = TimeAmount(beat)
    let beats = scope.channel.eventLoop.scheduleRepeatedTask(initialDelay: beat, delay: beat) {
      [signal] _ in signal.send(.silence)
    }
    defer { beats.cancel() }
    scope.channel.closeFuture.whenComplete { [signal] _ in signal.send(.disconnection) }
    scope.noticePeersThatVanish(after: limits.stall)
    try await writer.write(opening)
    let end = try await withGracefulShutdownHandler {
      try await follow(&writer)
    } onGracefulShutdown: {
      signal.send(.stopping)
    }
    guard let end else { return }
    try await writer.write(ServerSentEvents.end(end))
    try await writer.finish(nil)
  }

  /// What the stream has to end with by what has happened.
  enum Ending {
    case gone
    case told(StreamEnd)
  }

  /// Nil while it goes on.
  func ending(by news: StreamSignal.News) -> Ending? {
    if let end = StreamEnd(news) { return .told(end) }
    if news.contains(.disconnection) { return .gone }
    return isAdmitted() ? nil : .told(.unauthorized)
  }
}

extension OpenStream.Ending {
  /// What the client is told; nil if it has gone.
  var reason: StreamEnd? {
    if case .told(let end) = self { end } else { nil }
  }
}

extension StreamEnd {
  fileprivate init?(_ news: StreamSignal.News) {
    if news.contains(.erasure) {
      self = .erased
    } else if news.contains(.stopping) {
      self = .stopping
    } else {
      return nil
    }
  }
}

/// Lets callers in to streams, as long as there is room.
struct StreamGate: Sendable {
  let authenticator: Authenticator
  let seats: StreamLimiter
  let limits: APILimits

  /// - Parameter mayHave: whether a caller may have the stream: tokens expire and are revoked.
  func open(
    _ call: Call, telling signal: StreamSignal = StreamSignal(), every beat: Duration? = nil,
    to mayHave: @escaping @Sendable (Caller) -> Bool
  ) throws(Problem) -> OpenStream {
    let isAdministrator = call.caller?.scope == .administrator
    let seat = try seats.take(for: isAdministrator ? nil : call.caller?.bearer)
    call.scope.seat.streamBegins()
    let (headers, origin) = (call.request.headers, call.scope.origin)
    return OpenStream(
      signal: signal, limits: limits, scope: call.scope, seat: seat,
      isAdmitted: { [authenticator] in
        let caller = try? authenticator.caller(sending: headers, from: origin)
        return caller.map(mayHave) ?? false
      }, beat: beat ?? limits.heartbeat)
  }
}

extension Response {
  /// - Parameter body: writes events until the stream ends.
  static func events(
    _ body: @escaping @Sendable (inout any ResponseBodyWriter) async throws -> Void
  ) -> Response {
    Response(
      status: .ok,
      headers: [
        .contentType: ServerSentEvents.contentType, .cacheControl: "no-store",
        .accelBuffering: "no",
      ],
      body: ResponseBody { writer in try await body(&writer) })
  }
}

extension HTTPField.Name {
  static let lastEventID = HTTPField.Name("Last-Event-ID") ?? .ifMatch
  /// Keeps a proxy from gathering what should go on at once.
  static let accelBuffering = HTTPField.Name("X-Accel-Buffering") ?? .cacheControl
}
