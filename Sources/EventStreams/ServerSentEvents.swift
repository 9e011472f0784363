/// Parses events from the bytes of a stream.
package struct ServerSentEvents: Sendable {
  /// The last id that the stream has sent, with or without an event.
  package private(set) var lastEventID: String?
  /// The delay before a reconnection, if the stream has sent one.
  package private(set) var retry: Duration?
  /// The number of blocks received, with or without an event.
  package private(set) var blocks = 0
  private var line: [UInt8] = []
  private var endedInReturn = false
  private var id: String?
  private var name = ""
  private var data: [String] = []

  package init(lastEventID: String? = nil) {
    self.lastEventID = lastEventID
    id = lastEventID
  }

  /// Drops an incomplete event, because the connection was lost.
  package mutating func reconnect() {
    (line, endedInReturn, id, name, data) = ([], false, lastEventID, "", [])
  }

  /// Appends bytes of the stream.
  ///
  /// - Returns: the events that they complete.
  package mutating func append(_ bytes: some Sequence<UInt8>) -> [ServerSentEvent] {
    var events: [ServerSentEvent] = []
    for byte in bytes {
      switch byte {
      case UInt8(ascii: "\n") where endedInReturn: endedInReturn = false
      case UInt8(ascii: "\n"), UInt8(ascii: "\r"):
        endedInReturn = byte == UInt8(ascii: "\r")
        if let event = endLine() { events.append(event) }
      default:
        endedInReturn = false
        line.append(byte)
      }
    }
    return events
  }

  private mutating func endLine() -> ServerSentEvent? {
    defer { line = [] }
    guard !line.isEmpty else { return endBlock() }
    let text = String(decoding: line, as: UTF8.self)
    let field = text.prefix { $0 != ":" }
    var value = text.dropFirst(field.count + 1)
    if value.first == " " { value = value.dropFirst() }
    switch field {
    case "id": id = String(value)
    case "event": name = String(value)
    case "data": data.append(String(value))
    case "retry": retry = Int64(value).map { .milliseconds($0) } ?? retry
    default: break
    }
    return nil
  }

  private mutating func endBlock() -> ServerSentEvent? {
    defer { (name, data) = ("", []) }
    lastEventID = id
    blocks += 1
    guard !data.isEmpty else { return nil }
    return ServerSentEvent(
      lastEventID: lastEventID, name: name.isEmpty ? "message" : name,
      data: data.joined(separator: "\n"))
  }
}
