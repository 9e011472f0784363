import Engine
import Glibc
import HTTPTypes
import JSON
import NIOCore
import Outbox
import Synchronization

/// Writes the format `text/event-stream` (WHATWG HTML, section 9.2.5).
enum ServerSentEvents {
  static let contentType = "text/event-stream"

  /// A block without an event: the id to continue from, and the client's delay before it
  /// reconnects.
  static func opening(cursor: String, retry: Duration) -> ByteBuffer {
    let milliseconds = retry.components.seconds * 1_000
    return ByteBuffer(string: "retry: \(milliseconds)\nid: \(cursor)\n\n")
  }

  /// An opening without an id, for streams that a client cannot continue.
  static func opening(retry: Duration) -> ByteBuffer {
    ByteBuffer(string: "retry: \(retry.components.seconds * 1_000)\n\n")
  }

  /// - Parameter id: the cursor to continue from; nil if streams cannot continue from the event.
  static func event(
    _ name: String, id: String? = nil, _ write: (inout JSONWriter) -> Void
  ) -> ByteBuffer {
    var writer = JSONWriter()
    write(&writer)
    var buffer = ByteBuffer(string: id.map { "id: \($0)\n" } ?? "")
    buffer.writeString("event: \(name)\ndata: ")
    buffer.writeBytes(writer.bytes)
    buffer.writeString("\n\n")
    return buffer
  }

  /// A comment, which clients ignore; sent while a stream has no events.
  static let heartbeat = ByteBuffer(string: ":\n\n")

  static func end(_ reason: StreamEnd) -> ByteBuffer {
    event("end") { StreamEndPayload.write(reason, to: &$0) }
  }

  /// The withdrawal of a delivery (rule D16). The event has no id, because a stream cannot continue
  /// from it.
  static func withdrawal(_ withdrawn: WithdrawnDelivery) -> ByteBuffer {
    event("notification.withdrawn") { withdrawn.write(to: &$0) }
  }

  static func page(_ page: StreamPage) -> ByteBuffer {
    var buffer = ByteBuffer()
    var writer = JSONWriter()
    for item in page.items {
      writer.removeAll()
      item.delivery.writeLine(to: &writer)
      buffer.writeString("id: \(item.cursor)\nevent: notification\ndata: ")
      buffer.writeBytes(writer.bytes)
      buffer.writeString("\n")
    }
    if let cursor = page.cursor { buffer.writeString("id: \(cursor)\n\n") }
    return buffer
  }
}

/// Why the service ends a stream; sent in the last event.
package enum StreamEnd: String, CaseIterable, Error {
  /// The recipient was erased; do not reconnect.
  case erased
  /// The token is no longer valid.
  case unauthorized
  /// The service stops; it may be back soon.
  case stopping
  /// The client has missed more than a stream can resend.
  case behind
}

package struct StreamEndPayload: Payload {
  package typealias Value = StreamEnd
  package static let shape = PayloadShape(Self())

  package let reason = Member("reason", .word) { $0 }
}

/// Limits the number of streams, per bearer token and in total, so that connections remain for
/// other requests.
final class StreamLimiter: Sendable {
  private struct Counts {
    var total = 0
    var byBearer: [String: Int] = [:]
  }

  private let limits: APILimits
  private let counts = Mutex(Counts())

  init(limits: APILimits) {
    self.limits = limits
  }

  /// - Parameter bearer: identifies the caller's token; nil if only the total limit applies.
  func acquire(for bearer: String?) throws(Problem) -> StreamPermit {
    try counts.withLock { counts throws(Problem) in
      guard counts.total < limits.streams else { throw Self.limitReached }
      if let bearer {
        guard counts.byBearer[bearer, default: 0] < limits.streamsOfBearer else {
          throw bearerLimitReached
        }
        counts.byBearer[bearer, default: 0] += 1
      }
      counts.total += 1
    }
    return StreamPermit(bearer: bearer, among: self)
  }

  fileprivate func release(_ bearer: String?) {
    counts.withLock { counts in
      counts.total -= 1
      guard let bearer, let count = counts.byBearer[bearer] else { return }
      counts.byBearer[bearer] = count > 1 ? count - 1 : nil
    }
  }

  private static let limitReached = Problem(
    .unavailable, "the service has reached its limit of streams; try again later",
    headers: [.retryAfter: "30"])

  private var bearerLimitReached: Problem {
    Problem(
      .tooManyRequests,
      "your token has \(limits.streamsOfBearer) open streams, its limit; close one of them",
      headers: [.retryAfter: "30"])
  }
}

/// Permission for one stream, which the limiter counts as long as this object exists.
final class StreamPermit: Sendable {
  private let bearer: String?
  private let limiter: StreamLimiter

  fileprivate init(bearer: String?, among limiter: StreamLimiter) {
    self.bearer = bearer
    self.limiter = limiter
  }

  deinit {
    limiter.release(bearer)
  }
}

extension RequestScope {
  /// Lets the kernel end the connection if its peer does not acknowledge sent data within `limit`.
  /// Otherwise, after a peer's machine has lost power, the kernel would resend a heartbeat for a
  /// quarter of an hour.
  func detectVanishedPeers(after limit: Duration) {
    if case .local = origin { return }
    let milliseconds = Int(limit.components.seconds * 1_000)
    let option = ChannelOptions.Types.SocketOption(
      level: SocketOptionLevel(IPPROTO_TCP), name: SocketOptionName(TCP_USER_TIMEOUT))
    _ = channel.setOption(option, value: milliseconds)
  }
}
