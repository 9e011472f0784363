import Foundation
import Outbox
import Reminders
import Sinks

/// A mail server that requires TLS and a password. The addressee of a mail decides its result.
final class MailPeer: SinkPeer {
  private var peer: SMTPPeer
  private var earlierArrivals: [Arrival] = []
  private var refusedIdentifiers: Set<String> = []
  private var isStalled = false

  init() throws {
    peer = try SMTPPeer(Self.arguments())
  }

  private static func arguments() throws -> [String] {
    try TestCertificate.localhost.get().arguments
      + ["--password", "mailer:\(SMTPFixtures.canary)"]
  }

  var secrets: [String] {
    let login = Data("\0mailer\0\(SMTPFixtures.canary)".utf8)
    return [SMTPFixtures.canary, login.base64EncodedString(), "@example.com"]
  }

  func addressed(_ delivery: Delivery) -> Delivery {
    var delivery = delivery
    let isRefused = refusedIdentifiers.contains(delivery.identifier)
    let name = isStalled ? "stalled" : isRefused ? "rejected" : "amina"
    delivery.addressee = Addressee(zone: "UTC", email: name + "@example.com")
    return delivery
  }

  func sink(
    _ common: SinkCommonSettings, in surroundings: SinkEnvironment
  ) async throws -> any Sink {
    try SMTPFixtures.sink(
      "smtp://localhost:\(peer.port)", ["deadline: \(common.deadline)"], tls: true,
      password: SMTPFixtures.canary)
  }

  func received() throws -> [Arrival] {
    try earlierArrivals
      + peer.received.map { mail in
        let identifier = mail.headers("Message-ID").first?.dropFirst().prefix { $0 != "@" }
        return Arrival(identifier: identifier.map(String.init) ?? "", text: mail.text)
      }
  }

  /// Returns the expected text. A mail has one kind of line ending, so CR LF and CR become LF.
  func text(of delivery: Delivery) -> String {
    "\(delivery.title)\n\n\(delivery.body)\n".replacing("\r\n", with: "\n")
      .replacing("\r", with: "\n")
  }

  func disconnect() throws {
    earlierArrivals = try received()
    peer.stop()
  }

  func reconnect() throws { peer = try SMTPPeer(Self.arguments(), port: peer.port) }

  func stall() { isStalled = true }
  func refuse(_ identifier: String) { refusedIdentifiers.insert(identifier) }
}
