import EventStreams

extension ServiceClient {
  /// Reads a stream of events until it ends.
  ///
  /// - Parameters:
  ///   - events: the state of the stream, which continues after the last event id in it.
  ///   - receive: called with each event.
  func follow(
    _ path: String, _ events: inout ServerSentEvents,
    _ receive: (ServerSentEvent) throws(CommandError) -> Void
  ) async throws(CommandError) {
    var headers = ["accept": "text/event-stream"]
    if let lastEventID = events.lastEventID { headers["last-event-id"] = lastEventID }
    events.discardIncompleteEvent()
    var state = events
    defer { events = state }
    try await parts(of: "GET", path, headers: headers) { bytes throws(CommandError) in
      for event in state.append(bytes) { try receive(event) }
    }
  }
}
