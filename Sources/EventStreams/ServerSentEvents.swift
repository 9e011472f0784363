/// Parses events from the bytes of a stream. A block of lines ends at an empty line, and contains
/// at most one event.
package struct ServerSentEvents: Sendable {
  /// The id of the last complete block that had one; a block may have an id without an event.
  package private(set) var lastEventID: String?
  /// The delay before a reconnection, if the stream has sent one.
  package private(set) var retry: Duration?
  /// The number of complete blocks received, including blocks without an event.
  package private(set) var blocks = 0
  /// The bytes of the incomplete line.
  private var line: [UInt8] = []
  /// Whether the last byte was a carriage return, so that a line feed is part of the same line end.
  private var endsInReturn = false
  /// The latest id, which counts when its block is complete.
  private var id: String?
  /// The name of the incomplete event; empty if it has none so far.
  private var name = ""
  /// The lines of data of the incomplete event.
  private var dataLines: [String] = []

  package init(lastEventID: String? = nil) {
    self.lastEventID = lastEventID
    id = lastEventID
  }

  /// Discards the incomplete event of a lost connection. The next bytes are from a new connection.
  package mutating func discardIncompleteEvent() {
    (line, endsInReturn, id, name, dataLines) = ([], false, lastEventID, "", [])
  }

  /// Appends bytes of the stream.
  ///
  /// - Returns: the events that these bytes complete.
  package mutating func append(_ bytes: some Sequence<UInt8>) -> [ServerSentEvent] {
    var events: [ServerSentEvent] = []
    for byte in bytes {
      switch byte {
      case UInt8(ascii: "\n") where endsInReturn: endsInReturn = false
      case UInt8(ascii: "\n"), UInt8(ascii: "\r"):
        endsInReturn = byte == UInt8(ascii: "\r")
        if let event = endLine() { events.append(event) }
      default:
        endsInReturn = false
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
    case "data": dataLines.append(String(value))
    case "retry": retry = Int64(value).map { .milliseconds($0) } ?? retry
    default: break
    }
    return nil
  }

  private mutating func endBlock() -> ServerSentEvent? {
    defer { (name, dataLines) = ("", []) }
    lastEventID = id
    blocks += 1
    guard !dataLines.isEmpty else { return nil }
    return ServerSentEvent(
      lastEventID: lastEventID, name: name.isEmpty ? "message" : name,
      data: dataLines.joined(separator: "\n"))
  }
}
