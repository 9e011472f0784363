package import Outbox
package import Reminders
package import Systemd

/// `type: ntfy`: deliveries published to topics of an ntfy server.
package struct NtfyConfiguration: SinkConfiguration {
  package static let type = "ntfy"
  package static let keys: [KeyDescription] =
    [
      .optional("server", .text, "The URL of the server; default: https://ntfy.sh."),
      .required("topic", .text, "The topic; it may contain {recipient}."),
      .optional("token", .secret, "The access token."),
      .optional("priority", .word(["low", "normal", "high"]), "The priority; default: normal."),
      .optional("tags", .oneOrMany(.text), "The tags of the messages."),
      .optional("click", .text, "The URL that a tap opens."),
    ] + HTTPSettings.keys

  package var server: HTTPURL
  package var topic: NtfyTopic
  /// The name of the credential that holds the access token; nil if messages are published without
  /// a token.
  package var token: String?
  package var priority = NtfyMessage.Priority.normal
  package var tags: [String] = []
  /// The URL that a tap on a notification opens; nil for none.
  package var click: String?
  package var http: HTTPSettings

  package init(
    server: HTTPURL, topic: NtfyTopic, token: String? = nil, http: HTTPSettings = HTTPSettings()
  ) {
    self.server = server
    self.topic = topic
    self.token = token
    self.http = http
  }

  package init?(reading settings: inout SinkSettings) {
    let server = settings.has("server") ? settings.url("server") : try? HTTPURL("https://ntfy.sh/")
    let topic = Self.topic(&settings)
    let http = HTTPSettings(reading: &settings)
    let token = settings.credential("token")
    let priority = Self.priority(&settings)
    let tags = settings.texts("tags")
    let click = settings.text("click")
    guard let server, let topic else { return nil }
    self.init(server: server, topic: topic, token: token, http: http)
    self.priority = priority
    self.tags = tags
    self.click = click
  }

  private static func topic(_ settings: inout SinkSettings) -> NtfyTopic? {
    guard let text = settings.text("topic") else { return nil }
    guard let topic = NtfyTopic(text) else {
      settings.refuse(
        "topic",
        "must be at most 64 letters, digits, - and _; {recipient} becomes the recipient's id")
      return nil
    }
    return topic
  }

  private static func priority(_ settings: inout SinkSettings) -> NtfyMessage.Priority {
    switch settings.text("priority") {
    case nil, "normal": return .normal
    case "low": return .low
    case "high": return .high
    default:
      settings.refuse("priority", "must be one of low, normal, high")
      return .normal
    }
  }

  package var credentialNames: [String] { token.map { [$0] } ?? [] }
  package var files: [String] { http.authorities.map { [$0] } ?? [] }

  package func check(credentials: Credentials) throws {
    try http.check()
    if let token { _ = try credentials.read(token) }
  }

  package func sink(
    _ common: SinkCommonSettings, in surroundings: SinkEnvironment
  ) throws -> any Sink {
    let concurrency = common.concurrency ?? 8
    return NtfySink(
      name: common.name, configuration: self, concurrency: concurrency,
      token: try token.map { try surroundings.credentials.read($0) },
      client: try SafeHTTPClient(http, deadline: common.deadline, concurrency: concurrency),
      now: surroundings.now)
  }
}

/// The topic for a recipient's notifications: one for all recipients, or with `{recipient}` one for
/// each.
package struct NtfyTopic: Hashable, Sendable {
  private static let placeholder = "{recipient}"

  private let template: String

  /// Parses a topic with or without `{recipient}`; nil if no recipient could have a valid topic.
  package init?(_ template: String) {
    self.template = template
    guard topic(of: "x") != nil else { return nil }
  }

  /// Returns the topic of a recipient; nil if the recipient's id cannot be part of a topic. ntfy
  /// allows at most 64 letters, digits, hyphens and underscores. Other characters are not replaced,
  /// so that no two recipients share a topic.
  package func topic(of recipient: String) -> String? {
    let topic = template.replacing(Self.placeholder, with: recipient)
    return Self.isName(topic) ? topic : nil
  }

  /// Whether a text is a valid ntfy topic name.
  static func isName(_ text: String) -> Bool {
    let isPlain = text.allSatisfy {
      $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "-" || $0 == "_")
    }
    return isPlain && (1...64).contains(text.utf8.count)
  }
}
