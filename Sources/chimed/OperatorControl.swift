import API
import ArgumentParser
import Systemd

/// What administrators may have the service do, over the HTTP interface.
struct OperatorControl: ServiceControl {
  let reloader: Reloader
  let threshold: JournalThreshold

  func reload() async throws(ReloadRejected) -> [String] { try await reloader.reload() }

  var logLevel: LogLevel { LogLevel(threshold.priority) }

  func setLogLevel(_ level: LogLevel) {
    threshold.priority = level.priority
  }
}

extension LogLevel: ExpressibleByArgument {
  /// The least that an entry has to matter.
  var priority: JournalPriority {
    switch self {
    case .info: .informational
    case .notice: .notice
    case .warning: .warning
    case .error: .error
    case .critical: .critical
    }
  }

  init(_ priority: JournalPriority) {
    self = Self.allCases.first { $0.priority == priority } ?? .info
  }
}
