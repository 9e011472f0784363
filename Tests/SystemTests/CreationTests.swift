import Glibc
import JSON
import Testing

/// A service that was killed while it created its store can start again. It finds a complete
/// store, or creates it again.
@OwnThread @Suite struct CreationTests {
  @Test(arguments: Array(stride(from: 1, through: 61, by: 3)))
  func `a store whose creation was interrupted is created at the next start`(changes: Int) throws {
    let workspace = try Workspace()
    try killDuringCreation(workspace, after: changes)
    let service = try Service(workspace)
    try service.waitUntilReady()
    let event = Report.milestone("e1", of: "r1", at: Report.overdue)
    #expect(try service.ask("POST", "/v1/events", event).status == 202)
    #expect(try service.deliveries(1).first?["recipient"] == "r1")
    #expect(try service.stop() == .exited(0))
  }

  /// - Parameter changes: the number of changes to files in the state directory after which the
  ///   service is killed. The lock file counts too.
  private func killDuringCreation(_ workspace: Workspace, after changes: Int) throws {
    let watch = try FileWatch(workspace.state)
    let service = try Service(workspace)
    while watch.count < changes && !service.isReady {
      try service.readOutput(others: [watch.descriptor])
      watch.read()
    }
    service.process.send(SIGKILL)
    _ = try service.process.finish()
  }
}
