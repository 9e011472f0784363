import Glibc
import JSON
import Testing

/// `chimectl backup` of a running service, and `chimed restore`.
@OwnThread @Suite struct BackupTests {
  private let workspace: Workspace

  init() throws {
    workspace = try Workspace()
  }

  private func run(
    _ program: String, _ arguments: [String]
  ) throws -> (ending: ChildProcess.Ending, output: String, errors: String) {
    let process = try ChildProcess(program, arguments, environment: [:])
    let ending = try process.finish()
    return (
      ending, String(decoding: process.output.take(), as: UTF8.self),
      String(decoding: process.errors.take(), as: UTF8.self)
    )
  }

  private func backUp(to file: String) throws -> (ending: ChildProcess.Ending, errors: String) {
    let result = try run(
      Project.programs + "/chimectl", ["backup", file, "--socket", workspace.socket])
    return (result.ending, result.errors)
  }

  @Test func whatIsBackedUpComesBackOnAnotherMachine() throws {
    let service = try Service(workspace)
    try service.waitUntilReady()
    let event = Report.milestone("e1", of: "r1", at: Report.overdue)
    #expect(try service.ask("POST", "/v1/events", event).status == 202)
    #expect(try service.deliveries(1).first?["recipient"] == "r1")
    let file = workspace.path + "/backup"
    let made = try backUp(to: file)
    #expect(made.ending == .exited(0), "\(made.errors)")
    let again = try backUp(to: file)
    #expect(again.ending == .exited(73))
    #expect(again.errors.contains("is there already"))
    #expect(try service.stop() == .exited(0))

    let other = try Workspace()
    let restored = try run(
      Project.chimed, ["restore", file, "--state-directory", other.state])
    #expect(restored.ending == .exited(0), "\(restored.errors)")
    #expect(restored.output == "restored 1 recipients and 1 notifications\n")
    let second = try Service(other)
    try second.waitUntilReady()
    // It knows what was reported and what was delivered.
    let reply = try second.ask("POST", "/v1/events", event)
    #expect(reply.status == 200)
    #expect(try second.stop() == .exited(0))
    #expect(try second.process.output.takeLines().isEmpty)
  }

  @Test func aRunningServiceKeepsItsStore() throws {
    let service = try Service(workspace)
    try service.waitUntilReady()
    let file = workspace.path + "/backup"
    #expect(try backUp(to: file).ending == .exited(0))
    let options = ["restore", file, "--state-directory", workspace.state, "--replace"]
    let refused = try run(Project.chimed, options)
    #expect(refused.ending == .exited(75))
    #expect(refused.errors.contains("is in use by another chimed"))
    #expect(try service.stop() == .exited(0))
  }
}
