import JSON
import Outbox
import Reminders
import Sinks

/// A service with its own interface, whose requests are templates in the configuration.
final class HTTPSinkPeer: SinkPeer {
  let credentials = ["key": "T0KEN"]
  private var peer: PythonPeer
  private var earlierArrivals: [Arrival] = []
  private var refusedIdentifiers: Set<String> = []

  init() throws {
    peer = try PythonPeer("http_peer.py")
  }

  func sink(
    _ common: SinkCommonSettings, in surroundings: SinkEnvironment
  ) async throws -> any Sink {
    try HTTPSinkFixtures.sink(
      [
        "url: 'http://127.0.0.1:\(peer.port)/ordered'", "allow: 127.0.0.0/8",
        "headers: {webhook-id: '{{id}}-{{channel}}', Authorization: 'Bearer {{key}}'}",
        "body: '{\"id\": \"{{id}}\", \"title\": \"{{title}}\", \"body\": \"{{body}}\"}'",
        "secrets: {key: {credential: key}}", "deadline: \(common.deadline)",
      ], in: surroundings)
  }

  func received() throws -> [Arrival] {
    let messages = try peer.received.map { try JSONParser().parse($0["body"]?.stringValue ?? "") }
    let arrivals = messages.map { message in
      Arrival(
        identifier: message["id"]?.stringValue ?? "",
        text: (message["title"]?.stringValue ?? "") + "\n" + (message["body"]?.stringValue ?? ""))
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
