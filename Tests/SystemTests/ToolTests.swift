import JSON
import Testing

/// The interface as the tools of others see it (rule H2).
@OwnThread @Suite struct ToolTests {
  /// How many seconds of calls, made from the description alone.
  private static let time = 40

  @Test(
    .enabled(
      if: Project.hasTool("schemathesis/bin/schemathesis"), "make test fetches schemathesis"))
  func schemathesisFindsNothingAmiss() throws {
    let workspace = try Workspace()
    let service = try Service(
      workspace,
      arguments: Service.arguments(workspace, sink: .file)
        + ["--catalog", "urbannest", "--catalog", "rooms", "--listen", "127.0.0.1:0"])
    try service.waitUntilReady()
    let address = try #require(service.log.firstMatch(of: /127\.0\.0\.1:\d+/)).output
    let token = try service.ask("POST", "/v1/tokens", #"{"name":"test","scope":"admin"}"#)
    let secret = try #require(token.body["token"]?.stringValue)
    let tool = try ChildProcess(
      Project.tool("schemathesis/bin/schemathesis"),
      [
        "run", "http://\(address)/openapi.json", "--url", "http://\(address)",
        "--header", "Authorization: Bearer \(secret)", "--max-time", "\(Self.time)",
        "--seed", "1", "--no-color", "--continue-on-failure", "--suppress-health-check", "all",
        // What a schema cannot say, such as that a zone exists, is refused all the same; and who
        // tries many tokens that do not hold is answered that it is too often.
        "--exclude-checks", "positive_data_acceptance,ignored_auth",
        // It has no end that the tool could wait for; ClientTests follow it.
        "--exclude-operation-id", "stream", "--exclude-operation-id", "statusStream",
        "--exclude-operation-id", "logStream",
        // They end the very token that the tool brings: it would see refusals alone from then on.
        "--exclude-operation-id", "closeConsole", "--exclude-operation-id", "revokeToken",
      ])
    let ending = try tool.finish(patience: 300, reading: service.process)
    let report = String(decoding: tool.output.take() + tool.errors.take(), as: UTF8.self)
    #expect(ending == .exited(0), "\(report)")
    #expect(try service.stop() == .exited(0))
  }

  @Test(.enabled(if: Project.hasTool("promtool"), "make test fetches promtool"))
  func promtoolTakesTheMetrics() throws {
    let workspace = try Workspace()
    let service = try Service(workspace, sink: .file)
    try service.waitUntilReady()
    let event = Report.milestone("e1", of: "r1", at: Report.overdue)
    #expect(try service.ask("POST", "/v1/events", event).status == 202)
    let check = try ChildProcess(
      "/bin/bash",
      [
        "-c",
        "set -o pipefail; curl --silent --fail --unix-socket \"$1\" \"$2\" | \"$3\" check metrics",
        "check", workspace.socket, "http://chimed/metrics", Project.tool("promtool"),
      ])
    let ending = try check.finish()
    let report = String(decoding: check.output.take() + check.errors.take(), as: UTF8.self)
    #expect(ending == .exited(0), "\(report)")
    #expect(report == "")
    #expect(try service.stop() == .exited(0))
  }
}
