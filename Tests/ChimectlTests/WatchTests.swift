import EventStreams
import Testing

@testable import chimectl

/// Parsing and printing of a stream by `chimectl watch`.
@Suite struct WatchTests {
  private static let stream = """
    retry: 1500
    id: k-0-all

    :

    id: k-1-push
    event: notification
    data: {"at":"2026-03-02T21:00:00.000Z","channel":"push","category":"CHECKIN",
    data: "title":"Hello","body":"How was your day?"}

    id: k-2-push


    """

  /// Parses a text in parts of `size` bytes. Returns the parser and the events.
  private func events(_ text: String, in size: Int) -> (ServerSentEvents, [ServerSentEvent]) {
    var (parser, events) = (ServerSentEvents(), [ServerSentEvent]())
    let bytes = Array(text.utf8)
    for start in stride(from: 0, to: bytes.count, by: size) {
      events += parser.append(bytes[start..<min(start + size, bytes.count)])
    }
    return (parser, events)
  }

  @Test(arguments: 1...40)
  func `a stream is parsed wherever its bytes are split`(size: Int) {
    for ending in ["\n", "\r", "\r\n"] {
      let (parser, events) = events(Self.stream.replacing("\n", with: ending), in: size)
      #expect(events.map(\.lastEventID) == ["k-1-push"])
      #expect(events.map(\.name) == ["notification"])
      #expect(events.first?.data.split(separator: "\n").count == 2)
      #expect(parser.lastEventID == "k-2-push")
      #expect(parser.retry == .milliseconds(1_500))
    }
  }

  @Test func `a partial event is dropped at a reconnect`() {
    var events = ServerSentEvents()
    _ = events.append("id: k-1-push\n\nid: k-2-push\nevent: notification\ndata: {}\nda".utf8)
    events.discardIncompleteEvent()
    #expect(events.lastEventID == "k-1-push")
    let all = events.append("data: {}\n\n".utf8)
    #expect(all == [ServerSentEvent(lastEventID: "k-1-push", name: "message", data: "{}")])
  }

  @Test func `a delivery is printed as one line`() throws {
    let (_, events) = events(Self.stream, in: 1_000)
    let data = try #require(events.first).data
    #expect(
      try WatchCommand.text(data)
        == "2026-03-02T21:00:00.000Z  push   CHECKIN  Hello: How was your day?\n")
    let hostile = data.replacing("Hello", with: "a\\u001b[2Jb\\nc")
    #expect(try WatchCommand.text(hostile).split(separator: "\n").count == 1)
    #expect(try !WatchCommand.text(hostile).contains("\u{1b}"))
    #expect(throws: CommandError.self) { try WatchCommand.text("{") }
  }

  @Test func `an unknown recipient cannot be watched`() async throws {
    try await TestService.serving { socket in
      let failure = await #expect(throws: CommandError.self) {
        try await ServiceClient.connected(to: socket) { client in
          var events = ServerSentEvents()
          try await client.follow("/v1/recipients/u1/stream", &events) { _ in }
        }
      }
      #expect(failure?.code == .noInput)
      #expect(failure?.message.contains("is unknown; an event about them") == true)
    }
  }
}
