import Foundation
import JSON
import Outbox
import Reminders
import Sinks

/// A receiver of webhooks.
final class WebhookPeer: SinkPeer {
  let credentials: [String: String]
  private var peer: PythonPeer
  private var earlierArrivals: [Arrival] = []
  private var refusedIdentifiers: Set<String> = []

  init() throws {
    credentials = ["hook": "whsec_" + Data(repeating: 7, count: 32).base64EncodedString()]
    peer = try PythonPeer("http_peer.py")
  }

  /// Includes each secret without its prefix.
  var secrets: [String] { credentials.values.flatMap { [$0, String($0.dropFirst(6))] } }

  func sink(
    _ common: SinkCommonSettings, in surroundings: SinkEnvironment
  ) async throws -> any Sink {
    let configuration = WebhookConfiguration(
      url: try HTTPURL("http://127.0.0.1:\(peer.port)/ordered"), secrets: ["hook"],
      http: HTTPSettings(policy: Surroundings.loopback))
    return try configuration.sink(common, in: surroundings)
  }

  func received() throws -> [Arrival] {
    let events = try peer.received.map { try JSONParser().parse($0["body"]?.stringValue ?? "") }
    let arrivals = events.map { event in
      let data = event["data"]
      return Arrival(
        identifier: data?["id"]?.stringValue ?? "",
        text: (data?["title"]?.stringValue ?? "") + "\n" + (data?["body"]?.stringValue ?? ""))
    }
    return earlierArrivals + arrivals.filter { !refusedIdentifiers.contains($0.identifier) }
  }

  func disconnect() throws {
    earlierArrivals = try received()
    peer.stop()
  }

  func reconnect() throws { peer = try PythonPeer("http_peer.py", port: peer.port) }

  func stall() throws { try peer.order("stall") }

  func refuse(_ identifier: String) throws {
    refusedIdentifiers.insert(identifier)
    try peer.order("manner-\(identifier)", "status/400")
  }
}
