import Glibc
import JSON
import Testing

/// A service that is killed while it makes its store finds it at the next start as if it had never
/// begun, or as if it had been left to finish.
@OwnThread @Suite struct CreationTests {
  @Test(arguments: Array(stride(from: 1, through: 61, by: 3)))
  func aStoreWhoseMakingWasCutOffIsMadeAtTheNextStart(changes: Int) throws {
    let workspace = try Workspace()
    try killWhileMaking(workspace, after: changes)
    let service = try Service(workspace)
    try service.waitUntilReady()
    let event = Report.milestone("e1", of: "r1", at: Report.overdue)
    #expect(try service.ask("POST", "/v1/events", event).status == 202)
    #expect(try service.deliveries(1).first?["recipient"] == "r1")
    #expect(try service.stop() == .exited(0))
  }

  /// - Parameter changes: of files in the state directory, the lock among them.
  private func killWhileMaking(_ workspace: Workspace, after changes: Int) throws {
    let watch = try FileWatch(workspace.state)
    let service = try Service(workspace)
    while watch.count < changes && !service.isReady {
      try service.turn(others: [watch.descriptor])
      watch.read()
    }
    service.process.send(SIGKILL)
    _ = try service.process.finish()
  }
}
