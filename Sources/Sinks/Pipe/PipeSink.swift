import Foundation
package import Outbox
package import Reminders
package import Systemd

/// What a `pipe` sink starts, and how it speaks with it.
package struct PipeSettings: Sendable {
  let name: String
  let command: ProgramCommand
  /// How long the program may be silent while it has something to answer for.
  let deadline: Duration
  /// How many deliveries it has at once.
  let concurrency: Int
  /// The service's own, of which nothing goes along that is not asked for.
  let environment: [String: String]
  let journal: Journal

  package init(
    name: String = "pipe", command: ProgramCommand, deadline: Duration = .seconds(15),
    concurrency: Int = 16, environment: [String: String] = [:], journal: Journal
  ) {
    self.name = name
    self.command = command
    self.deadline = deadline
    self.concurrency = concurrency
    self.environment = environment
    self.journal = journal
  }

  /// How long a program waits to be started again: 100 ms, doubled each time that one has ended
  /// without an answer, at most 1 min.
  static func pause(afterFailures count: Int) -> Duration {
    min(.seconds(60), .milliseconds(100 << min(count, 10)))
  }
}

/// Hands deliveries, a line of JSON each, to a program that keeps running and answers the same way.
package final class PipeSink: AnalyticsSink {
  package let name: String
  package let type = PipeConfiguration.type
  package let window: Int
  private let threads: ProgramThreads<PipeLoop>

  package init(_ settings: PipeSettings) throws(SystemCallError) {
    name = settings.name
    // A crash repeats what is in the window.
    window = min(256, settings.concurrency * 8)
    threads = try ProgramThreads(name: name) { PipeLoop(settings, waits: $0) }
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

/// `type: pipe`: a program that keeps running is handed deliveries and answers line by line.
package struct PipeConfiguration: ProgramSinkConfiguration {
  package static let type = "pipe"
  package static let takesAnalytics = true

  package let command: ProgramCommand

  package init(command: ProgramCommand) { self.command = command }

  package func sink(
    _ common: SinkCommonSettings, in surroundings: SinkSurroundings
  ) throws -> any Sink {
    try PipeSink(
      PipeSettings(
        name: common.name, command: command, deadline: Duration(common.deadline),
        concurrency: common.concurrency ?? 16,
        environment: ProcessInfo.processInfo.environment, journal: surroundings.journal))
  }
}

/// What is told of a program that answers line by line, so much that a person can read it.
struct PipeJournal {
  let sink: String
  private let journal: Journal
  private var errors = LineBudget()
  private var faults = LineBudget()

  /// How much of a line of standard error is passed on, in bytes.
  private static let lengthMax = 1_000

  init(sink: String, journal: Journal) {
    self.sink = sink
    self.journal = journal
  }

  /// A line that the program has written to standard error.
  mutating func tell(error line: PipeLines.Line, at now: MonotonicInstant) {
    let decision = errors.next(at: now)
    guard decision != .leaveOut else { return }
    tell(decision, of: "standard error")
    switch line {
    case .text(let text):
      send("its program: \(String(decoding: text.prefix(Self.lengthMax), as: UTF8.self))", .notice)
    case .long: send("its program: a line that is too long", .notice)
    }
  }

  mutating func tell(_ fault: PipeFault, at now: MonotonicInstant) {
    let decision = faults.next(at: now)
    guard decision != .leaveOut else { return }
    tell(decision, of: "its answers")
    send("a line of its program is no answer: \(fault)", .warning)
  }

  func tell(start program: Int32) {
    send("its program was started (process \(program))", .informational)
  }

  mutating func tell(end reason: String, pause: Duration?) {
    for (budget, what) in [(errors, "standard error"), (faults, "its answers")]
    where budget.rest > 0 {
      tell(.passAfter(leftOut: budget.rest), of: what)
    }
    errors = LineBudget()
    faults = LineBudget()
    guard let pause else { return send("its program is gone: \(reason)", .informational) }
    send(
      "its program is gone: \(reason); it is started again in \(pause) at the earliest", .warning)
  }

  private func tell(_ decision: LineBudget.Decision, of what: String) {
    guard case .passAfter(let count) = decision else { return }
    send("\(count) lines of \(what) were left out", .warning)
  }

  private func send(_ text: String, _ priority: JournalPriority) {
    journal.send(
      message: "the sink \(sink): \(text)", priority: priority, fields: [(.sink, sink)])
  }
}
