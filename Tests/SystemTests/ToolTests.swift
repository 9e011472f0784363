import JSON
import Testing

/// Tests of the interface by other projects' tools (rule H2).
@OwnThread @Suite struct ToolTests {
  /// The seconds for which schemathesis makes calls.
  private static let seconds = 40

  @Test(
    .enabled(
      if: Project.hasTool("schemathesis/bin/schemathesis"),
      "schemathesis is missing; run `make test`, which fetches it"))
  func `schemathesis finds no fault`() throws {
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
        "--header", "Authorization: Bearer \(secret)", "--max-time", "\(Self.seconds)",
        "--seed", "1", "--no-color", "--continue-on-failure", "--suppress-health-check", "all",
        // Two checks would fail without a fault: a schema cannot say which zones exist, and a
        // client with many invalid tokens is answered 429.
        "--exclude-checks", "positive_data_acceptance,ignored_auth",
        // Streams do not end, so the tool would wait for them. ClientTests tests them.
        "--exclude-operation-id", "stream", "--exclude-operation-id", "statusStream",
        "--exclude-operation-id", "logStream",
        // These operations revoke the tool's own token, after which all its calls would be refused.
        "--exclude-operation-id", "closeConsole", "--exclude-operation-id", "revokeToken",
      ])
    let ending = try tool.finish(timeout: 300, reading: service.process)
    let report = String(decoding: tool.output.take() + tool.errors.take(), as: UTF8.self)
    #expect(ending == .exited(0), "\(report)")
    #expect(try service.stop() == .exited(0))
  }

  @Test(
    .enabled(
      if: Project.hasTool("promtool"), "promtool is missing; run `make test`, which fetches it"))
  func `promtool accepts the metrics`() throws {
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
