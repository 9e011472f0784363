import CivilTime
import DeliverySamples
import Foundation
import JSON
import Outbox
import Reminders
import Sinks
import Testing

/// A push service with one browser, which decrypts by an independent library.
final class WebPushStage {
  /// A key of the curve P-256 in base64url.
  static let key = "y4ha2yq8xwXzqLmWxPpZpWDeVnCMLpBa1e1Nfi0BzxY"

  private static let root = #filePath.split(separator: "/").dropLast(4).map { "/" + $0 }.joined()
  private static let python = root + "/.build/tools/webpush/bin/python"
  static var isAvailable: Bool { FileManager.default.isExecutableFile(atPath: python) }

  private let peer: PythonPeer
  let subscription: WebPushSubscription

  init() throws {
    let certificate = try TestCertificate.localhost.get()
    peer = try PythonPeer(
      "webpush_peer.py", [certificate.certificate, certificate.key], python: Self.python)
    let keys = try #require(try peer.received.first)
    subscription = try WebPushSubscription(
      ["endpoint": .string("https://localhost:\(peer.port)/push/b1"), "keys": keys], at: "data")
  }

  var endpoint: String { subscription.endpoint }
  var subscriptionWords: [String] {
    [subscription.endpoint, subscription.key, subscription.secret]
  }

  func order(_ name: String, _ text: String = "") throws { try peer.order(name, text) }

  /// The received pushes, in order, with their decrypted texts.
  var pushes: [JSONValue] { get throws { Array(try peer.received.dropFirst()) } }

  func device(_ text: String? = nil, _ platform: String = "web") -> Device {
    Device(
      identifier: "browser", platform: platform, token: text ?? subscription.text,
      stamp: Stamp(time: Fixtures.noon, order: 1))
  }

  func addressed(_ delivery: Delivery, to device: Device? = nil) -> Delivery {
    var delivery = delivery
    delivery.addressee = Addressee(zone: "UTC", devices: [device ?? self.device()])
    return delivery
  }

  /// - Parameter trust: the trusted authority; nil for the system's.
  func sink(
    _ lines: [String] = [], in surroundings: SinkEnvironment, allow: String = "127.0.0.0/8",
    trust: String? = nil
  ) throws -> any Sink {
    let authority = try trust ?? TestCertificate.localhost.get().certificate
    let settings = [
      "type: webpush", "key: {credential: vapid}", "subject: mailto:a@example.org",
      "allow: [\(allow), '::1/128']", "ca: \(authority)",
    ]
    let yaml = (["sinks:", "  a:"] + (settings + lines).map { "    " + $0 })
      .joined(separator: "\n")
    let (sink, faults) = try HTTPSinkFixtures.read(yaml)
    try #require(faults == [])
    return try #require(sink).make(in: surroundings)
  }
}
