import JSON

/// Parses the server-sent events that a test has received on a connection.
struct EventStreamReader {
  struct Event: Equatable {
    var id: String?
    var name: String
    var data: JSONValue
  }

  /// The last id received, with or without an event.
  private(set) var lastEventID: String?
  private(set) var events: [Event] = []
  /// The number of heartbeats, which are empty comments.
  private(set) var heartbeatCount = 0
  private(set) var retry: String?

  var notifications: [Event] { events.filter { $0.name == "notification" } }

  /// - Parameter received: all that has arrived on the connection, including the response's head.
  init(_ received: String) throws {
    let body = received.split(separator: "\r\n\r\n", maxSplits: 1).dropFirst().first ?? ""
    let text = Self.unchunked(body)
    for block in text.split(separator: "\n\n").map({ $0.split(separator: "\n") }) {
      if block == [":"] { heartbeatCount += 1 }
      if let id = Self.field("id", block) { lastEventID = id }
      if let wait = Self.field("retry", block) { retry = wait }
      guard let data = Self.field("data", block) else { continue }
      events.append(
        Event(
          id: Self.field("id", block), name: Self.field("event", block) ?? "message",
          data: try JSONParser.parse(data)))
    }
  }

  /// Returns the contents of all complete chunks.
  private static func unchunked(_ body: Substring) -> String {
    var (rest, text) = (Array(body.utf8)[...], [UInt8]())
    while let end = rest.firstRange(of: [13, 10]),
      let count = Int(String(decoding: rest[..<end.lowerBound], as: UTF8.self), radix: 16),
      count > 0, end.upperBound + count + 2 <= rest.endIndex
    {
      text += rest[end.upperBound..<end.upperBound + count]
      rest = rest[(end.upperBound + count + 2)...]
    }
    return String(decoding: text, as: UTF8.self)
  }

  private static func field(_ name: String, _ block: [Substring]) -> String? {
    block.first { $0.hasPrefix(name + ": ") }.map { String($0.dropFirst(name.count + 2)) }
  }
}

extension RawConnection {
  /// Requests a stream.
  func openStream(
    of recipient: String = "me", query: String = "", _ fields: String...
  ) async throws {
    let head = ["GET /v1/recipients/\(recipient)/stream\(query) HTTP/1.1", "Host: localhost"]
    try await send((head + fields).joined(separator: "\r\n") + "\r\n\r\n")
  }

  /// Reads until the condition is met or the connection ends. Returns everything received so far.
  func stream(until isEnough: (EventStreamReader) -> Bool) async throws -> EventStreamReader {
    while true {
      let reader = try EventStreamReader(received)
      if isEnough(reader) { return reader }
      guard try await receiveMore() else { return reader }
    }
  }
}
