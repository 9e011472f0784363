import Delivery
import Engine
import JSON
import NIOCore

/// Text of the format `text/event-stream` (WHATWG HTML, section 9.2.5).
enum ServerSentEvents {
  static let contentType = "text/event-stream"

  /// A block that is no event: a client notes the id to go on from, and how long to wait before it
  /// connects again.
  static func opening(place: String, retry: Duration) -> ByteBuffer {
    let milliseconds = retry.components.seconds * 1_000
    return ByteBuffer(string: "retry: \(milliseconds)\nid: \(place)\n\n")
  }

  /// A comment, which clients pass over.
  static let silence = ByteBuffer(string: ":\n\n")

  static func end(_ reason: StreamEnd) -> ByteBuffer {
    ByteBuffer(string: "event: end\ndata: {\"reason\":\"\(reason.rawValue)\"}\n\n")
  }

  static func page(_ page: StreamPage) -> ByteBuffer {
    var buffer = ByteBuffer()
    var writer = JSONWriter()
    for item in page.items {
      writer.removeAll()
      item.delivery.writeLine(to: &writer)
      buffer.writeString("id: \(item.place)\nevent: notification\ndata: ")
      buffer.writeBytes(writer.bytes)
      buffer.writeString("\n")
    }
    if let place = page.place { buffer.writeString("id: \(place)\n\n") }
    return buffer
  }
}

/// Why the service ends a stream, as its last event says.
enum StreamEnd: String, Error {
  /// The recipient was erased; there is nothing to come back to.
  case erased
  /// The token does not hold any more.
  case unauthorized
  /// The service stops; it may be back soon.
  case stopping
  /// The client is so far behind that the stream does not make up for it.
  case behind
}
