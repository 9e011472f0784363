import HTTPTransfers
import JSON

/// Why a request to the service failed.
enum ConnectionError: Error, Hashable {
  /// The service was not reached, or the connection broke.
  case unreachable(errno: Int32?, reason: String)
  /// The reply did not arrive in time.
  case late(Duration)
  /// The service refused the request.
  ///
  /// - Parameter problem: the problem document (RFC 9457); nil if the reply has none.
  case refused(status: Int, problem: JSONValue?)
}

extension ConnectionError {
  init(_ failure: StreamError, timeout: Duration) {
    switch failure.outcome {
    case .late(.answering): self = .late(timeout)
    case .unconnected(let errno):
      self = .unreachable(errno: errno == 0 ? nil : errno, reason: "\(failure.outcome)")
    default:
      let fault = failure.fault.map { ": \($0)" } ?? ""
      let outcome = failure.fault == nil ? failure.outcome : .notHTTP
      self = .unreachable(errno: nil, reason: "\(outcome)\(fault)")
    }
  }
}
