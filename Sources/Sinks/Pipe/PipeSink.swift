package import Delivery
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
package final class PipeSink: Sink {
  package let name: String
  package let window: Int
  private let thread: ProgramThread<PipeLoop>

  package init(_ settings: PipeSettings) throws(SystemCallError) {
    name = settings.name
    // A crash repeats what is in the window.
    window = min(256, settings.concurrency * 8)
    thread = try ProgramThread(name: name) { PipeLoop(settings, waits: $0) }
  }

  package func deliver(_ deliveries: [Delivery]) async throws(SinkOutage) -> [SinkAnswer] {
    guard !deliveries.isEmpty else { return [] }
    return try await thread.ask(deliveries).get()
  }

  package func stop() async { await thread.stop() }
}
