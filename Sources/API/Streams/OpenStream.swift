import Access
import Engine
import HTTPTypes
import HummingbirdCore
import NIOCore
import ServiceLifecycle

/// The common parts of all event streams: the limiter, heartbeats, the end, and the check of the
/// caller's authorization.
struct OpenStream: Sendable {
  /// Wakes the stream for news, such as deliveries, a heartbeat or the end.
  let signal: StreamSignal
  let limits: APILimits
  let scope: RequestScope
  /// While the permit exists, the limiter counts the stream.
  let permit: StreamPermit
  /// Returns whether the caller may still use the stream.
  let isAdmitted: @Sendable () -> Bool
  var heartbeatInterval: Duration

  /// Runs a stream until the client disconnects or the service ends it with a last event.
  ///
  /// - Parameters:
  ///   - opening: the beginning of the stream.
  ///   - follow: returns why the stream ends; nil if the client has disconnected.
  func run(
    _ opening: ByteBuffer, to writer: inout any ResponseBodyWriter,
    _ follow: (inout any ResponseBodyWriter) async throws -> StreamEnd?
  ) async throws {
    defer { withExtendedLifetime(permit) {} }
    let interval = TimeAmount(heartbeatInterval)
    let heartbeats = scope.channel.eventLoop.scheduleRepeatedTask(
      initialDelay: interval, delay: interval
    ) { [signal] _ in signal.send(.silence) }
    defer { heartbeats.cancel() }
    scope.channel.closeFuture.whenComplete { [signal] _ in signal.send(.disconnection) }
    scope.detectVanishedPeers(after: limits.stall)
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

  /// How a stream ends.
  enum Conclusion {
    case disconnected
    case ended(StreamEnd)
  }

  /// Returns how signals end the stream; nil if the stream continues.
  func ending(by news: StreamSignal.News) -> Conclusion? {
    if let end = StreamEnd(news) { return .ended(end) }
    if news.contains(.disconnection) { return .disconnected }
    return isAdmitted() ? nil : .ended(.unauthorized)
  }
}

extension OpenStream.Conclusion {
  /// The reason to send to the client; nil if the client has disconnected.
  var reason: StreamEnd? {
    if case .ended(let end) = self { end } else { nil }
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

/// Admits callers to streams, up to the limits.
struct StreamGate: Sendable {
  let authenticator: Authenticator
  let limiter: StreamLimiter
  let limits: APILimits

  /// Begins a stream; throws a refusal at a limit of streams.
  ///
  /// - Parameters:
  ///   - interval: the interval of heartbeats; nil for the default.
  ///   - mayUse: whether a caller may use the stream; checked again while the stream is open,
  ///     because tokens expire and are revoked.
  func open(
    _ call: Call, signal: StreamSignal = StreamSignal(), every interval: Duration? = nil,
    to mayUse: @escaping @Sendable (Caller) -> Bool
  ) throws(Problem) -> OpenStream {
    let isAdministrator = call.caller?.scope == .administrator
    let permit = try limiter.acquire(for: isAdministrator ? nil : call.caller?.bearer)
    call.scope.permit.streamBegins()
    let (headers, origin) = (call.request.headers, call.scope.origin)
    return OpenStream(
      signal: signal, limits: limits, scope: call.scope, permit: permit,
      isAdmitted: { [authenticator] in
        let caller = try? authenticator.caller(sending: headers, from: origin)
        return caller.map(mayUse) ?? false
      }, heartbeatInterval: interval ?? limits.heartbeat)
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
  /// Prevents proxies from buffering the stream.
  static let accelBuffering = HTTPField.Name("X-Accel-Buffering") ?? .cacheControl
}
