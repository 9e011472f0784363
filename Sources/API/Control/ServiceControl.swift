/// What an administrator may have the running service do.
package protocol ServiceControl: Sendable {
  /// Reads the configuration again and takes it into use; returns when the new one is in force.
  ///
  /// - Returns: the settings that have changed and need a restart.
  func reload() async throws(ReloadRejected) -> [String]

  /// What the service runs with.
  var configuration: ShownConfiguration { get }

  /// From which level on the service writes to its journal.
  var logLevel: LogLevel { get }

  /// Holds until the next reload, which has the configuration's.
  func setLogLevel(_ level: LogLevel)

  /// The latest that the service has told its journal since its start.
  func log(_ question: LogQuestion) -> LogPage
}

extension ServiceControl {
  /// None, where nobody says.
  package var configuration: ShownConfiguration { ShownConfiguration() }

  /// Nothing, where nothing is kept.
  package func log(_ question: LogQuestion) -> LogPage { LogPage() }
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
