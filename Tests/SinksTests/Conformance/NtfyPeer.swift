import JSON
import Outbox
import Reminders
import Sinks
import Testing

/// An ntfy server with one topic.
final class NtfyPeer: SinkPeer {
  let credentials = ["ntfy": "tk_T0KEN"]
  private var peer: PythonPeer
  private var earlierArrivals: [Arrival] = []

  init() throws {
    peer = try PythonPeer("ntfy_peer.py", ["tk_T0KEN"])
  }

  func sink(
    _ common: SinkCommonSettings, in surroundings: SinkEnvironment
  ) async throws -> any Sink {
    let configuration = NtfyConfiguration(
      server: try HTTPURL("http://127.0.0.1:\(peer.port)/"),
      topic: try #require(NtfyTopic("all")), token: "ntfy",
      http: HTTPSettings(policy: Surroundings.loopback))
    return try configuration.sink(common, in: surroundings)
  }

  func received() throws -> [Arrival] {
    try earlierArrivals
      + peer.received.map { message in
        let parts = [message["title"], message["message"]].compactMap { $0?.stringValue }
        return Arrival(
          identifier: message["sequence_id"]?.stringValue ?? "",
          text: parts.joined(separator: "\n"))
      }
  }

  /// A delivery without a body has its title as the message, because the server would replace an
  /// empty message.
  func text(of delivery: Delivery) -> String {
    delivery.body.isEmpty ? delivery.title : delivery.title + "\n" + delivery.body
  }

  func disconnect() throws {
    earlierArrivals = try received()
    peer.stop()
  }

  func reconnect() throws {
    peer = try PythonPeer("ntfy_peer.py", ["tk_T0KEN"], port: peer.port)
  }

  func stall() throws { try peer.order("stall") }
  func refuse(_ identifier: String) throws { try peer.order("refuse-" + identifier) }
}
