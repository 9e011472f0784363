package import CivilTime
package import Delivery
internal import NIOHTTP1
package import Systemd

/// What came back: the status decides, the rest is for the person who looks into it.
package struct HTTPReply: Sendable {
  package let status: Int
  /// The first 4 kB of the body, or what of it came in time.
  package internal(set) var beginning: [UInt8] = []
  /// How long it took, from the first step to the last byte that was waited for.
  package internal(set) var duration = TimeSpan.zero
  private let headers: HTTPHeaders

  init(_ head: HTTPResponseHead) {
    status = Int(head.status.code)
    headers = head.headers
  }

  /// The first value of a field.
  package func field(_ name: String) -> String? { headers.first(name: name) }

  /// What is kept with the attempt.
  ///
  /// - Parameter secrets: were sent, and are struck out where the other side repeats them.
  package func response(hiding secrets: [Secret] = []) -> SinkResponse {
    let said = secrets.reduce(into: beginning) { said, secret in
      secret.withBytes { said.strike(Array($0)) }
    }
    return SinkResponse(status: "\(status)", said: said, duration: duration)
  }

  /// How long the other side asks to be left alone.
  package func retryAfter(now: Instant) -> TimeSpan? {
    field("retry-after").flatMap { RetryAfter.span($0, now: now) }
  }
}

extension [UInt8] {
  /// Puts asterisks wherever these bytes stand.
  fileprivate mutating func strike(_ secret: [UInt8]) {
    guard !secret.isEmpty else { return }
    var start = 0
    while start + secret.count <= count {
      if self[start] == secret[0], self[start..<start + secret.count].elementsEqual(secret) {
        replaceSubrange(
          start..<start + secret.count, with: repeatElement(UInt8(ascii: "*"), count: secret.count))
        start += secret.count
      } else {
        start += 1
      }
    }
  }
}
