package import Delivery
import Foundation
package import Systemd

/// `type: pipe`: a program that keeps running is handed deliveries and answers line by line.
package struct PipeConfiguration: SinkConfiguration {
  package static let type = "pipe"
  package static let keys = ProgramCommand.keys
  package static let requiredKeys = ProgramCommand.requiredKeys

  package let command: ProgramCommand

  package init?(reading settings: inout SinkSettings) {
    guard let command = ProgramCommand(reading: &settings) else { return nil }
    self.command = command
  }

  package func check(credentials: Credentials) throws { try command.check() }

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
