package import Delivery
import Foundation
package import Systemd

/// `type: exec`: a program is started for each delivery.
package struct ExecConfiguration: SinkConfiguration {
  package static let type = "exec"
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
    try ExecSink(
      name: common.name,
      ExecSettings(
        command: command, deadline: Duration(common.deadline),
        concurrency: common.concurrency ?? 4,
        environment: ProcessInfo.processInfo.environment))
  }
}
