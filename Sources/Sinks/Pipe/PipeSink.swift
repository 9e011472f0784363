/// `type: pipe`: a long-running program that reads deliveries and answers line by line.
package struct PipeConfiguration: ProgramSinkConfiguration {
  package static let kind = ProgramSinkKind.pipe

  package let command: ProgramCommand

  package init(command: ProgramCommand) { self.command = command }
}

extension ProgramSinkKind {
  /// A long-running program reads each delivery as a line of JSON, and answers by a line of JSON.
  package static let pipe = Self(type: "pipe", concurrency: 16) { PipeLoop($0, waits: $1) }
}
