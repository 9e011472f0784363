package import CivilTime
internal import NIOCore

/// Something that takes a request to a server and brings back what it says.
package protocol HTTPExchange: Sendable {
  /// - Parameter deadline: when to give up.
  func send(
    _ request: ExchangeRequest, before deadline: ContinuousClock.Instant
  ) async throws(ExchangeFailure) -> ExchangeResponse
}

/// A server, reached over TLS.
package struct ExchangeOrigin: Hashable, Sendable, CustomStringConvertible {
  /// A name, or an address without brackets.
  package let host: String
  package let port: Int

  package init(host: String, port: Int = 443) {
    self.host = host
    self.port = port
  }

  /// As a request names it.
  package var authority: String {
    let host = host.contains(":") ? "[\(host)]" : host
    return port == 443 ? host : "\(host):\(port)"
  }

  package var description: String { authority }
}

/// A request, which cannot be printed: its path and headers name the device and the sender.
package struct ExchangeRequest: Sendable {
  package let origin: ExchangeOrigin
  package let path: String
  /// Names in lower case.
  package let headers: [(name: String, value: String)]
  package let body: [UInt8]

  /// - Parameter path: begins with "/"; of printable ASCII without spaces.
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

/// What a server said.
package struct ExchangeResponse: Sendable {
  package let status: Int
  /// Names in lower case.
  package let headers: [(name: String, value: String)]
  package let body: [UInt8]

  /// The longest body that is taken, in bytes.
  package static let bodyMax = 65_536

  package init(status: Int, headers: [(name: String, value: String)] = [], body: [UInt8] = []) {
    self.status = status
    self.headers = headers
    self.body = body
  }

  /// How long the server asks to be left alone.
  package func retryAfter(now: Instant) -> TimeSpan? {
    headers.first { $0.name == "retry-after" }.flatMap { RetryAfter.span($0.value, now: now) }
  }
}

/// Why a request has no answer.
package enum ExchangeFailure: Error, Hashable, Sendable {
  /// There is no connection, so nothing was sent.
  case unreachable(String)
  /// The server has not looked at it and will not: it may be sent again at once.
  case unprocessed(String)
  /// It was sent, and what became of it is not known.
  case lost(String)
  /// The same, as no answer came in time.
  case overdue

  /// What it says, for the person who runs the service.
  package var reason: String {
    switch self {
    case .unreachable(let reason), .unprocessed(let reason), .lost(let reason): reason
    case .overdue: "no answer came in time"
    }
  }
}

/// Where the outcome of one request is waited for; what comes first counts.
struct HTTP2Reply: Sendable {
  private let promise: EventLoopPromise<Result<ExchangeResponse, ExchangeFailure>>

  init(on loop: any EventLoop) {
    promise = loop.makePromise()
  }

  func succeed(_ response: ExchangeResponse) { promise.succeed(.success(response)) }

  func fail(_ failure: ExchangeFailure) { promise.succeed(.failure(failure)) }

  func result() async throws(ExchangeFailure) -> ExchangeResponse {
    let result = try? await promise.futureResult.get()
    return try (result ?? .failure(.lost("the client was closed"))).get()
  }
}
