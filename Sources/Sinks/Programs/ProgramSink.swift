import Foundation
package import Outbox
package import Reminders
package import Systemd

/// A kind of sink that runs programs.
package struct ProgramSinkKind: Sendable {
  let type: String
  /// The default number of deliveries that programs process at the same time.
  let concurrency: Int
  /// Creates the loop that runs the programs; called on the loop's thread.
  let loop: @Sendable (ProgramSettings, WaitSet) -> any ProgramLoop
}

/// The settings of a sink that runs programs.
package struct ProgramSettings: Sendable {
  let kind: ProgramSinkKind
  let name: String
  let command: ProgramCommand
  /// The time limit for a program's answer to a delivery.
  let deadline: Duration
  /// The number of deliveries that programs process at the same time.
  let concurrency: Int
  /// The service's environment; only named variables are passed on.
  let environment: [String: String]
  let journal: Journal

  /// - Parameters:
  ///   - name: nil for the name of the type.
  ///   - concurrency: nil for the type's default.
  package init(
    _ kind: ProgramSinkKind, name: String? = nil, command: ProgramCommand,
    deadline: Duration = .seconds(15), concurrency: Int? = nil,
    environment: [String: String] = [:], journal: Journal
  ) {
    self.kind = kind
    self.name = name ?? kind.type
    self.command = command
    self.deadline = deadline
    self.concurrency = concurrency ?? kind.concurrency
    self.environment = environment
    self.journal = journal
  }
}

/// Sends deliveries to programs.
package final class ProgramSink: AnalyticsSink, OverlappingSink {
  package let name: String
  package let type: String
  package let window: Int
  private let threads: ProgramThreads

  package init(_ settings: ProgramSettings) throws(SystemCallError) {
    name = settings.name
    type = settings.kind.type
    // After a crash, all deliveries of the window are repeated, so the window is limited.
    window = min(256, settings.concurrency * 8)
    threads = try ProgramThreads(name: name) { settings.kind.loop(settings, $0) }
  }

  package func deliver(
    _ deliveries: [Delivery], _ progress: BatchProgress
  ) async throws(SinkOutage) -> [SinkAnswer] {
    guard !deliveries.isEmpty else { return [] }
    return try await threads.deliveries.answers(to: deliveries, progress).get()
  }

  package func deliver(_ events: [AnalyticsItem]) async throws(SinkOutage) -> [SinkAnswer] {
    try await threads.deliver(events, for: self)
  }

  package func stop() async { await threads.stop() }
}

/// A sink configuration that consists of a program only.
package protocol ProgramSinkConfiguration: SinkConfiguration {
  static var kind: ProgramSinkKind { get }

  var command: ProgramCommand { get }

  init(command: ProgramCommand)
}

extension ProgramSinkConfiguration {
  package static var type: String { kind.type }
  package static var keys: [KeyDescription] { ProgramCommand.keys }
  package static var acceptsAnalytics: Bool { true }

  package init?(reading settings: inout SinkSettings) {
    guard let command = ProgramCommand(reading: &settings) else { return nil }
    self.init(command: command)
  }

  package func check(credentials: Credentials) throws { try command.check() }

  package func sink(
    _ common: SinkCommonSettings, in surroundings: SinkEnvironment
  ) throws -> any Sink {
    try command.check()
    return try ProgramSink(
      ProgramSettings(
        Self.kind, name: common.name, command: command, deadline: Duration(common.deadline),
        concurrency: common.concurrency, environment: ProcessInfo.processInfo.environment,
        journal: surroundings.journal))
  }
}
