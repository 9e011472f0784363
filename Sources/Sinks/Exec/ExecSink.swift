import CivilTime
import Foundation
package import Outbox
package import Reminders
package import Systemd

/// What an `exec` sink starts, and how.
package struct ExecSettings: Sendable {
  package let command: ProgramCommand
  /// How long a program may take.
  package let deadline: Duration
  /// How many run at once.
  package let concurrency: Int
  /// The service's own, of which nothing goes along that is not asked for.
  package let environment: [String: String]

  package init(
    command: ProgramCommand, deadline: Duration = .seconds(15), concurrency: Int = 4,
    environment: [String: String] = [:]
  ) {
    self.command = command
    self.deadline = deadline
    self.concurrency = concurrency
    self.environment = environment
  }

  var limits: RunningProgram.Limits {
    RunningProgram.Limits(memory: command.memory, processorTime: deadline)
  }
}

/// Starts a program for each delivery, which reads it as JSON and says by its exit what came of it.
package final class ExecSink: AnalyticsSink {
  package let name: String
  package let type = ExecConfiguration.type
  package let window: Int
  private let threads: ProgramThreads<ExecLoop>

  package init(name: String = "exec", _ settings: ExecSettings) throws(SystemCallError) {
    self.name = name
    // A crash repeats what is in the window; a slow program holds up what is in it.
    window = min(256, settings.concurrency * 8)
    threads = try ProgramThreads(name: name) { ExecLoop(settings, waits: $0) }
  }

  package func deliver(_ deliveries: [Delivery]) async throws(SinkOutage) -> [SinkAnswer] {
    guard !deliveries.isEmpty else { return [] }
    return try await threads.deliveries.ask(deliveries).get()
  }

  package func take(_ events: [AnalyticsItem]) async throws(SinkOutage) -> [SinkAnswer] {
    try await threads.take(events, for: self)
  }

  package func stop() async { await threads.stop() }
}

/// `type: exec`: a program is started for each delivery.
package struct ExecConfiguration: ProgramSinkConfiguration {
  package static let type = "exec"
  package static let takesAnalytics = true

  package let command: ProgramCommand

  package init(command: ProgramCommand) { self.command = command }

  package func sink(
    _ common: SinkCommonSettings, in surroundings: SinkSurroundings
  ) throws -> any Sink {
    try ExecSink(
      name: common.name,
      ExecSettings(
        command: command, deadline: Duration(common.deadline),
        concurrency: common.concurrency ?? 4,
        environment: ProcessInfo.processInfo.environment))
  }
}

/// Deliveries that a program each is started for: which is next, and what they all come to.
struct ExecBatch {
  private var answers: [SinkAnswer?]
  private var next = 0
  private var underWay = 0
  /// Why a program could not be started; no other is started then.
  private var failure: String?

  /// When to try again what another delivery's program kept from being tried.
  private static let pause = TimeSpan.seconds(5)

  init(count: Int) {
    answers = Array(repeating: nil, count: count)
  }

  /// The delivery to start a program for; nil if it has to wait or none is left.
  ///
  /// - Parameter concurrency: how many programs may run at once.
  mutating func start(concurrency: Int) -> Int? {
    guard failure == nil, underWay < concurrency, next < answers.count else { return nil }
    defer { next += 1 }
    underWay += 1
    return next
  }

  mutating func couldNotStart(_ reason: String) {
    underWay -= 1
    failure = failure ?? reason
  }

  mutating func ended(_ index: Int, _ answer: SinkAnswer) {
    underWay -= 1
    answers[index] = answer
  }

  /// The service stops: nothing is started any more.
  mutating func stop() {
    failure = failure ?? "the service stopped before the program was started"
  }

  /// What the sink says, once it can.
  var result: Result<[SinkAnswer], SinkOutage>? {
    guard underWay == 0, failure != nil || next == answers.count else { return nil }
    guard let failure else { return .success(answers.compactMap { $0 }) }
    if answers.allSatisfy({ $0 == nil }) { return .failure(SinkOutage(failure)) }
    return .success(answers.map { $0 ?? .retry(after: Self.pause, reason: failure) })
  }
}
