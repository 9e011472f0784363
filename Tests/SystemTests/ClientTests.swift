import Testing

/// The interface as somebody sees it who has nothing but its description (rule H2): a client in
/// Python that uses `/openapi.json` and the service itself.
@OwnThread @Suite struct ClientTests {
  @Test func aClientMadeOfTheDescriptionAccountsForEverythingOnce() throws {
    let workspace = try Workspace()
    let client = try ChildProcess(
      "/usr/bin/env",
      [
        "python3", "-B", Project.root + "/Tests/SystemTests/openapi_client.py", Project.chimed,
        Project.catalogs, workspace.path,
      ])
    let ending = try client.finish(patience: 120)
    let report = String(decoding: client.output.take() + client.errors.take(), as: UTF8.self)
    #expect(ending == .exited(0), "\(report)")
    #expect(report.contains("deliveries over 3 connections, each of them once"))
  }
}
