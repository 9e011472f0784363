import CivilTime
import DeliverySamples
import Foundation
import Outbox
import Reminders
import Sinks
import TestSupport
import Testing

/// A hostile web server for webhooks, ntfy messages and templated requests.
final class HostileWebServer: HostilePeer {
  enum Client {
    case http, ntfy, webhook
  }

  let serverFaults = ServerFault.allCases
  let acceptedFaults: Set<ServerFault> = [.endless]
  private let client: Client
  private let peer: PythonPeer
  private let tlsPeer: PythonPeer
  private let directory: TemporaryDirectory

  init(_ client: Client) throws {
    self.client = client
    peer = try PythonPeer("http_peer.py")
    let certificate = try TestCertificate.localhost.get()
    tlsPeer = try PythonPeer("http_peer.py", [certificate.certificate, certificate.key])
    directory = try TemporaryDirectory()
    try directory.write(
      "whsec_" + Data(repeating: 7, count: 32).base64EncodedString(), to: "secret")
  }

  func sink(deadline: String) throws -> any Sink {
    try sink("http://127.0.0.1:\(peer.port)/ordered", deadline)
  }

  func distrustingSink() throws -> any Sink {
    try sink("https://localhost:\(tlsPeer.port)/ordered", "20s")
  }

  func sink(to silent: SilentServer) throws -> any Sink {
    try sink("https://localhost:\(silent.port)/ordered", "500ms")
  }

  private func sink(_ url: String, _ deadline: String) throws -> any Sink {
    guard client != .http else {
      return try HTTPSinkFixtures.sink(
        [
          "url: '\(url)'", "deadline: \(deadline)", "allow: [127.0.0.0/8, '::1/128']",
          "headers: {webhook-id: '{{id}}-{{channel}}'}", "body: '{\"text\": \"{{title}}\"}'",
        ], in: Surroundings.make(credentials: directory.path))
    }
    let (url, http) = (
      try HTTPURL(url),
      HTTPSettings(
        policy: AddressPolicy(allowed: ["127.0.0.0/8", "::1/128"].compactMap(Network.init)))
    )
    let configuration: any SinkConfiguration =
      client == .webhook
      ? WebhookConfiguration(url: url, secrets: ["secret"], http: http)
      : NtfyConfiguration(server: url, topic: try #require(NtfyTopic("all")), http: http)
    return try configuration.sink(
      SinkCommonSettings(name: "hostile", deadline: try #require(TimeSpan(deadline))),
      in: Surroundings.make(credentials: directory.path))
  }

  func delivery(_ number: Int64, meeting fault: ServerFault?) throws -> Delivery {
    let delivery = Fixtures.delivery(number)
    if let fault {
      try peer.order("manner-\(delivery.identifier)", Self.path(fault))
    }
    return delivery
  }

  private static func path(_ fault: ServerFault) -> String {
    switch fault {
    case .stall: "stall"
    case .drip: "dripping-head"
    case .endless: "huge-chunked"
    case .reset: "reset"
    case .late: "late/3"
    case .redirect: "redirect"
    }
  }

  var receivedCount: Int { get throws { try peer.received.count + tlsPeer.received.count } }
}
