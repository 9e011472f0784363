import Testing

/// Clients that rely on `/openapi.json` alone (rules H2, H8): one reads it while it runs, and a
/// common generator makes the other from it. Also the official CloudEvents SDK.
@OwnThread @Suite struct ClientTests {
  private nonisolated static let generator = "openapi/bin/openapi-python-client"

  @Test(
    .enabled(
      if: Project.hasTool(generator),
      "openapi-python-client is missing; run `make test`, which fetches it"))
  func `H8: a generated client can call every operation`() throws {
    let workspace = try Workspace()
    let report = try run(
      Project.tool("openapi/bin/python"), "generated_client.py",
      [Project.tool(Self.generator), Project.chimed, Project.catalogs, workspace.path])
    #expect(report.contains("operations were called with the generated client"))
  }

  /// The official CloudEvents SDK for Python, in each content mode.
  @Test(
    .enabled(
      if: Project.hasTool(generator), "cloudevents is missing; run `make test`, which fetches it"))
  func `H8: events of the official SDK are accepted in every mode`() throws {
    let workspace = try Workspace()
    let report = try run(
      Project.tool("openapi/bin/python"), "cloudevents_client.py",
      [Project.chimed, Project.catalogs, workspace.path])
    #expect(report.contains("traces reached the webhook"))
  }

  /// - Returns: the output of a Python script, which must succeed.
  private func run(
    _ python: String, _ script: String, _ arguments: [String]
  ) throws -> String {
    let script = Project.root + "/Tests/SystemTests/" + script
    let client = try ChildProcess(python, ["-B", script] + arguments)
    let ending = try client.finish(timeout: 120)
    let report = String(decoding: client.output.take() + client.errors.take(), as: UTF8.self)
    #expect(ending == .exited(0), "\(report)")
    return report
  }

  @Test func `H2: a client that follows /openapi.json gets each delivery once`() throws {
    let workspace = try Workspace()
    let report = try run(
      "/usr/bin/python3", "openapi_client.py", [Project.chimed, Project.catalogs, workspace.path])
    #expect(report.contains("deliveries over 3 connections; each arrived once"))
  }
}
