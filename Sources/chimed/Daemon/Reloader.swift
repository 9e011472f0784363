import API
import ArgumentParser
import Engine
import Outbox
import Reminders
import Sinks
import Synchronization
import Systemd

/// Applies a changed configuration while the service runs (rule S1). If any part of the
/// configuration is invalid, nothing changes. A sink that lacks a secret, a file or a program
/// continues unchanged (rule S9).
final class Reloader: Sendable {
  /// The parts of the service that a reload changes.
  struct Service: Sendable {
    /// The engine, or the node of a fleet that contains it.
    let serving: DaemonEngine
    let webTokens: CurrentWebTokenRules
    let pushKey: CurrentPushKey
    let serviceReaders: CurrentServiceReaders
    /// The current planner, for the links in e-mails.
    let planner: CurrentPlanner
    /// The lowest priority of entries that the journal writes.
    let threshold: JournalThreshold
    let sinkEnvironment: SinkEnvironment
  }

  /// The time limit of a reload, after which the service manager assumes that the service hangs.
  private static let timeLimit = Duration.seconds(60)

  private let command: ServeCommand
  private let service: Service
  /// The settings of the start that only a restart changes.
  private let settingsAtStart: FixedSettings
  private let registry: Mutex<SinkRegistry>
  /// The current configuration, for display.
  private let shown: Mutex<ShownConfiguration>
  private let manager: ServiceManager
  private let board: StatusBoard
  private let journal: Journal
  private let saver: ConfigurationSaver
  private let executor = EventLoopExecutor()
  /// The last reload; reloads run one after the other.
  private let lastReload = Mutex<Task<ReloadReport, any Error>?>(nil)

  /// - Parameters:
  ///   - start: the settings of the start that only a restart changes.
  ///   - shown: the configuration of the start, for display.
  ///   - registry: the sinks of the start.
  init(
    _ command: ServeCommand, _ service: Service, start: FixedSettings, shown: ShownConfiguration,
    registry: SinkRegistry, manager: ServiceManager, saver: ConfigurationSaver
  ) {
    self.command = command
    self.service = service
    settingsAtStart = start
    self.registry = Mutex(registry)
    self.shown = Mutex(shown)
    self.manager = manager
    self.saver = saver
    board = saver.board
    journal = service.sinkEnvironment.journal
  }

  /// The current configuration, for display. Settings that need a restart and the settings of
  /// outdated sinks have the values in the files, although their former values are still in use.
  var configuration: ShownConfiguration { shown.withLock(\.self) }

  /// Renders an e-mail with the templates of the first current sink that sends e-mail, or with the
  /// built-in templates if there is no such sink; nil if that fails.
  func mailSample(of text: MessageSample, in category: String) -> MailSample? {
    let sinks = registry.withLock(\.sinks)
    let mail = try? MailRenderer(like: sinks).render(
      title: text.title, body: text.body, category: category, language: text.language,
      name: MessageSample.reader)
    return mail.map { MailSample(subject: $0.subject, text: $0.text, html: $0.html) }
  }

  /// Reloads the configuration, after any reload that is in progress.
  ///
  /// - Throws: the reason why the current configuration stays. It has been logged.
  func reload() async throws(ReloadError) -> ReloadReport {
    let task = lastReload.withLock { last in
      let previous = last
      let task = Task(executorPreference: executor) { [self] in
        _ = await previous?.result
        return try await perform()
      }
      last = task
      return task
    }
    do {
      return try await task.value
    } catch let error as ServiceUnavailable {
      throw ReloadError(error)
    } catch {
      throw ReloadError("\(error)", faults: InvalidConfigurationError.faults(of: error))
    }
  }

  /// Reads and checks everything as a reload does, and changes nothing. Unlike in a reload, a sink
  /// that lacks a secret, a file or a program counts as a fault.
  func check() async -> ConfigurationFindings {
    do {
      let candidate = try await readCandidate(
        after: registry.withLock(\.self), checksAllSinks: true)
      let flaws = candidate.flaws
      return ConfigurationFindings(
        flaw: flaws.isSound ? nil : "\(flaws)", faults: InvalidConfigurationError.faults(of: flaws),
        sinks: candidate.changes.description,
        restart: candidate.fixed.differences(from: settingsAtStart))
    } catch {
      return ConfigurationFindings(
        flaw: "\(error)", faults: InvalidConfigurationError.faults(of: error))
    }
  }

  private func perform() async throws -> ReloadReport {
    manager.reloading(at: .now)
    manager.extendTimeout(by: Self.timeLimit)
    defer { manager.ready() }
    let registry = registry.withLock(\.self)
    do {
      // Always reopen files first, because log rotation requires it even if the reload is rejected.
      try await Self.onSeparateThread { [self] in for sink in registry.sinks { reopen(sink) } }
      let candidate = try await readCandidate(after: registry)
      let endedReminders = try await service.serving.service.answer(
        EndedRemindersQuery(by: candidate.planner))
      let changes = try await apply(candidate, after: registry)
      let report = report(on: candidate, endedReminders)
      if candidate.flaws.isSound {
        try? await Self.onSeparateThread { [saver] in saver.save(candidate) }
      }
      announce(candidate, changes, report)
      return report
    } catch let error as ServiceUnavailable {
      // The configuration is not the reason, so the status does not call it rejected.
      journal.send(message: "the configuration was not reloaded: \(error)", priority: .warning)
      throw error
    } catch {
      board.remark(on: StatusBoard.reload, "the last reload was rejected: \(error)")
      let reason = "\(error)".inOneLine
      journal.send(
        .reloadRejected, "the new configuration was rejected: \(reason)",
        fields: [(.reason, reason)])
      throw error
    }
  }

  private func report(
    on candidate: Candidate, _ endedReminders: [EndedReminder]
  ) -> ReloadReport {
    let registry = registry.withLock(\.self)
    let secrets = candidate.setup.delivery.sinks.flatMap(\.credentialNames)
      .filter(Credentials.isName)
    return ReloadReport(
      restart: candidate.fixed.differences(from: settingsAtStart), ended: endedReminders,
      unavailable: registry.unavailable.map { "\($0.sink): \($0.reason)" },
      outdatedSinkMessages: registry.outdated.map { Self.outdatedMessage($0.sink, $0.reason) },
      secretsReadOnlyAtStart: service.sinkEnvironment.credentials.areFixed
        ? Set(secrets).sorted() : [])
  }

  private static func outdatedMessage(_ sink: String, _ reason: String) -> String {
    "the sink \(sink) continues with its former settings: \(reason)"
  }

  /// Reads the configuration with all its files, and checks it.
  private func readCandidate(
    after registry: SinkRegistry, checksAllSinks: Bool = false
  ) async throws -> Candidate {
    let (command, zones) = (command, service.serving.service.planner.zones)
    let credentials = service.sinkEnvironment.credentials
    return try await Self.onSeparateThread {
      try Candidate(
        command, from: SettingsFiles(), after: registry, checksAllSinks: checksAllSinks,
        zones: zones, credentials: credentials)
    }
  }

  /// Runs blocking work on a separate thread, so that it does not delay connections.
  private static func onSeparateThread<Value: Sendable>(
    _ work: @escaping @Sendable () throws -> Value
  ) async throws -> Value {
    try await withCheckedThrowingContinuation { continuation in
      do {
        try OperatingSystemThread(name: "reload") {
          continuation.resume(with: Result { try work() })
        }.detach()
      } catch {
        continuation.resume(throwing: error)
      }
    }
  }

  private func reopen(_ sink: any Sink) {
    do {
      try sink.prepareForReload()
    } catch {
      journal.send(
        .sinkKept, "the sink \(sink.name) keeps its open file: \(error)",
        fields: [(.sink, sink.name), (.reason, "\(error)")])
    }
  }

  /// Applies a configuration. The steps that may fail come first, and the engine adopts its part
  /// completely or not at all.
  ///
  /// - Returns: the changes of the sinks.
  private func apply(
    _ candidate: Candidate, after registry: SinkRegistry
  ) async throws -> SinkChanges {
    let newRegistry = registry.renewed(
      candidate.setup.delivery, candidate.specifications, in: service.sinkEnvironment)
    let changes = SinkChanges(from: registry.specifications, to: newRegistry.specifications)
    let delivery = newRegistry.delivery(routes: candidate.setup.delivery.routes)
    let planner = candidate.planner(for: delivery, command.planning.requirements)
    do {
      try await service.serving.adopt(
        RuntimeConfiguration(
          planner: planner, sinks: newRegistry.sinks, routes: delivery.routes,
          limits: delivery.limits, retention: candidate.setup.retention,
          unchangedSinks: Set(changes.unchanged)))
    } catch {
      await newRegistry.stopNewSinks(changes)
      throw error
    }
    self.registry.withLock { $0 = newRegistry }
    shown.withLock { $0 = candidate.shown }
    service.planner.value = planner
    service.webTokens.value = candidate.rules
    service.pushKey.value = newRegistry.pushKey(by: delivery.routes)
    service.serviceReaders.value = newRegistry.serviceReaders
    service.threshold.priority = command.logLevel.priority
    return changes
  }

  private func announce(_ candidate: Candidate, _ changes: SinkChanges, _ report: ReloadReport) {
    board.remark(on: StatusBoard.reload, nil)
    saver.remark(on: candidate)
    registry.withLock(\.self).reportUnavailable(to: journal)
    announceOutdated()
    let endings = report.ended.map {
      "the new catalogs end \($0.occurrences) pending occurrences of \($0.reminder) for "
        + "\($0.people) recipients"
    }
    let secrets = report.secretsReadOnlyAtStart.joined(separator: ", ")
    let secretsNote =
      secrets.isEmpty
      ? "" : "the secrets \(secrets) are those of the start; only a restart renews them"
    let parts = ["the configuration was reloaded", changes.description] + endings + [secretsNote]
    journal.send(.reloaded, parts.filter { !$0.isEmpty }.joined(separator: "; "))
    announceRestart(report)
  }

  /// Reports the sinks that continue with their former settings.
  private func announceOutdated() {
    let outdated = registry.withLock(\.outdated)
    for (sink, reason) in outdated {
      journal.send(
        .sinkOutdated, Self.outdatedMessage(sink, reason) + "; the next reload tries again",
        fields: [(.sink, sink), (.reason, reason)])
    }
    let messages = outdated.map { Self.outdatedMessage($0.sink, $0.reason) }
      .joined(separator: "\n")
    board.remark(on: StatusBoard.outdatedSinks, messages.isEmpty ? nil : messages)
  }

  /// Reports the changed settings that need a restart.
  private func announceRestart(_ report: ReloadReport) {
    let settings = report.restart.joined(separator: ", ")
    board.remark(on: "restart", settings.isEmpty ? nil : "changed, needs a restart: \(settings)")
    guard !settings.isEmpty else { return }
    journal.send(
      message:
        "these settings have changed and keep their former values until a restart: \(settings)",
      priority: .warning)
  }
}

/// The actions of administrators over the HTTP interface.
struct OperatorControl: ServiceControl {
  let reloader: Reloader
  let threshold: JournalThreshold
  let ring: JournalRing

  func reload() async throws(ReloadError) -> ReloadReport { try await reloader.reload() }

  func check() async -> ConfigurationFindings { await reloader.check() }

  var configuration: ShownConfiguration { reloader.configuration }

  var logLevel: LogLevel { LogLevel(threshold.priority) }

  func setLogLevel(_ level: LogLevel) {
    threshold.priority = level.priority
  }

  func log(_ question: LogQuery) -> LogPage {
    var question = question
    // The last number is read before the items. So an entry that is added in between is in the next
    // page at the latest.
    let last = ring.last
    // A number beyond the last entry is from an earlier start of the service.
    if let after = question.after, after > last { question.after = 0 }
    let entries = ring.items(after: question.after ?? 0).map(LogEntry.init)
    return LogPage(question, from: entries, last: last)
  }

  func mailSample(of text: MessageSample, in category: String) -> MailSample? {
    reloader.mailSample(of: text, in: category)
  }

  func watchLog(_ notify: @escaping @Sendable () -> Void) -> (any AnyObject & Sendable)? {
    ring.watch(notify)
  }
}

extension LogLevel: ExpressibleByArgument {
  /// The lowest journal priority that is logged at this level.
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
