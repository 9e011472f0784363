/// `type: exec`: starts a program for each delivery.
package struct ExecConfiguration: ProgramSinkConfiguration {
  package static let kind = ProgramSinkKind.exec

  package let command: ProgramCommand

  package init(command: ProgramCommand) { self.command = command }
}

extension ProgramSinkKind {
  /// Each program reads one delivery as JSON and reports the result by its exit status.
  package static let exec = Self(type: "exec", concurrency: 4) { ExecLoop($0, waits: $1) }
}
