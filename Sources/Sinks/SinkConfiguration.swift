package import Access
package import CivilTime
package import Outbox
package import Reminders
package import Systemd

/// The configuration of one type of sink, which creates the sink.
///
/// Reading a configuration opens no file or connection, so it can be checked without a start (rule
/// S4).
package protocol SinkConfiguration: Equatable, Sendable {
  /// The value of the key `type`.
  static var type: String { get }

  /// The keys, in addition to those of every sink.
  static var keys: [KeyDescription] { get }

  /// Whether the sink waits for a remote or a program, so that a deadline applies. Sinks that only
  /// write have no deadline.
  static var waitsForOthers: Bool { get }

  /// Whether the sink processes several deliveries at the same time, as `concurrency` allows.
  static var acceptsConcurrency: Bool { get }

  /// Whether sinks of this type accept analytics events (`AnalyticsSink`).
  static var acceptsAnalytics: Bool { get }

  /// The address data that a recipient must have (rule D2); the configuration can override it.
  static var requirement: Requirement? { get }

  /// The names of the credentials that the sink reads when it is created.
  var credentialNames: [String] { get }

  /// The files, or directories of files, that the sink reads when it is created.
  var files: [String] { get }

  /// Reads the configuration; nil if there is a fault, which the settings report.
  init?(reading settings: inout SinkSettings)

  /// Checks the resources that the sink needs. Changes nothing, and opens nothing for writing.
  /// Credentials are checked last, because only the service's process has them.
  ///
  /// - Throws: an error that names the missing resource, for operators.
  func check(credentials: Credentials) throws

  /// Creates the sink.
  ///
  /// - Throws: the reason why the sink cannot be created, for operators.
  func sink(_ common: SinkCommonSettings, in surroundings: SinkEnvironment) throws -> any Sink
}

extension SinkConfiguration {
  package static var waitsForOthers: Bool { true }
  package static var acceptsConcurrency: Bool { true }
  package static var acceptsAnalytics: Bool { false }
  package static var requirement: Requirement? { nil }

  package var credentialNames: [String] { [] }
  package var files: [String] { [] }

  package func check(credentials: Credentials) throws {}

  func isEqual(to other: any SinkConfiguration) -> Bool { other as? Self == self }
}

/// The settings that every sink has.
package struct SinkCommonSettings: Hashable, Sendable {
  package let name: String
  /// The time limit of an attempt.
  package let deadline: TimeSpan
  /// The number of deliveries processed at the same time; nil for the type's default.
  package let concurrency: Int?
  /// The maximum number of deliveries per second; nil means no limit.
  package let rate: Int?
  /// How the sink's service reports the further states of deliveries; nil if it does not.
  package let receipts: ReceiptConfiguration?
  /// How the sink's service forwards what people reply; nil if it does not.
  package let replies: ReplyConfiguration?

  package init(
    name: String, deadline: TimeSpan = .seconds(15), concurrency: Int? = nil, rate: Int? = nil,
    receipts: ReceiptConfiguration? = nil, replies: ReplyConfiguration? = nil
  ) {
    self.name = name
    self.deadline = deadline
    self.concurrency = concurrency
    self.rate = rate
    self.receipts = receipts
    self.replies = replies
  }

  /// The names of the credentials by which requests of the sink's service are authenticated.
  var serviceCredentialNames: [String] {
    [receipts?.secret, replies?.secret].compactMap(\.self)
  }
}

/// The parts of the service that sinks use.
package struct SinkEnvironment: Sendable {
  package let journal: Journal
  package let credentials: Credentials
  /// Returns the current time.
  package let now: @Sendable () -> Instant
  /// The address of the service in links of notifications; nil if notifications have no links.
  package let publicURL: PublicURL?
  /// Returns the token of a link that unsubscribes a recipient from a category's e-mail; nil if
  /// recipients cannot unsubscribe from the category.
  package let unsubscribeToken: @Sendable (_ recipient: String, _ category: String) -> String?

  package init(
    journal: Journal, credentials: Credentials, now: @escaping @Sendable () -> Instant,
    publicURL: PublicURL? = nil,
    unsubscribeToken: @escaping @Sendable (String, String) -> String? = { _, _ in nil }
  ) {
    self.journal = journal
    self.credentials = credentials
    self.now = now
    self.publicURL = publicURL
    self.unsubscribeToken = unsubscribeToken
  }
}

/// The sink types of configuration files.
package enum SinkTypes {
  package static let all: [any SinkConfiguration.Type] = [
    APNsConfiguration.self, DesktopConfiguration.self, ExecConfiguration.self,
    FCMConfiguration.self, HTTPSinkConfiguration.self, JSONLinesConfiguration.self,
    JournalConfiguration.self, NtfyConfiguration.self, PipeConfiguration.self,
    SMTPConfiguration.self, StreamConfiguration.self, WebPushConfiguration.self,
    WebhookConfiguration.self,
  ]
}
