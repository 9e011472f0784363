import API
import ArgumentParser
import Engine
import Outbox
import Reminders
import Sinks
import Synchronization
import Systemd

/// Takes a changed configuration into use while the service runs (rule S1): all of it, or, if any
/// part has a fault, nothing.
final class Reloader: Sendable {
  /// What a reload changes.
  struct Service: Sendable {
    let serving: Serving
    let webTokens: CurrentWebTokenRules
    /// What links in e-mails are made by.
    let planner: CurrentPlanner
    let threshold: JournalThreshold
    let surroundings: SinkEnvironment
  }

  /// How long a reload may take before the manager takes the service for hung.
  private static let patience = Duration.seconds(60)

  private let command: ServeCommand
  private let service: Service
  private let start: FixedSettings
  private let registry: Mutex<SinkRegistry>
  /// What is in force.
  private let shown: Mutex<ShownConfiguration>
  private let manager: ServiceManager
  private let board: StatusBoard
  private let journal: Journal
  private let keeper: ConfigurationKeeper
  private let executor = EventLoopExecutor()
  /// The last that was begun: they go one after the other.
  private let last = Mutex<Task<ReloadReport, any Error>?>(nil)

  /// - Parameters:
  ///   - start: what the service was started with.
  ///   - shown: the same, as it is shown.
  ///   - registry: the sinks that it was started with.
  init(
    _ command: ServeCommand, _ service: Service, start: FixedSettings, shown: ShownConfiguration,
    registry: SinkRegistry, manager: ServiceManager, keeper: ConfigurationKeeper
  ) {
    self.command = command
    self.service = service
    self.start = start
    self.registry = Mutex(registry)
    self.shown = Mutex(shown)
    self.manager = manager
    self.keeper = keeper
    board = keeper.board
    journal = service.surroundings.journal
  }

  /// What is in force; of what only a restart takes in, what is in the files.
  var configuration: ShownConfiguration { shown.withLock(\.self) }

  /// What an e-mail looks like by the sinks that are in force.
  func mail(saying text: MessageSample, in category: String) -> MailSample? {
    let sinks = registry.withLock(\.sinks)
    let mail = try? MailRenderer(like: sinks).render(
      title: text.title, body: text.body, category: category, language: text.language,
      name: MessageSample.reader)
    return mail.map { MailSample(subject: $0.subject, text: $0.text, html: $0.html) }
  }

  /// - Throws: why the old configuration stays in force, once that is told.
  func reload() async throws(ReloadRejected) -> ReloadReport {
    let task = last.withLock { last in
      let before = last
      let task = Task(executorPreference: executor) { [self] in
        _ = await before?.result
        return try await perform()
      }
      last = task
      return task
    }
    do {
      return try await task.value
    } catch {
      throw ReloadRejected("\(error)")
    }
  }

  /// Reads everything as a reload does, and leaves it.
  func check() async -> ConfigurationFindings {
    do {
      let candidate = try await propose(after: registry.withLock(\.self))
      return ConfigurationFindings(
        sinks: candidate.changes.description,
        restart: candidate.fixed.differences(from: start))
    } catch {
      return ConfigurationFindings(flaw: "\(error)")
    }
  }

  private func perform() async throws -> ReloadReport {
    manager.reloading(at: .now)
    manager.extendTimeout(by: Self.patience)
    defer { manager.ready() }
    let registry = registry.withLock(\.self)
    do {
      // In any case: whoever has moved a file away waits for a new one.
      try await Self.apart { [self] in for sink in registry.sinks { reopen(sink) } }
      let candidate = try await propose(after: registry)
      let ended = try await service.serving.service.ended(by: candidate.planner)
      try await take(candidate, after: registry)
      let report = report(on: candidate, ended)
      try? await Self.apart { [keeper] in keeper.keep(candidate) }
      tell(candidate, report)
      return report
    } catch {
      board.remark(on: StatusBoard.reload, "the last reload was rejected: \(error)")
      journal.send(
        .reloadRejected, "the configuration was not taken: \(error)",
        fields: [(.reason, "\(error)")])
      throw error
    }
  }

  private func report(on candidate: Candidate, _ ended: [EndedReminder]) -> ReloadReport {
    let sinks = registry.withLock(\.sinks)
    let secrets = candidate.setup.delivery.sinks.flatMap(\.credentialNames)
      .filter { !$0.hasPrefix("/") }
    return ReloadReport(
      restart: candidate.fixed.differences(from: start), ended: ended,
      unavailable: sinks.compactMap { sink in sink.whyUnavailable.map { "\(sink.name): \($0)" } },
      fixedSecrets: service.surroundings.credentials.areFixed ? Set(secrets).sorted() : [])
  }

  /// Reads everything.
  private func propose(after registry: SinkRegistry) async throws -> Candidate {
    let (command, zones) = (command, service.serving.service.planner.zones)
    let credentials = service.surroundings.credentials
    return try await Self.apart {
      try Candidate(
        command, from: SettingsFiles(), after: registry, zones: zones, credentials: credentials)
    }
  }

  /// On a thread for that alone: the threads of connections have no time for it.
  private static func apart<Value: Sendable>(
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
      try sink.reload()
    } catch {
      journal.send(
        .sinkKept, "the sink \(sink.name) goes on with what it has open: \(error)",
        fields: [(.sink, sink.name), (.reason, "\(error)")])
    }
  }

  /// What may fail comes first; the engine takes all of its part or nothing.
  private func take(_ candidate: Candidate, after registry: SinkRegistry) async throws {
    let delivery = candidate.setup.delivery
    let renewed = try await registry.renewed(
      delivery, candidate.specifications, candidate.changes, in: service.surroundings)
    do {
      try await service.serving.adopt(
        RuntimeConfiguration(
          planner: candidate.planner, sinks: renewed.sinks, routes: delivery.routes,
          limits: delivery.limits, retention: candidate.setup.retention,
          kept: Set(candidate.changes.kept)))
    } catch {
      await renewed.endNew(candidate.changes)
      throw error
    }
    self.registry.withLock { $0 = renewed }
    shown.withLock { $0 = candidate.shown }
    service.planner.value = candidate.planner
    service.webTokens.value = candidate.rules
    service.threshold.priority = command.logLevel.priority
  }

  private func tell(_ candidate: Candidate, _ report: ReloadReport) {
    board.remark(on: StatusBoard.reload, nil)
    keeper.remark(on: candidate)
    let ended = report.ended.map {
      "the catalogs end \($0.occurrences) occurrences of \($0.reminder) for \($0.people) people"
    }
    let changes = [candidate.changes.description].filter { !$0.isEmpty } + ended
    let words = ["the configuration was read again and is in force"] + changes
    journal.send(.reloaded, words.joined(separator: "; "))
    let settings = report.restart.joined(separator: ", ")
    board.remark(on: "restart", settings.isEmpty ? nil : "changed, but for a restart: \(settings)")
    guard !settings.isEmpty else { return }
    journal.send(
      message:
        "what has changed here is taken in by a restart alone, and is as before: \(settings)",
      priority: .warning)
  }
}

/// What administrators may have the service do, over the HTTP interface.
struct OperatorControl: ServiceControl {
  let reloader: Reloader
  let threshold: JournalThreshold
  let ring: JournalRing

  func reload() async throws(ReloadRejected) -> ReloadReport { try await reloader.reload() }

  func check() async -> ConfigurationFindings { await reloader.check() }

  var configuration: ShownConfiguration { reloader.configuration }

  var logLevel: LogLevel { LogLevel(threshold.priority) }

  func setLogLevel(_ level: LogLevel) {
    threshold.priority = level.priority
  }

  func log(_ question: LogQuestion) -> LogPage {
    var question = question
    // Asked for before the entries, of which none may come in between and be passed over.
    let last = ring.last
    // A number that nobody has been told yet is of a start before this one.
    if let after = question.after, after > last { question.after = 0 }
    let kept = ring.items(after: question.after ?? 0).map(LogEntry.init)
    return LogPage(question, from: kept, last: last)
  }

  func mail(saying text: MessageSample, in category: String) -> MailSample? {
    reloader.mail(saying: text, in: category)
  }

  func watchLog(_ tell: @escaping @Sendable () -> Void) -> (any AnyObject & Sendable)? {
    ring.watch(tell)
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
