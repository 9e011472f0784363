import Testing

/// `chimectl`'s failures as scripts see them: exit codes of sysexits.h, and an error with a hint.
@OwnThread @Suite struct ExitTests {
  private let workspace: Workspace
  private let chimectl: Chimectl

  init() throws {
    workspace = try Workspace()
    chimectl = Chimectl(socket: workspace.socket)
  }

  private func expect(
    _ code: Int32, _ arguments: [String], _ error: String,
    sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    let result = try chimectl.run(arguments)
    #expect(result.ending == .exited(code), "\(result.errors)", sourceLocation: sourceLocation)
    #expect(
      result.errors.lowercased().hasPrefix("error: ") && result.errors.contains(error),
      "\(result.errors)", sourceLocation: sourceLocation)
    #expect(result.output == "", sourceLocation: sourceLocation)
  }

  @Test func `with a running service, each kind of failure has its exit code`() throws {
    let service = try Service(workspace, sink: .file)
    try service.waitUntilReady()
    try expect(66, ["pending", "nobody"], "the recipient \"nobody\" is unknown")
    try expect(66, ["token", "revoke", "none"], "none")
    _ = try chimectl.run(["event", "recipient.updated", "--recipient", "u1", "timezone=UTC"])
    for command in [["cancel"], ["cancel", "--series"], ["snooze", "--for", "1h"]] {
      try expect(66, command + ["nobody", "relapse"], "the recipient \"nobody\" is unknown")
      try expect(66, command + ["u1", "nothing"], "the reminder \"nothing\" is not declared")
    }
    try expect(66, ["events", workspace.path + "/none"], "cannot be read")
    try expect(65, ["event", "lesson.completed", "--recipient", "u1", "day=31"], "data.day")
    try expect(65, ["deadletters", "list", "--limit", "0"], "limit")
    try expect(73, ["backup", "/nowhere/at/all"], "cannot be created")
    try expect(64, ["pending"], "Missing expected argument")
    try expect(64, ["top", "--interval", "0"], "--interval")
    try expect(64, ["status", "--timeout", "0"], "--timeout")
    let full = try chimectl.run(["status", "--json"], into: "/dev/full")
    #expect(full.ending == .exited(74))
    #expect(full.errors.hasPrefix("error: standard output cannot be written: "))
    #expect(try service.stop() == .exited(0))
    try expect(69, ["status"], "chimed is not listening at")
  }

  @Test func `without a service, the exit code is 69`() throws {
    try expect(69, ["status"], "hint: start it with \"systemctl start chimed\"")
    try expect(69, ["top"], "chimed is not listening at")
    try expect(69, ["watch", "u1"], "chimed is not listening at")
  }

  /// The service's error responses, and the exit code of `chimectl` for each.
  private static let answers: [(status: String, type: String, code: Int32)] = [
    ("400 Bad Request", "invalid-parameter", 65), ("401 Unauthorized", "unauthenticated", 77),
    ("403 Forbidden", "forbidden", 77), ("404 Not Found", "unknown-recipient", 66),
    ("409 Conflict", "conflicting-event", 65), ("422 Unprocessable", "unacceptable-event", 65),
    ("422 Unprocessable", "reload-rejected", 78), ("429 Too Many", "too-many-requests", 75),
    ("500 Internal", "unexpected", 70), ("503 Unavailable", "unavailable", 75),
    ("507 Full", "storage-full", 75),
  ]

  @Test func `the exit code of a refusal follows from its problem`() throws {
    for (number, answer) in Self.answers.enumerated() {
      let body = "{\"type\":\"urn:chimed:problem:\(answer.type)\",\"detail\":\"because\"}"
      let head = "HTTP/1.1 \(answer.status)\r\ncontent-length: \(body.utf8.count)\r\n\r\n"
      let server = try CannedServer(at: workspace.path + "/\(number)", answering: head + body)
      let result = try Chimectl(socket: server.path).run(["pending", "u1"])
      #expect(result.ending == .exited(answer.code), "\(answer): \(result.errors)")
      #expect(result.errors.hasPrefix("error: because\n"), "\(answer)")
    }
  }

  @Test func `an invalid answer exits with 76, a missing one with 75`() throws {
    let invalidServer = try CannedServer(
      at: workspace.path + "/a", answering: "HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\nhello")
    let result = try Chimectl(socket: invalidServer.path).run(["status"])
    #expect(result.ending == .exited(76))
    let silent = try CannedServer(at: workspace.path + "/b", answering: nil)
    let late = try Chimectl(socket: silent.path).run(["status", "--timeout", "0.3"])
    #expect(late.ending == .exited(75))
    #expect(
      late.errors.hasPrefix("error: chimed, at \(silent.path), did not reply within 0.3 s\nhint"))
  }

  @Test func `a timeline that cannot be written exits with 74`() throws {
    let event = """
      {"specversion":"1.0","id":"e1","source":"tests","type":"recipient.updated",\
      "subject":"u1","time":"2026-03-01T12:00:00Z","data":{"timezone":"Asia/Tokyo"}}
      """
    let script =
      "echo \"$1\" | exec \"$0\" simulate --until 2026-03-03T00:00:00Z "
      + "--catalog imanpath >/dev/full"
    let result = try Chimectl.finish(
      ChildProcess(
        "/bin/sh", ["-c", script, Project.chimed, event],
        environment: ["CHIMED_CATALOGS": Project.catalogs]))
    #expect(result.ending == .exited(74))
    #expect(result.errors == "error: standard output cannot be written: No space left on device\n")
  }
}
