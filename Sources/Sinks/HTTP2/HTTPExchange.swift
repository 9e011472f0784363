package import CivilTime
internal import NIOCore

/// A client that sends a request to a server and returns its response.
package protocol HTTPExchange: Sendable {
  /// Sends a request and waits for the response.
  ///
  /// - Parameter deadline: the instant at which the client gives up the request.
  func send(
    _ request: ExchangeRequest, before deadline: ContinuousClock.Instant
  ) async throws(ExchangeError) -> ExchangeResponse
}

/// A server that is reached over TLS.
package struct ExchangeOrigin: Hashable, Sendable, CustomStringConvertible {
  /// The host: a name, or an IP address without brackets.
  package let host: String
  package let port: Int

  package init(host: String, port: Int = 443) {
    self.host = host
    self.port = port
  }

  /// The authority of a request: the host, and the port unless it is 443.
  package var authority: String {
    let host = host.contains(":") ? "[\(host)]" : host
    return port == 443 ? host : "\(host):\(port)"
  }

  package var description: String { authority }
}

/// A request. It cannot be printed, because its path and headers identify the device and the
/// sender.
package struct ExchangeRequest: Sendable {
  package let origin: ExchangeOrigin
  package let path: String
  /// The headers, with lower-case names.
  package let headers: [(name: String, value: String)]
  package let body: [UInt8]

  /// - Parameter path: the path, of printable ASCII without spaces, which begins with "/".
  package init(
    posting body: [UInt8], to origin: ExchangeOrigin, path: String,
    headers: [(name: String, value: String)]
  ) {
    self.origin = origin
    self.path = path
    self.headers = headers
    self.body = body
  }
}

extension ExchangeRequest: CustomStringConvertible, CustomDebugStringConvertible,
  CustomReflectable
{
  package var description: String { "(a request to \(origin))" }
  package var debugDescription: String { description }
  package var customMirror: Mirror { Mirror(self, children: []) }
}

/// A server's response.
package struct ExchangeResponse: Sendable {
  package let status: Int
  /// The headers, with lower-case names.
  package let headers: [(name: String, value: String)]
  package let body: [UInt8]

  /// The maximum size of a body in bytes.
  package static let bodyMax = 65_536

  package init(status: Int, headers: [(name: String, value: String)] = [], body: [UInt8] = []) {
    self.status = status
    self.headers = headers
    self.body = body
  }

  /// The delay that the header Retry-After requests; nil if there is no valid one.
  package func retryAfter(now: Instant) -> TimeSpan? {
    headers.first { $0.name == "retry-after" }.flatMap { RetryAfter.span($0.value, now: now) }
  }
}

/// The reason why a request has no response.
package enum ExchangeError: Error, Hashable, Sendable {
  /// There is no connection, so nothing was sent.
  case unreachable(String)
  /// The server has not processed the request and will not do so, so it may be sent again
  /// immediately.
  case unprocessed(String)
  /// The request was sent, and its outcome is unknown.
  case lost(String)
  /// No answer arrived in time; the outcome is unknown.
  case overdue

  /// The reason, in words for operators.
  package var reason: String {
    switch self {
    case .unreachable(let reason), .unprocessed(let reason), .lost(let reason): reason
    case .overdue: "no answer came in time"
    }
  }
}

/// The pending outcome of one request; the first result counts.
struct HTTP2Reply: Sendable {
  private let promise: EventLoopPromise<Result<ExchangeResponse, ExchangeError>>

  init(on loop: any EventLoop) {
    promise = loop.makePromise()
  }

  func succeed(_ response: ExchangeResponse) { promise.succeed(.success(response)) }

  func fail(_ failure: ExchangeError) { promise.succeed(.failure(failure)) }

  func result() async throws(ExchangeError) -> ExchangeResponse {
    let result = try? await promise.futureResult.get()
    return try (result ?? .failure(.lost("the client was closed"))).get()
  }
}
