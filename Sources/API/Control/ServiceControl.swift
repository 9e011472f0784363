package import Engine
package import Reminders

/// What an administrator may have the running service do.
package protocol ServiceControl: Sendable {
  /// Reads the configuration again and takes it into use; returns when the new one is in force.
  ///
  func reload() async throws(ReloadRejected) -> ReloadReport

  /// Reads what the files say now, as a reload would, and takes nothing of it into use.
  func check() async -> ConfigurationFindings

  /// What the service runs with.
  var configuration: ShownConfiguration { get }

  /// From which level on the service writes to its journal.
  var logLevel: LogLevel { get }

  /// Holds until the next reload, which has the configuration's.
  func setLogLevel(_ level: LogLevel)

  /// The latest that the service has told its journal since its start.
  func log(_ question: LogQuestion) -> LogPage

  /// What an e-mail would look like that says this; nil where nobody can tell.
  func mail(saying text: MessageSample, in category: String) -> MailSample?

  /// Calls with each entry that comes, on whatever thread it comes from, for as long as the answer
  /// is kept; nil where nobody can tell.
  func watchLog(_ tell: @escaping @Sendable () -> Void) -> (any AnyObject & Sendable)?
}

extension ServiceControl {
  /// Nothing, where nobody looks.
  package func check() async -> ConfigurationFindings { ConfigurationFindings() }

  /// None, where nobody says.
  package var configuration: ShownConfiguration { ShownConfiguration() }

  /// Nothing, where nothing is kept.
  package func log(_ question: LogQuestion) -> LogPage { LogPage() }

  package func mail(saying text: MessageSample, in category: String) -> MailSample? { nil }

  package func watchLog(_ tell: @escaping @Sendable () -> Void) -> (any AnyObject & Sendable)? {
    nil
  }
}

/// What a reload did.
package struct ReloadReport: Sendable {
  /// The settings that have changed and need a restart.
  package var restart: [String]
  /// The reminders that are gone, with what was held of them.
  package var ended: [EndedReminder]
  /// The sinks that could not be made, each with the reason.
  package var unavailable: [String]
  /// The secrets that the service manager handed over at the start; only a restart renews them.
  package var fixedSecrets: [String]

  package init(
    restart: [String] = [], ended: [EndedReminder] = [], unavailable: [String] = [],
    fixedSecrets: [String] = []
  ) {
    (self.restart, self.ended) = (restart, ended)
    (self.unavailable, self.fixedSecrets) = (unavailable, fixedSecrets)
  }
}

/// What would come of a reload.
package struct ConfigurationFindings: Sendable {
  /// What is wrong with what the files say; nil if it is sound.
  package var flaw: String?
  /// What becomes of the sinks, in words; empty if they stay.
  package var sinks: String
  /// The settings that have changed and need a restart.
  package var restart: [String]

  package init(flaw: String? = nil, sinks: String = "", restart: [String] = []) {
    (self.flaw, self.sinks, self.restart) = (flaw, sinks, restart)
  }
}

/// What an e-mail would look like.
package struct MailSample: Hashable, Sendable {
  package let subject: String
  package let text: String
  package let html: String

  package init(subject: String, text: String, html: String) {
    (self.subject, self.text, self.html) = (subject, text, html)
  }
}

/// Why a reload changed nothing, for the person who asked for it.
package struct ReloadRejected: Error, Sendable, CustomStringConvertible {
  package let description: String

  package init(_ description: String) {
    self.description = description
  }
}

/// How much an entry has to matter to be written to the journal. There is none below `info`, where
/// libraries would write what requests hold.
package enum LogLevel: String, CaseIterable, Sendable {
  case info, notice, warning, error, critical

  package static let list = allCases.map(\.rawValue).joined(separator: ", ")
}

/// The configuration in force, as administrators are shown it. It holds no secret: what may be one
/// is left out.
package struct ShownConfiguration: Sendable {
  package enum Origin: String, CaseIterable, Sendable {
    /// A line of the configuration file.
    case file
    /// The service's own command line.
    case option
    case environment
    /// Nobody has said anything.
    case standard = "default"
  }

  package struct Setting: Hashable, Sendable {
    /// Its place in the configuration file: `retention.events`, `sinks.webhook.url`.
    package let name: String
    /// As text, a list with commas; nil where it may hold a secret.
    package let value: String?
    package let origin: Origin
    /// Where the file says it, from 1 on.
    package let line: Int?

    package init(name: String, value: String?, origin: Origin, line: Int? = nil) {
      (self.name, self.value, self.origin, self.line) = (name, value, origin, line)
    }
  }

  /// Nil where there is none.
  package var file: String?
  package var settings: [Setting]

  package init(file: String? = nil, settings: [Setting] = []) {
    (self.file, self.settings) = (file, settings)
  }
}
