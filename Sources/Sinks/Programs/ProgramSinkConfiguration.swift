package import Systemd

/// A type of sink that wants to know a program and nothing else.
package protocol ProgramSinkConfiguration: SinkConfiguration {
  var command: ProgramCommand { get }

  init(command: ProgramCommand)
}

extension ProgramSinkConfiguration {
  package static var keys: [String] { ProgramCommand.keys }
  package static var requiredKeys: [String] { ProgramCommand.requiredKeys }

  package init?(reading settings: inout SinkSettings) {
    guard let command = ProgramCommand(reading: &settings) else { return nil }
    self.init(command: command)
  }

  package func check(credentials: Credentials) throws { try command.check() }
}
