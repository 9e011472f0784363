import AsyncHTTPClient
import JSON
import NIOCore
import NIOHTTP1

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
    var request = request(.GET, path)
    request.headers.add(name: "accept", value: "text/event-stream")
    if let place = events.place { request.headers.add(name: "last-event-id", value: place) }
    events.reconnect()
    do {
      let response = try await client.execute(request, deadline: .distantFuture)
      guard response.status == .ok else {
        let bytes = Array(buffer: try await response.body.collect(upTo: 1 << 20))
        throw Failure(status: Int(response.status.code), problem: try? JSONParser.parse(bytes))
      }
      for try await bytes in response.body {
        for event in events.take(bytes.readableBytesView) { try take(event) }
      }
    } catch let failure as Failure {
      throw failure
    } catch {
      throw failure(error)
    }
  }
}
