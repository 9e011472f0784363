import Access
import CivilTime
import DeliverySamples
import Outbox
import Reminders
import Sinks
import Systemd
import TestSupport
import Testing
import Yams

/// Sinks that send to a peer, and their deliveries.
enum SMTPFixtures {
  /// A password that must not appear in logs or answers.
  static let canary = "canary-9f31-Password"

  /// - Parameter settings: additional lines of the sink's configuration.
  static func sink(
    _ url: String, _ settings: [String] = [], tls: Bool = false, user: String = "mailer",
    password: String? = nil, publicURL: PublicURL? = nil,
    unsubscribeToken: @escaping @Sendable (String, String) -> String? = { _, _ in nil }
  ) throws -> any Sink {
    let directory = try TemporaryDirectory()
    if let password { try directory.write(password, to: "mail") }
    let trust = tls ? "ca: \(try TestCertificate.localhost.get().certificate)" : "tls: none"
    let login = password == nil ? [] : ["user: \(user)", "password: {credential: mail}"]
    let lines =
      ["type: smtp", "url: \(url)", "from: Reminders <reminders@example.org>"]
      + (settings.contains { $0.hasPrefix("tls:") } ? [] : [trust]) + login + settings
    let credentials = Credentials(directory: directory.path)
    let delivery = try configuration(lines)
    return try delivery.sinks[0].make(
      in: SinkEnvironment(
        journal: Journal(.lines(-1)), credentials: credentials, now: { Fixtures.noon },
        publicURL: publicURL,
        unsubscribeToken: unsubscribeToken))
  }

  /// - Throws: all faults of the configuration.
  static func configuration(_ lines: [String]) throws -> DeliveryConfiguration {
    let text = "mail:\n" + lines.map { "  \($0)\n" }.joined()
    var reader = DeliveryConfigurationReader(file: "chimed.yaml")
    let delivery = reader.read(sinks: try Yams.compose(yaml: text), routes: nil)
    guard reader.diagnostics.isEmpty else {
      throw CatalogErrors(diagnostics: reader.diagnostics)
    }
    return delivery
  }

  static func delivery(
    _ number: Int64, to email: String? = "amina@example.com", name: String? = nil,
    title: String = "Note", body: String = "A note.", locale: String? = nil
  ) -> Delivery {
    var delivery = Fixtures.delivery(number, .email, title: title, body: body)
    delivery.addressee = Addressee(
      zone: "Europe/Berlin", locale: locale, displayName: name, email: email)
    return delivery
  }
}
