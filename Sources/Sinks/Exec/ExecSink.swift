package import Delivery
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
package final class ExecSink: Sink {
  package let name: String
  package let window: Int
  private let thread: ProgramThread<ExecLoop>

  package init(name: String = "exec", _ settings: ExecSettings) throws(SystemCallError) {
    self.name = name
    // A crash repeats what is in the window; a slow program holds up what is in it.
    window = min(256, settings.concurrency * 8)
    thread = try ProgramThread(name: name) { ExecLoop(settings, waits: $0) }
  }

  package func deliver(_ deliveries: [Delivery]) async throws(SinkOutage) -> [SinkAnswer] {
    guard !deliveries.isEmpty else { return [] }
    return try await thread.ask(deliveries).get()
  }

  package func stop() async { await thread.stop() }
}
