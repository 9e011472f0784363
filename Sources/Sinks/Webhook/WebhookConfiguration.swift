package import CivilTime
package import Cryptography
internal import Foundation
package import Outbox
package import Reminders
package import Systemd

/// `type: webhook`: each delivery is a signed event, sent to one URL.
package struct WebhookConfiguration: SinkConfiguration {
  package static let type = "webhook"
  package static let keys: [KeyDescription] =
    [
      .required("url", .text, "The address that receives the deliveries."),
      .required("secret", .oneOrMany(.secret), "The secrets of the signature."),
      .optional("source", .text, "The source of the events."),
      .optional(
        "retry-4xx", .span, "How long a delivery is retried on a 4xx status; default: 15m."),
    ] + HTTPSettings.keys
  package static let acceptsAnalytics = true

  let url: HTTPURL
  /// The names of the credentials with the secrets. With several, receivers can change to a new
  /// secret gradually.
  let secrets: [String]
  /// The source of the events; nil for the default.
  let source: String?
  /// How long a delivery is retried on the 4xx statuses of a receiver that is being deployed. The
  /// span begins when the gates pass the delivery.
  let retry4xx: TimeSpan
  let http: HTTPSettings

  /// The default of `retry4xx`; most deployments of a receiver are shorter.
  package static let retry4xxDefault = TimeSpan.minutes(15)

  package init(
    url: HTTPURL, secrets: [String], source: String? = nil, retry4xx: TimeSpan = retry4xxDefault,
    http: HTTPSettings = HTTPSettings()
  ) {
    self.url = url
    self.secrets = secrets
    self.source = source
    self.retry4xx = retry4xx
    self.http = http
  }

  package init?(reading settings: inout SinkSettings) {
    let url = settings.url("url")
    let secrets = settings.credentials("secret")
    let source = settings.text("source")
    let retry4xx = settings.span("retry-4xx", in: .zero ... .days(7))
    let http = HTTPSettings(reading: &settings)
    if let source, source.isEmpty || !source.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) {
      settings.refuse("source", "must be a URL or a path, such as /reminders/staging")
    }
    guard let url, !secrets.isEmpty else { return nil }
    self.init(
      url: url, secrets: secrets, source: source, retry4xx: retry4xx ?? Self.retry4xxDefault,
      http: http)
  }

  package var credentialNames: [String] { secrets }
  package var files: [String] { http.authorities.map { [$0] } ?? [] }

  package func check(credentials: Credentials) throws {
    try http.check()
    for name in secrets { _ = try WebhookSecret(name, in: credentials) }
  }

  package func sink(
    _ common: SinkCommonSettings, in surroundings: SinkEnvironment
  ) throws -> any Sink {
    let concurrency = common.concurrency ?? 64
    return WebhookSink(
      name: common.name, url: url,
      secrets: try secrets.map { try WebhookSecret($0, in: surroundings.credentials) },
      source: source, retry4xx: retry4xx, concurrency: concurrency,
      // The additional connection is for analytics events, so that events and deliveries do not
      // wait for each other.
      client: try SafeHTTPClient(http, deadline: common.deadline, concurrency: concurrency + 1),
      surroundings: surroundings)
  }
}

/// A key to sign webhooks with (Standard Webhooks 1.0): "whsec_" and the base64 of 24 to 64 bytes.
package struct WebhookSecret: Sendable {
  private static let prefix = Array("whsec_".utf8)

  private let key: Secret

  /// Parses a secret; nil if it is malformed.
  package init?(_ secret: Secret) {
    let bytes = secret.withBytes { text -> Data? in
      guard text.starts(with: Self.prefix) else { return nil }
      return Data(base64Encoded: Data(text.dropFirst(Self.prefix.count)))
    }
    guard let bytes, (24...64).contains(bytes.count) else { return nil }
    key = Secret(bytes)
  }

  /// Reads the secret from a credential.
  package init(_ name: String, in credentials: Credentials) throws {
    guard let secret = WebhookSecret(try credentials.read(name)) else {
      throw SecretError(name: name)
    }
    self = secret
  }

  /// Returns the signature of a message, as the header contains it.
  ///
  /// - Parameter seconds: the time of the attempt, since 1970.
  package func signature(of body: [UInt8], identifier: String, seconds: Int64) -> String {
    let message = Array("\(identifier).\(seconds).".utf8) + body
    return "v1," + Data(MessageCode.code(of: message, key: key)).base64EncodedString()
  }

  /// A credential that does not contain a webhook secret.
  package struct SecretError: Error, CustomStringConvertible {
    /// The name of the credential.
    let name: String

    package var description: String {
      "the credential \"\(name)\" holds no webhook secret, which is whsec_ and the base64 of 24 to "
        + "64 bytes; make one by: echo whsec_$(openssl rand -base64 32)"
    }
  }
}
