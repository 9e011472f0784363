internal import CCurl
internal import Foundation

/// How a request came to its end.
package enum TransferOutcome: Hashable, Sendable {
  /// All of the reply has come.
  case whole
  /// It was given up, or who takes it in has had enough.
  case stopped
  case late(Stage)
  case nameUnknown
  /// - Parameter errno: 0 if the system has not said why.
  case unconnected(errno: Int32)
  /// Nobody known has signed the certificate, or its time is over.
  case untrusted
  case otherName
  case authoritiesUnreadable
  case tlsFailed
  case notHTTP
  /// - Parameter wasSent: whether it had been written to the connection.
  case brokenOff(wasSent: Bool)
  /// The URL is none.
  case unreadable
  /// For another reason, in libcurl's words.
  case failed(String)

  /// How far it got.
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
    case .otherName: self = .otherName
    case .authoritiesUnreadable: self = .authoritiesUnreadable
    case .tlsFailed: self = .tlsFailed
    case .notHTTP: self = .notHTTP
    case .brokenOff: self = .brokenOff(wasSent: outcome.is_sent)
    case .unreadable: self = .unreadable
    case .failed: self = .failed(Self.words(outcome))
    }
  }

  private static func words(_ outcome: CCurlOutcome) -> String {
    withUnsafeBytes(of: outcome.words) { bytes in
      String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
    }
  }

  /// Whether the request was written to a connection, so that it may have arrived.
  package var wasSent: Bool {
    switch self {
    case .whole, .stopped, .late(.answering), .notHTTP, .brokenOff(wasSent: true):
      true
    default: false
    }
  }
}

/// What went wrong, in words that end a sentence.
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
      "its certificate cannot be trusted: it is expired, or nobody known has signed it"
    case .otherName: "its certificate is for another name"
    case .authoritiesUnreadable: "the certificates of those it is to be trusted by cannot be read"
    case .tlsFailed: "the TLS handshake failed"
    case .notHTTP: "what came back is not HTTP"
    case .whole, .brokenOff: "the connection broke off before there was an answer"
    case .stopped: "the request was given up"
    case .unreadable: "its URL cannot be read"
    case .failed(let words): "the request failed: \(words)"
    }
  }
}

/// Why nothing can be sent at all, as a sentence.
package struct TransferFault: Error, Hashable, CustomStringConvertible {
  package let description: String

  init(_ description: String) {
    self.description = description
  }
}
