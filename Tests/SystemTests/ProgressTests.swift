import Foundation
import Testing

/// Long operations show their progress on one line of the terminal, which is removed at the end.
@OwnThread @Suite struct ProgressTests {
  /// The control sequence that returns to the start of the line and clears it.
  private static let lineStart = "\r\u{1b}[K"

  private let workspace: Workspace

  init() throws {
    workspace = try Workspace()
  }

  private func write(_ text: String, to name: String) throws -> String {
    let path = workspace.path + "/" + name
    let file = try #require(fopen(path, "w"))
    defer { fclose(file) }
    try #require(fputs(text, file) >= 0)
    return path
  }

  /// Returns what a program writes to its standard error, which is a terminal.
  ///
  /// - Parameter kind: the value of `TERM`.
  private func errors(
    of program: String, _ arguments: [String], terminal kind: String = "xterm"
  ) throws -> String {
    let result = try Chimectl.finish(
      ChildProcess(
        program, arguments, environment: ["TERM": kind, "CHIMED_CATALOGS": Project.catalogs],
        errorsOn: Terminal(columns: 80, lines: 24)))
    #expect(result.ending == .exited(0), "\(arguments): \(result.errors)")
    return result.errors
  }

  /// Expects progress that contains a text, on one line that is cleared at the end.
  private func expectLine(_ text: String, in errors: String) {
    let parts = errors.components(separatedBy: Self.lineStart)
    #expect(parts.first == "" && parts.last == "", "\(errors.debugDescription)")
    #expect(parts.contains { $0.contains(text) }, "\(errors.debugDescription)")
    #expect(!errors.contains("\n"), "there are several lines")
  }

  @Test func `events, backup and restore show their progress`() throws {
    let service = try Service(workspace, sink: .file)
    try service.waitUntilReady()
    let events = try write(
      Report.milestone("e1", of: "u1", at: Report.overdue) + "\n", to: "events")
    let socket = ["--socket", workspace.socket]
    expectLine("100 %: ", in: try errors(of: Chimectl.program, ["events", events] + socket))
    let backup = workspace.path + "/backup"
    expectLine("syncing", in: try errors(of: Chimectl.program, ["backup", backup] + socket))
    #expect(try service.stop() == .exited(0))
    let other = try Workspace()
    let restore = ["restore", backup, "--state-directory", other.state]
    expectLine("examining the copy", in: try errors(of: Project.chimed, restore))
  }

  @Test func `a simulation shows its progress, unless the terminal is dumb`() throws {
    let events = try write(
      Report.milestone("e1", of: "u1", at: Report.overdue) + "\n", to: "events")
    let arguments = [
      "simulate", "--catalog", "imanpath", "--until", "2031-03-02T00:00:00Z", events,
    ]
    expectLine("until 2031-03-02", in: try errors(of: Project.chimed, arguments))
    #expect(try errors(of: Project.chimed, arguments, terminal: "dumb") == "")
  }
}
