import HTTPTypes
import HummingbirdCore
import NIOCore
import Outbox

/// Reads the requests that delivery services send. A proof in the request, such as a signature, is
/// their only credential.
struct ServiceRequestReader: Sendable {
  let limits: APILimits
  /// Limits the rate of forged requests by client address.
  let failures: RateLimiter

  /// Reads the whole request of a call. The first value of a repeated header field counts.
  func request(of call: Call) async throws(Problem) -> ServiceRequest {
    let body = try await call.body(within: limits)
    let fields = Dictionary(
      call.request.headers.map { ($0.name.canonicalName, $0.value) },
      uniquingKeysWith: { first, _ in first })
    return ServiceRequest(
      fields: fields, query: call.request.uri.query.map { String($0) } ?? "",
      body: Array(body.readableBytesView))
  }

  /// Returns the problem with which a request is refused. A forged request counts against the
  /// limit of its client's address.
  func problem(_ error: ServiceRequestError, _ call: Call) -> Problem {
    switch error {
    case .malformed(let reason): return Problem(.malformedText, reason)
    case .forged(let reason):
      do {
        if case .network(_, let peer) = call.scope.origin {
          try failures.admit(peer, else: "too many invalid requests came from your address")
        }
      } catch {
        return error
      }
      return Problem(.unauthenticated, reason, headers: [.wwwAuthenticate: "Basic"])
    }
  }
}
