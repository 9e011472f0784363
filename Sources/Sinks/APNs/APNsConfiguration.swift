import Cryptography
package import Outbox
package import Reminders
package import Systemd

/// `type: apns`: notifications through Apple's push service (HTTP/2, with the team's signing key).
package struct APNsConfiguration: SinkConfiguration {
  package static let type = "apns"
  package static let keys: [KeyDescription] =
    [
      .required("key", .secret, "The signing key of the team."),
      .required("key-id", .text, "The identifier of the signing key."),
      .required("team-id", .text, "The identifier of the team."),
      .required("topic", .text, "The identifier of the app."),
      .optional(
        "environment", .word(["production", "sandbox"]), "The service; default: production."),
      .optional("tone", .text, "The sound for recipients with a custom tone."),
      PushTextSource.key,
    ] + PushServer.keys
  package static let requirement: Requirement? = .device

  /// The name of the credential that holds the signing key.
  private let key: String
  private let keyIdentifier: String
  private let team: String
  private let topic: String
  /// The sound for recipients who have chosen a custom tone; nil for the default sound.
  private let tone: String?
  private let server: PushServer

  /// The host of Apple's service, by environment.
  private static let hosts = [
    "production": "api.push.apple.com", "sandbox": "api.sandbox.push.apple.com",
  ]
  private let isTextFetched: Bool

  package init?(reading settings: inout SinkSettings) {
    isTextFetched = PushTextSource.isFetched(&settings)
    let key = settings.credential("key")
    let keyIdentifier = settings.plainName("key-id")
    let team = settings.plainName("team-id")
    let topic = settings.plainName("topic")
    let environment = settings.text("environment") ?? "production"
    let host = Self.hosts[environment]
    if host == nil { settings.refuse("environment", "must be production or sandbox") }
    tone = settings.text("tone")
    server = PushServer(
      reading: &settings, defaultOrigin: ExchangeOrigin(host: host ?? environment))
    guard let key, let keyIdentifier, let team, let topic, host != nil else { return nil }
    self.key = key
    self.keyIdentifier = keyIdentifier
    self.team = team
    self.topic = topic
  }

  package var credentialNames: [String] { [key] }
  package var files: [String] { server.trust.map { [$0] } ?? [] }

  package func check(credentials: Credentials) throws {
    _ = try server.client()
    _ = try signingKey(credentials)
  }

  private func signingKey(_ credentials: Credentials) throws -> SigningKey {
    let pem = try credentials.read(key)
    guard let key = SigningKey(ellipticCurve: pem, identifier: keyIdentifier) else {
      throw SinkOutage(
        "the credential \"\(key)\" is not an APNs key; give the .p8 file that Apple created")
    }
    return key
  }

  package func sink(
    _ common: SinkCommonSettings, in surroundings: SinkEnvironment
  ) throws -> any Sink {
    let tokens = ProviderTokens(
      key: try signingKey(surroundings.credentials), team: team, now: surroundings.now)
    let service = APNsService(
      origin: server.origin, topic: topic, tone: tone, tokens: tokens,
      exchange: try server.client(), now: surroundings.now)
    return PushSink(common, service: service, isTextFetched: isTextFetched)
  }
}
