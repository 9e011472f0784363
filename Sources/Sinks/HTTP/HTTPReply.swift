package import CivilTime
package import Cryptography
internal import HTTPTransfers
package import Outbox

/// A reply to a sink's request: its status, its fields and the beginning of its body.
package struct HTTPReply: Sendable {
  package let status: Int
  /// The first 4 kB of the body, or the part that arrived.
  package let beginning: [UInt8]
  /// Whether `beginning` is complete: the body has ended, or has filled the 4 kB.
  package let isBeginningComplete: Bool
  /// The time from the start of the lookup of the host's addresses to the last byte that was read.
  package let duration: TimeSpan
  private let head: ReplyHead
  /// The URL of the request.
  private let url: HTTPURL

  /// The maximum number of bytes read of a body.
  static let byteCountMax = 4_096

  /// - Parameter reply: a reply with a complete head.
  init(_ reply: CollectedReply, from url: HTTPURL, duration: TimeSpan) {
    status = reply.head.status ?? 0
    beginning = reply.body
    isBeginningComplete = reply.outcome == .whole || reply.body.count >= Self.byteCountMax
    self.duration = duration
    head = reply.head
    self.url = url
  }

  /// Returns the first value of a field, by its lower-case name.
  package func field(_ name: String) -> String? { head.first(name) }

  /// Returns the response that is stored with the attempt.
  ///
  /// - Parameter secrets: the secrets of the request. The remote may repeat them, or the parts of
  ///   the URL that may be keys. All of these are removed from the body.
  package func response(hiding secrets: [Secret] = []) -> SinkResponse {
    // Most replies to accepted deliveries are empty, so the URL need not be searched for secrets.
    let hidden = beginning.isEmpty ? [] : secrets + url.secrets
    return SinkResponse(
      status: "\(status)", body: beginning, hiding: Redaction(hidden), duration: duration)
  }

  /// The reason phrases of error statuses (RFC 9110, 4918, 6585 and 8470).
  private static let phrases = [
    400: "Bad Request", 401: "Unauthorized", 402: "Payment Required", 403: "Forbidden",
    404: "Not Found", 405: "Method Not Allowed", 406: "Not Acceptable",
    407: "Proxy Authentication Required", 408: "Request Timeout", 409: "Conflict", 410: "Gone",
    411: "Length Required", 412: "Precondition Failed", 413: "Content Too Large",
    414: "URI Too Long", 415: "Unsupported Media Type", 417: "Expectation Failed",
    421: "Misdirected Request",
    422: "Unprocessable Content", 423: "Locked", 424: "Failed Dependency", 425: "Too Early",
    426: "Upgrade Required", 428: "Precondition Required", 429: "Too Many Requests",
    431: "Header Fields Too Large", 451: "Unavailable For Legal Reasons",
    500: "Internal Server Error", 501: "Not Implemented", 502: "Bad Gateway",
    503: "Service Unavailable", 504: "Gateway Timeout", 505: "HTTP Version Not Supported",
    507: "Insufficient Storage",
  ]

  /// The origin and the status: "https://example.org:8443: 503 Service Unavailable". The path is
  /// left out because it may contain a key, and the body because it may repeat the message's text.
  package var originAndStatus: String {
    "\(url): \(status)" + (Self.phrases[status].map { " \($0)" } ?? "")
  }

  /// The delay that the remote requests by `Retry-After`; nil if the field is missing or invalid.
  package func retryAfter(now: Instant) -> TimeSpan? {
    field("retry-after").flatMap { RetryAfter.span($0, now: now) }
  }
}

extension HTTPReply {
  /// Returns the verdict that the status implies (rule D2), for protocols that do not define their
  /// own meaning of statuses.
  package func verdict(now: Instant) -> SinkAnswer.Verdict {
    switch status {
    case 200..<300:
      .delivered
    case 300..<400:
      .rejected(reason: "\(status): redirects are not followed")
    case 408, 425, 429, 500..<600:
      .retry(after: retryAfter(now: now), reason: "\(status)")
    default:
      .rejected(reason: "\(status)")
    }
  }
}

/// Parses the field `Retry-After`: a number of seconds or a date (RFC 9110, section 10.2.3).
package enum RetryAfter {
  /// The maximum delay, to which longer delays are cut.
  private static let spanMax = TimeSpan.hours(24)

  /// - Parameter text: the field's value.
  /// - Returns: 0 to 24 hours; nil if the value is invalid.
  package static func span(_ text: String, now: Instant) -> TimeSpan? {
    let text = text.drop { " \t".contains($0) }
    let end = text.lastIndex { !" \t".contains($0) }.map(text.index(after:)) ?? text.startIndex
    let value = String(text[..<end])
    if !value.isEmpty, value.utf8.allSatisfy({ (0x30...0x39).contains($0) }) {
      // A number that overflows means a long delay.
      return Int(value).map { min(.seconds(min($0, 86_400)), spanMax) } ?? spanMax
    }
    guard let date = Instant(httpDate: value) else { return nil }
    return min(max(date - now, .zero), spanMax)
  }
}
