extension ServiceClient {
  /// Reads a stream of events until it ends.
  ///
  /// - Parameters:
  ///   - events: what it has come to; it goes on from its place.
  ///   - take: gets each event.
  func follow(
    _ path: String, _ events: inout ServerSentEvents,
    _ take: (ServerSentEvent) throws(Failure) -> Void
  ) async throws(Failure) {
    var headers = ["accept": "text/event-stream"]
    if let place = events.place { headers["last-event-id"] = place }
    events.reconnect()
    var taken = events
    defer { events = taken }
    try await parts(of: "GET", path, headers: headers) { bytes throws(Failure) in
      for event in taken.take(bytes) { try take(event) }
    }
  }
}
