extension ServiceClient {
  /// Reads a stream of events until it ends.
  ///
  /// - Parameters:
  ///   - events: the state of the stream, from whose position it continues.
  ///   - take: receives each event.
  func follow(
    _ path: String, _ events: inout ServerSentEvents,
    _ take: (ServerSentEvent) throws(Failure) -> Void
  ) async throws(Failure) {
    var headers = ["accept": "text/event-stream"]
    if let place = events.place { headers["last-event-id"] = place }
    events.reconnect()
    var state = events
    defer { events = state }
    try await parts(of: "GET", path, headers: headers) { bytes throws(Failure) in
      for event in state.take(bytes) { try take(event) }
    }
  }
}

/// One event of a stream (WHATWG HTML, section 9.2).
struct ServerSentEvent: Hashable {
  /// The id from which to continue; nil if the stream has sent none yet.
  var place: String?
  var name: String
  var data: String
}

/// Parses events from the bytes of a stream.
struct ServerSentEvents {
  /// The last id that the stream has sent, with or without an event.
  private(set) var place: String?
  /// The delay before a reconnection, if the stream has sent one.
  private(set) var retry: Duration?
  /// The number of blocks received, with or without an event.
  private(set) var blocks = 0
  private var line: [UInt8] = []
  private var endedInReturn = false
  private var id: String?
  private var name = ""
  private var data: [String] = []

  init(place: String? = nil) {
    self.place = place
    id = place
  }

  /// Drops an incomplete event, because the connection was lost.
  mutating func reconnect() {
    (line, endedInReturn, id, name, data) = ([], false, place, "", [])
  }

  /// - Returns: the completed events.
  mutating func take(_ bytes: some Sequence<UInt8>) -> [ServerSentEvent] {
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
    place = id
    blocks += 1
    guard !data.isEmpty else { return nil }
    return ServerSentEvent(
      place: place, name: name.isEmpty ? "message" : name, data: data.joined(separator: "\n"))
  }
}
