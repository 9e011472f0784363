package import Delivery
package import Systemd

/// `type: webhook`: deliveries are signed events, each a request to one URL.
package struct WebhookConfiguration: SinkConfiguration {
  package static let type = "webhook"
  package static let keys = ["url", "secret", "source"] + HTTPSettings.keys
  package static let requiredKeys = ["url", "secret"]

  let url: HTTPURL
  /// The names of credentials. More than one while receivers change from an old to a new one.
  let secrets: [String]
  let source: String?
  let http: HTTPSettings

  package init(
    url: HTTPURL, secrets: [String], source: String? = nil, http: HTTPSettings = HTTPSettings()
  ) {
    self.url = url
    self.secrets = secrets
    self.source = source
    self.http = http
  }

  package init?(reading settings: inout SinkSettings) {
    let url = settings.url("url")
    let secrets = settings.credentials("secret")
    let source = settings.text("source")
    let http = HTTPSettings(reading: &settings)
    if let source, source.isEmpty || !source.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) {
      settings.refuse("source", "must be a URL or a path, such as /reminders/staging")
    }
    guard let url, !secrets.isEmpty else { return nil }
    self.init(url: url, secrets: secrets, source: source, http: http)
  }

  package var credentialNames: [String] { secrets }
  package var files: [String] { http.authorities.map { [$0] } ?? [] }

  package func check(credentials: Credentials) throws {
    try http.check()
    for name in secrets { _ = try WebhookSecret(name, in: credentials) }
  }

  package func sink(
    _ common: SinkCommonSettings, in surroundings: SinkSurroundings
  ) throws -> any Sink {
    let concurrency = common.concurrency ?? 64
    return WebhookSink(
      name: common.name, url: url,
      secrets: try secrets.map { try WebhookSecret($0, in: surroundings.credentials) },
      source: source, concurrency: concurrency,
      client: try SafeHTTPClient(http, deadline: common.deadline, concurrency: concurrency),
      surroundings: surroundings)
  }
}
