internal import CCurl
internal import Foundation

/// How a request ended.
package enum TransferOutcome: Hashable, Sendable {
  /// The transfer ended without an error.
  case whole
  /// The request was cancelled, or the listener ended it.
  case stopped
  /// The time limit passed in this stage.
  case late(Stage)
  case nameUnknown
  /// - Parameter errno: the system's error number; 0 if there is none.
  case unconnected(errno: Int32)
  /// The certificate is expired, not yet valid, or not signed by a trusted authority.
  case untrusted
  case certificateNameMismatch
  case authoritiesUnreadable
  case tlsFailed
  case notHTTP
  /// - Parameter wasSent: whether the request was written to the connection.
  case brokenOff(wasSent: Bool)
  case invalidURL
  /// Any other failure, with libcurl's description.
  case failed(String)

  /// The stage of a request at the end of its time limit.
  package enum Stage: Hashable, Sendable {
    case connecting
    case securing
    case answering
  }

  init(_ outcome: CCurlOutcome) {
    switch outcome.ending {
    case .whole: self = .whole
    case .stopped: self = .stopped
    case .late:
      self = .late(outcome.is_sent ? .answering : outcome.is_connected ? .securing : .connecting)
    case .nameUnknown: self = .nameUnknown
    case .unconnected: self = .unconnected(errno: outcome.error_number)
    case .untrusted: self = .untrusted
    case .otherName: self = .certificateNameMismatch
    case .authoritiesUnreadable: self = .authoritiesUnreadable
    case .tlsFailed: self = .tlsFailed
    case .notHTTP: self = .notHTTP
    case .brokenOff: self = .brokenOff(wasSent: outcome.is_sent)
    case .unreadable: self = .invalidURL
    case .failed: self = .failed(Self.words(outcome))
    }
  }

  private static func words(_ outcome: CCurlOutcome) -> String {
    withUnsafeBytes(of: outcome.words) { bytes in
      String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
    }
  }

  /// Whether the request may have arrived. This is assumed of a stopped request.
  package var wasSent: Bool {
    switch self {
    case .whole, .stopped, .late(.answering), .notHTTP, .brokenOff(wasSent: true):
      true
    default: false
    }
  }
}

/// The reason, as a clause that completes a sentence.
extension TransferOutcome: CustomStringConvertible {
  package var description: String {
    switch self {
    case .late(.connecting): "connecting took too long"
    case .late(.securing): "the TLS handshake took too long"
    case .late(.answering): "no answer before the deadline"
    case .nameUnknown: "its name cannot be resolved"
    case .unconnected(errno: 0): "connecting failed"
    case .unconnected(let errno): "connecting failed: \(String(cString: strerror(errno)))"
    case .untrusted:
      "its certificate is not trusted: it is expired, or its authority is unknown"
    case .certificateNameMismatch: "its certificate is for another name"
    case .authoritiesUnreadable: "the file of trusted certificates cannot be read"
    case .tlsFailed: "the TLS handshake failed"
    case .notHTTP: "the answer is not HTTP"
    // This description of a whole transfer is used if it ended without a complete head.
    case .whole, .brokenOff: "the connection broke off before there was an answer"
    case .stopped: "the request was cancelled"
    case .invalidURL: "its URL is invalid"
    case .failed(let reason): "the request failed: \(reason)"
    }
  }
}

/// The reason why no request can be sent at all, as a sentence.
package struct TransferError: Error, Hashable, CustomStringConvertible {
  package let description: String

  init(_ description: String) {
    self.description = description
  }
}
