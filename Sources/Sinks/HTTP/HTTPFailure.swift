internal import AsyncHTTPClient
internal import Glibc
internal import NIOCore
internal import NIOHTTP1
internal import NIOSSL

/// Why there is no answer to a request; the reason does not name the host.
package enum HTTPFailure: Error, Hashable, Sendable {
  /// Nothing was handed over, and it would not be another time.
  case unreachable(String)
  /// It may have arrived.
  case unanswered(String)

  package var reason: String {
    switch self {
    case .unreachable(let reason), .unanswered(let reason): reason
    }
  }
}

extension HTTPFailure {
  /// - Parameter wasSent: whether there was a connection and the request was written to it.
  init(_ error: any Error, wasSent: Bool) {
    let reason = Self.reason(error, wasSent)
    self = wasSent ? .unanswered(reason) : .unreachable(reason)
  }

  private static func reason(_ error: any Error, _ wasSent: Bool) -> String {
    switch error {
    case let error as HTTPClientError:
      reason(error, wasSent)
    case let error as IOError:
      reason(error)
    case ChannelError.connectTimeout:
      "connecting took too long"
    case is ChannelError:
      brokenOff
    case let fault as ReplyFault:
      "what came back is not HTTP: \(fault)"
    case is HTTPParserError, is NIOHTTPDecoderError:
      "what came back is not HTTP"
    case let error as NIOSSLError:
      reason(error)
    case is NIOSSLExtraError:
      "its certificate is for another name"
    default:
      "the connection failed: \(error)"
    }
  }

  private static let brokenOff = "the connection broke off before there was an answer"

  private static func reason(_ error: HTTPClientError, _ wasSent: Bool) -> String {
    switch error {
    case .deadlineExceeded: wasSent ? "no answer before the deadline" : "connecting took too long"
    case .connectTimeout, .getConnectionFromPoolTimeout: "connecting took too long"
    case .tlsHandshakeTimeout: "the TLS handshake took too long"
    case .remoteConnectionClosed: brokenOff
    default: "the request failed: \(error.description)"
    }
  }

  private static func reason(_ error: IOError) -> String {
    switch error.errnoCode {
    case ECONNRESET, EPIPE: brokenOff
    default: "connecting failed: \(String(cString: strerror(error.errnoCode)))"
    }
  }

  private static func reason(_ error: NIOSSLError) -> String {
    let text = String(describing: error)
    return if text.contains("CERTIFICATE_VERIFY_FAILED") || text.contains("unableToValidate") {
      "its certificate cannot be trusted: it is expired, or nobody known has signed it"
    } else {
      "the TLS handshake failed"
    }
  }

  /// Whether the other side may have closed a connection that had served its time, just when it was
  /// used again.
  static func mayBeClosedKeepAlive(_ error: any Error) -> Bool {
    switch error {
    case let error as HTTPClientError: error == .remoteConnectionClosed
    case let error as IOError: error.errnoCode == ECONNRESET || error.errnoCode == EPIPE
    case ChannelError.connectTimeout: false
    case is ChannelError: true
    case let error as NIOSSLError: String(describing: error).contains("uncleanShutdown")
    default: false
    }
  }
}
