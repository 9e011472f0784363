package import CivilTime
internal import HTTPTransfers
package import Outbox
package import Systemd

/// What came back: the status decides, the rest is for the person who looks into it.
package struct HTTPReply: Sendable {
  package let status: Int
  /// The first 4 kB of the body, or what of it came in time.
  package let beginning: [UInt8]
  /// Whether that is all that would have been read of it, however long it had taken.
  package let isBeginningWhole: Bool
  /// How long it took, from the first step to the last byte that was waited for.
  package let duration: TimeSpan
  private let head: ReplyHead
  /// Where it comes from.
  private let url: HTTPURL

  /// How much of a body is read.
  static let byteCountMax = 4_096

  /// - Parameter reply: has a whole head.
  init(_ reply: CollectedReply, from url: HTTPURL, duration: TimeSpan) {
    status = reply.head.status ?? 0
    beginning = reply.body
    isBeginningWhole = reply.outcome == .whole || reply.body.count >= Self.byteCountMax
    self.duration = duration
    head = reply.head
    self.url = url
  }

  /// The first value of a field, by its name in lower case.
  package func field(_ name: String) -> String? { head.first(name) }

  /// What is kept with the attempt.
  ///
  /// - Parameter secrets: were sent, and are struck out where the other side repeats them, as is
  ///   what of the URL may be a key.
  package func response(hiding secrets: [Secret] = []) -> SinkResponse {
    // Most who take a delivery say nothing, and to take the URL apart costs each of them something.
    let hidden = beginning.isEmpty ? [] : secrets + url.secrets
    return SinkResponse(
      status: "\(status)", said: beginning, hiding: Redaction(hidden), duration: duration)
  }

  private static let shownMax = 80

  /// What statuses of errors mean (RFC 9110, 4918, 6585 and 8470).
  private static let phrases = [
    400: "Bad Request", 401: "Unauthorized", 402: "Payment Required", 403: "Forbidden",
    404: "Not Found", 405: "Method Not Allowed", 406: "Not Acceptable", 407: "Proxy Auth Required",
    408: "Request Timeout", 409: "Conflict", 410: "Gone", 411: "Length Required",
    412: "Precondition Failed", 413: "Content Too Large", 414: "URI Too Long",
    415: "Unsupported Media Type", 417: "Expectation Failed", 421: "Misdirected Request",
    422: "Unprocessable Content", 423: "Locked", 424: "Failed Dependency", 425: "Too Early",
    426: "Upgrade Required", 428: "Precondition Required", 429: "Too Many Requests",
    431: "Header Fields Too Large", 451: "Unavailable For Legal Reasons",
    500: "Internal Server Error", 501: "Not Implemented", 502: "Bad Gateway",
    503: "Service Unavailable", 504: "Gateway Timeout", 505: "HTTP Version Not Supported",
    507: "Insufficient Storage",
  ]

  /// Where it comes from, its status, and the beginning of its body: "https://example.org:8443: 503
  /// Service Unavailable: draining". Nothing of the URL that may be a key is in it.
  package var words: String {
    let phrase = Self.phrases[status] ?? ""
    let said = response().excerpt.split { $0.isWhitespace }.joined(separator: " ")
    let parts = ["\(url)", "\(status)" + (phrase.isEmpty ? "" : " \(phrase)")]
    let shown = said.count > Self.shownMax ? said.prefix(Self.shownMax) + "…" : said[...]
    return (parts + (shown.isEmpty ? [] : [String(shown)])).joined(separator: ": ")
  }

  /// How long the other side asks to be left alone.
  package func retryAfter(now: Instant) -> TimeSpan? {
    field("retry-after").flatMap { RetryAfter.span($0, now: now) }
  }
}

extension HTTPReply {
  /// What a status says about the delivery that was sent (rule D2), where a protocol has no words
  /// of its own.
  package func verdict(now: Instant) -> SinkAnswer.Verdict {
    switch status {
    case 200..<300:
      .delivered
    case 300..<400:
      .rejected(reason: "\(status): it redirects to elsewhere, which is never followed")
    case 408, 425, 429, 500..<600:
      .retry(after: retryAfter(now: now), reason: "\(status)")
    default:
      .rejected(reason: "\(status)")
    }
  }
}

/// How long the other side asks to be left alone, by seconds or by a date (RFC 9110, section
/// 10.2.3).
package enum RetryAfter {
  /// Who asks for more is asked again after a day.
  private static let spanMax = TimeSpan.hours(24)

  /// - Parameter text: the field's value.
  /// - Returns: none to a day; nil if it says nothing that can be understood.
  package static func span(_ text: String, now: Instant) -> TimeSpan? {
    let text = text.drop { " \t".contains($0) }
    let end = text.lastIndex { !" \t".contains($0) }.map(text.index(after:)) ?? text.startIndex
    let value = String(text[..<end])
    if !value.isEmpty, value.utf8.allSatisfy({ (0x30...0x39).contains($0) }) {
      // Of digits that are too many, each is one more reason to wait.
      return Int(value).map { min(.seconds(min($0, 86_400)), spanMax) } ?? spanMax
    }
    guard let date = Instant(httpDate: value) else { return nil }
    return min(max(date - now, .zero), spanMax)
  }
}
