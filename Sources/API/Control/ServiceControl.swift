package import Engine
package import Reminders

/// The operations of an administrator on the running service.
package protocol ServiceControl: Sendable {
  /// Loads the configuration again; returns when the new one is current.
  func reload() async throws(ReloadError) -> ReloadReport

  /// Validates the configuration files and everything that they name, without applying anything. A
  /// sink that cannot be created is a fault here, although a reload would apply the rest.
  func check() async -> ConfigurationFindings

  /// The current configuration.
  var configuration: ShownConfiguration { get }

  /// The lowest level that the service writes to its journal.
  var logLevel: LogLevel { get }

  /// Sets the level until the next reload, which restores the configured one.
  func setLogLevel(_ level: LogLevel)

  /// Returns the recent entries that the service has written to its journal since it started.
  func log(_ query: LogQuery) -> LogPage

  /// Returns a preview of an e-mail with this message; nil if the e-mail cannot be rendered.
  func mailSample(of message: MessageSample, in category: String) -> MailSample?

  /// Calls `report` for each new entry, on any thread, while the returned object exists. Returns
  /// nil if the service has no log.
  func watchLog(_ report: @escaping @Sendable () -> Void) -> (any AnyObject & Sendable)?
}

extension ServiceControl {
  /// Returns no findings, for services without a configuration.
  package func check() async -> ConfigurationFindings { ConfigurationFindings() }

  /// Returns an empty configuration, for services without one.
  package var configuration: ShownConfiguration { ShownConfiguration() }

  /// Returns an empty page, for services without a log.
  package func log(_ query: LogQuery) -> LogPage { LogPage() }

  package func mailSample(of message: MessageSample, in category: String) -> MailSample? { nil }

  package func watchLog(_ report: @escaping @Sendable () -> Void) -> (any AnyObject & Sendable)? {
    nil
  }
}

package struct ReloadReport: Sendable {
  /// The changed settings that need a restart.
  package var restart: [String]
  /// The reminders whose occurrences the new catalogs end, with the numbers of recipients and
  /// occurrences.
  package var ended: [EndedReminder]
  /// The sinks that could not be created, each with the reason.
  package var unavailable: [String]
  /// A sentence for each sink that continues with its former settings.
  package var outdatedSinkMessages: [String]
  /// The secrets that the service manager passed at the start; only a restart renews them.
  package var secretsReadOnlyAtStart: [String]

  package init(
    restart: [String] = [], ended: [EndedReminder] = [], unavailable: [String] = [],
    outdatedSinkMessages: [String] = [], secretsReadOnlyAtStart: [String] = []
  ) {
    (self.restart, self.ended) = (restart, ended)
    (self.unavailable, self.outdatedSinkMessages) = (unavailable, outdatedSinkMessages)
    self.secretsReadOnlyAtStart = secretsReadOnlyAtStart
  }
}

/// The result of a check: the effects that a reload would have.
package struct ConfigurationFindings: Sendable {
  /// The reason why the configuration is invalid or a sink cannot be created; nil if there is no
  /// such fault.
  package var flaw: String?
  /// The faults of the configuration, with their positions.
  package var faults: [Fault]
  /// How the sinks would change, as a sentence; empty if they stay the same.
  package var sinks: String
  /// The changed settings that need a restart.
  package var restart: [String]

  package init(
    flaw: String? = nil, faults: [Fault] = [], sinks: String = "", restart: [String] = []
  ) {
    (self.flaw, self.faults, self.sinks, self.restart) = (flaw, faults, sinks, restart)
  }
}

/// A preview of an e-mail.
package struct MailSample: Hashable, Sendable {
  package let subject: String
  package let text: String
  package let html: String

  package init(subject: String, text: String, html: String) {
    (self.subject, self.text, self.html) = (subject, text, html)
  }
}

/// The reason why a reload changed nothing, for the administrator who requested it.
package struct ReloadError: Error, Sendable, CustomStringConvertible {
  package let description: String
  /// The faults of the configuration, with their positions.
  package let faults: [Fault]
  /// The state of the service that prevented the reload; nil if the configuration is the reason.
  package let unavailable: ServiceUnavailable?

  package init(_ description: String, faults: [Fault] = []) {
    (self.description, self.faults, unavailable) = (description, faults, nil)
  }

  package init(_ unavailable: ServiceUnavailable) {
    (description, faults, self.unavailable) = (unavailable.description, [], unavailable)
  }
}

/// The severity of a journal entry. There is no level below `info`, because libraries would write
/// the content of requests at such a level.
package enum LogLevel: String, CaseIterable, Sendable {
  case info, notice, warning, error, critical

  package static let list = allCases.map(\.rawValue).joined(separator: ", ")
}

/// The current configuration as administrators see it. Values that may be secret are left out.
package struct ShownConfiguration: Sendable {
  package enum Origin: String, CaseIterable, Sendable {
    /// A line of the configuration file.
    case file
    /// The service's own command line.
    case option
    /// A variable of the process's environment.
    case environment
    /// The default, because nothing sets the value.
    case standard = "default"
  }

  package struct Setting: Hashable, Sendable {
    /// The path in the configuration file: `retention.events`, `sinks.webhook.url`.
    package let name: String
    /// The value as text, or as a list with commas; nil if the value may contain a secret.
    package let value: String?
    package let origin: Origin
    /// The line in the file, from 1; nil for a value from elsewhere.
    package let line: Int?

    package init(name: String, value: String?, origin: Origin, line: Int? = nil) {
      (self.name, self.value, self.origin, self.line) = (name, value, origin, line)
    }
  }

  /// The path of the configuration file; nil if there is none.
  package var file: String?
  package var settings: [Setting]

  package init(file: String? = nil, settings: [Setting] = []) {
    (self.file, self.settings) = (file, settings)
  }
}
