package import CivilTime
package import Outbox
package import Reminders
package import Systemd

/// What one type of sink wants to know, and how a sink is made of it.
///
/// To read a configuration touches nothing: no file, no connection. So it can be checked without a
/// start (rule S4).
package protocol SinkConfiguration: Equatable, Sendable {
  /// What `type` says in the configuration.
  static var type: String { get }

  /// What may be said beside what every sink takes.
  static var keys: [String] { get }

  /// Which of them must be.
  static var requiredKeys: [String] { get }

  /// Whether it waits for somebody else, so that the service has to see to its deadlines; what only
  /// writes has none.
  static var waitsForOthers: Bool { get }

  /// Whether it works on several deliveries at once, as many as `concurrency` says.
  static var takesConcurrency: Bool { get }

  /// Whether its sinks take analytics events too (`AnalyticsSink`).
  static var takesAnalytics: Bool { get }

  /// What has to be known of a person to reach them through it (rule D2); the configuration may say
  /// otherwise.
  static var requirement: Requirement? { get }

  /// The names of the credentials whose content goes into the sink when it is made.
  var credentialNames: [String] { get }

  /// The files whose content does, and directories of such files.
  var files: [String] { get }

  /// Nil if something is wrong, which the settings then report.
  init?(reading settings: inout SinkSettings)

  /// Looks at what the sink would need and leaves it as it is: nothing is opened for writing.
  /// Credentials come last, as they are to be had in the service alone.
  ///
  /// - Throws: what is missing, for the person who runs the service.
  func check(credentials: Credentials) throws

  /// - Throws: why it cannot be made, for the person who runs the service.
  func sink(_ common: SinkCommonSettings, in surroundings: SinkSurroundings) throws -> any Sink
}

extension SinkConfiguration {
  package static var requiredKeys: [String] { [] }
  package static var waitsForOthers: Bool { true }
  package static var takesConcurrency: Bool { true }
  package static var takesAnalytics: Bool { false }
  package static var requirement: Requirement? { nil }

  package var credentialNames: [String] { [] }
  package var files: [String] { [] }

  package func check(credentials: Credentials) throws {}

  func isEqual(to other: any SinkConfiguration) -> Bool { other as? Self == self }
}

/// What every sink may be told.
package struct SinkCommonSettings: Hashable, Sendable {
  package let name: String
  /// When an attempt is given up.
  package let deadline: TimeSpan
  /// How many deliveries are under way at once; nil leaves it to the type.
  package let concurrency: Int?
  /// How many deliveries a second it is handed at most; nil is no limit.
  package let rate: Int?

  package init(
    name: String, deadline: TimeSpan = .seconds(15), concurrency: Int? = nil, rate: Int? = nil
  ) {
    self.name = name
    self.deadline = deadline
    self.concurrency = concurrency
    self.rate = rate
  }
}

/// What sinks need of the service around them.
package struct SinkSurroundings: Sendable {
  package let journal: Journal
  package let credentials: Credentials
  /// What the time is.
  package let now: @Sendable () -> Instant
  /// Makes the token of a link by which a recipient gets no more e-mail of a category; nil where
  /// they cannot do so.
  package let unsubscribeToken: @Sendable (_ recipient: String, _ category: String) -> String?

  package init(
    journal: Journal, credentials: Credentials, now: @escaping @Sendable () -> Instant,
    unsubscribeToken: @escaping @Sendable (String, String) -> String? = { _, _ in nil }
  ) {
    self.journal = journal
    self.credentials = credentials
    self.now = now
    self.unsubscribeToken = unsubscribeToken
  }
}

/// The types that a configuration may name.
package enum SinkTypes {
  package static let all: [any SinkConfiguration.Type] = [
    APNsConfiguration.self, DesktopConfiguration.self, ExecConfiguration.self,
    FCMConfiguration.self, HTTPSinkConfiguration.self, JSONLinesConfiguration.self,
    JournalConfiguration.self, NtfyConfiguration.self, PipeConfiguration.self,
    SMTPConfiguration.self, StreamConfiguration.self, WebPushConfiguration.self,
    WebhookConfiguration.self,
  ]
}
