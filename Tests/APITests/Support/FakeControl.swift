import Engine
import Reminders
import Synchronization

@testable import API

/// A control of the service that succeeds or fails as its properties say. It counts successful
/// reloads.
final class FakeControl: ServiceControl {
  let fault: String?
  let unavailable: ServiceUnavailable?
  let reloads = Mutex(0)
  private let level = Mutex(LogLevel.info)

  init(fault: String? = nil, unavailable: ServiceUnavailable? = nil) {
    (self.fault, self.unavailable) = (fault, unavailable)
  }

  private var faults: [Fault] {
    fault == nil ? [] : [Fault(Diagnostic(file: "a.yaml", line: 3, column: 1, message: "no"))]
  }

  func reload() async throws(ReloadError) -> ReloadReport {
    if let fault { throw ReloadError(fault, faults: faults) }
    if let unavailable { throw ReloadError(unavailable) }
    reloads.withLock { $0 += 1 }
    let ended = EndedReminder(reminder: "weigh-in", people: 2, occurrences: 3)
    return ReloadReport(
      restart: ["listen"], ended: [ended],
      outdatedSinkMessages: [
        "the sink hook continues with its former settings: its secret is empty"
      ])
  }

  func check() async -> ConfigurationFindings {
    ConfigurationFindings(flaw: fault, faults: faults, sinks: "sinks: new two", restart: ["listen"])
  }

  var configuration: ShownConfiguration {
    ShownConfiguration(
      file: "/etc/chimed.yaml",
      settings: [
        .init(name: "console", value: "true", origin: .file, line: 2),
        .init(name: "sinks.hook.headers", value: nil, origin: .file, line: 7),
        .init(name: "hosts", value: "-", origin: .standard),
      ])
  }

  var logLevel: LogLevel { level.withLock(\.self) }

  func setLogLevel(_ level: LogLevel) { self.level.withLock { $0 = level } }
}
