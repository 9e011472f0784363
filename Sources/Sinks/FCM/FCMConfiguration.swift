package import Outbox
package import Reminders
package import Systemd

/// `type: fcm`: notifications through Firebase Cloud Messaging (HTTP v1).
package struct FCMConfiguration: SinkConfiguration {
  package static let type = "fcm"
  package static let keys: [KeyDescription] =
    [
      .required("account", .secret, "The service account."),
      .optional("project", .text, "The Firebase project; default: that of the account."),
      .optional("platforms", .oneOrMany(.text), "The platforms that the sink reaches."),
      .optional("channel", .text, "The Android channel of notifications with sound."),
      .optional("silent-channel", .text, "The Android channel of silent notifications."),
      .optional("tone", .text, "The sound for recipients with a custom tone."),
      PushTextSource.key,
    ] + PushServer.keys
  package static let requirement: Requirement? = .device

  /// The name of the credential that holds the service account.
  private let account: String
  /// The Firebase project; nil for the service account's project.
  private let project: String?
  /// The platforms whose devices the sink reaches.
  private let platforms: Set<String>
  private let presentation: FCMPresentation
  private let server: PushServer

  private static let defaultPlatforms: Set = ["android", "web"]
  private static let knownPlatforms = ["android", "ios", "web"]
  private let isTextFetched: Bool

  package init?(reading settings: inout SinkSettings) {
    isTextFetched = PushTextSource.isFetched(&settings)
    let account = settings.credential("account")
    project = settings.plainName("project")
    presentation = FCMPresentation(
      channel: settings.text("channel"), silentChannel: settings.text("silent-channel"),
      tone: settings.text("tone"))
    server = PushServer(
      reading: &settings, defaultOrigin: ExchangeOrigin(host: "fcm.googleapis.com"))
    let platforms = settings.texts("platforms")
    if !platforms.allSatisfy(Self.knownPlatforms.contains)
      || settings.has("platforms") && platforms.isEmpty
    {
      settings.refuse("platforms", "must be some of \(Self.knownPlatforms.joined(separator: ", "))")
    }
    self.platforms = platforms.isEmpty ? Self.defaultPlatforms : Set(platforms)
    guard let account else { return nil }
    self.account = account
  }

  package var credentialNames: [String] { [account] }
  package var files: [String] { server.trust.map { [$0] } ?? [] }

  package func check(credentials: Credentials) throws {
    _ = try server.client()
    _ = try ServiceAccount(try credentials.read(account))
  }

  package func sink(
    _ common: SinkCommonSettings, in surroundings: SinkEnvironment
  ) throws -> any Sink {
    let account = try ServiceAccount(try surroundings.credentials.read(account))
    let client = try server.client()
    let tokens = AccessTokens(account, exchange: client, now: surroundings.now)
    let service = FCMService(
      platforms: platforms, origin: server.origin, project: project ?? account.project,
      presentation: presentation, tokens: tokens, exchange: client, now: surroundings.now)
    return PushSink(common, service: service, isTextFetched: isTextFetched)
  }
}
