import CivilTime
import DeliverySamples
import Foundation
import JSON
import Outbox
import Reminders
import Sinks
import Synchronization
import Systemd
import TestSupport
import Testing
import Yams

/// A peer, and sinks that push to it.
final class PushStage: Sendable {
  let peer: PushPeer
  let keys: PushKeys
  /// The clock of the sinks, which moves only by `advance`.
  let clock = Mutex(Instant(milliseconds: Int64(Date().timeIntervalSince1970) * 1_000))
  private let credentials: TemporaryDirectory

  init() async throws {
    keys = try await PushKeys.shared()
    peer = try await PushPeer(keys)
    credentials = try TemporaryDirectory()
    let account: JSONValue = [
      "type": "service_account", "project_id": "tests", "private_key_id": "key-1",
      "private_key": .string(try keys.text("account.key")),
      "client_email": "chimed@tests.example", "client_id": "1",
      "token_uri": .string("https://localhost:\(peer.port)/token"),
    ]
    try credentials.write(
      String(decoding: JSONWriter.compact(account), as: UTF8.self), to: "firebase")
    try credentials.write(try keys.text("provider.key"), to: "apple")
    try credentials.write(try keys.text("stranger.key"), to: "stranger")
  }

  var now: Instant { clock.withLock { $0 } }

  func advance(by span: TimeSpan) {
    clock.withLock { $0 += span }
  }

  // MARK: - Sinks

  /// - Parameter overrides: settings that are added or replace others.
  func fcm(_ overrides: [String: String] = [:]) throws -> any Sink {
    try sink(["type": "fcm", "account": "{credential: firebase}"].merging(overrides) { $1 })
  }

  func apns(_ overrides: [String: String] = [:]) throws -> any Sink {
    let defaults = [
      "type": "apns", "key": "{credential: apple}", "key-id": "KEY1234567",
      "team-id": "TEAM123456", "topic": "com.example.app",
    ]
    return try sink(defaults.merging(overrides) { $1 })
  }

  private func sink(_ settings: [String: String]) throws -> any Sink {
    let server = ["endpoint": "https://localhost:\(peer.port)", "trust": keys.trust]
    let (delivery, diagnostics) = try Self.read(server.merging(settings) { $1 })
    try #require(diagnostics.isEmpty, "\(diagnostics)")
    return try #require(delivery.sinks.first).make(in: surroundings)
  }

  var surroundings: SinkEnvironment {
    SinkEnvironment(
      journal: Journal(.lines(2)), credentials: Credentials(directory: credentials.path),
      now: { [weak self] in self?.now ?? Fixtures.noon })
  }

  /// Reads the configuration of a sink called "phones".
  static func read(
    _ settings: [String: String]
  ) throws -> (DeliveryConfiguration, [Diagnostic]) {
    let lines = settings.sorted { $0.key < $1.key }.map { "  \($0.key): \($0.value)\n" }
    let node = try Yams.compose(yaml: "phones:\n" + lines.joined())
    var reader = DeliveryConfigurationReader(file: "chimed.yaml")
    let delivery = reader.read(sinks: node, routes: nil)
    return (delivery, reader.diagnostics)
  }

  // MARK: - Deliveries

  func delivery(
    _ notification: Int64 = 1, to devices: Device..., body: String = "A note."
  ) -> Delivery {
    var delivery = Fixtures.delivery(notification, at: now, body: body)
    delivery.addressee = Addressee(zone: "UTC", devices: devices)
    return delivery
  }

  static func device(
    _ identifier: String, _ platform: String, token: String? = nil, since: Instant = Fixtures.noon
  ) -> Device {
    Device(
      identifier: identifier, platform: platform, token: token ?? newToken(),
      stamp: Stamp(time: since, order: 1))
  }

  /// A token of Apple's form that no other test uses.
  private static func newToken() -> String {
    UUID().uuidString.replacing("-", with: "").lowercased()
  }
}

extension Device {
  var tokenOrEmpty: String { token ?? "" }
}
