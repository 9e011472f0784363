import Testing

/// The interface as somebody sees it who has nothing but its description (rule H2): a client in
/// Python that uses `/openapi.json` and the service itself, and one that a common generator makes.
@OwnThread @Suite struct ClientTests {
  private nonisolated static let generator = "openapi/bin/openapi-python-client"

  @Test(.enabled(if: Project.hasTool(generator), "make test fetches openapi-python-client"))
  func h8AGeneratedClientCallsEveryOperation() throws {
    let workspace = try Workspace()
    let report = try run(
      Project.tool("openapi/bin/python"), "generated_client.py",
      [Project.tool(Self.generator), Project.chimed, Project.catalogs, workspace.path])
    #expect(report.contains("operations of a generated client"))
  }

  /// With the official SDK for Python, in each of its modes.
  @Test(.enabled(if: Project.hasTool(generator), "make test fetches cloudevents"))
  func h8TheOfficialSDKIsUnderstoodInEveryMode() throws {
    let workspace = try Workspace()
    let report = try run(
      Project.tool("openapi/bin/python"), "cloudevents_client.py",
      [Project.chimed, Project.catalogs, workspace.path])
    #expect(report.contains("traces reached the webhook"))
  }

  /// - Returns: what a script beside this file says, which has to end well.
  private func run(
    _ python: String, _ script: String, _ arguments: [String]
  ) throws -> String {
    let script = Project.root + "/Tests/SystemTests/" + script
    let client = try ChildProcess(python, ["-B", script] + arguments)
    let ending = try client.finish(patience: 120)
    let report = String(decoding: client.output.take() + client.errors.take(), as: UTF8.self)
    #expect(ending == .exited(0), "\(report)")
    return report
  }

  @Test func aClientMadeOfTheDescriptionAccountsForEverythingOnce() throws {
    let workspace = try Workspace()
    let report = try run(
      "/usr/bin/python3", "openapi_client.py", [Project.chimed, Project.catalogs, workspace.path])
    #expect(report.contains("deliveries over 3 connections, each of them once"))
  }
}
